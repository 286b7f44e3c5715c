/**
 * The stream of a task: first the task as it is, then what happens to it. Its text is one artifact that grows; where
 * a step began again with other text, the artifact is sent anew. A reader that joins later gets the text so far with
 * the task, and after that only what is new.
 *
 *   task ─▶ artifact and status updates ─▶ over, or (after a message) waits for its client ─▶ the stream ends
 */
import type { Outcome } from "../../../actors/fault.ts";
import { GrowingText } from "../../../actors/growing-text.ts";
import { TEXT_SEPARATOR } from "../../../actors/job/schema.ts";
import type { StreamItem } from "../../../actors/runtime/streams/replay.ts";
import type { Subscription } from "../../../actors/runtime/streams/subscription.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import { visibleJson, visibleText } from "../../../actors/visible-text.ts";
import { type EventSource, QUIET } from "../../http/stream/event-source.ts";
import { sseTexts } from "../../http/stream/sse.ts";
import { protocolFrames, type RunItem, type RunTable } from "../runs/run-item.ts";
import type { RunTranslation } from "../runs/run-translation.ts";
import {
  type A2aArtifact,
  type A2aPart,
  taskMessage,
  fileArtifact,
  isTaskOver,
  isTaskWaiting,
  outputArtifacts,
  type TaskJob,
  taskMetadata,
  type TaskState,
  taskState,
  taskStatus,
  textArtifact,
} from "./task.ts";

export interface TaskStreamParts {
  readonly subscription: Pick<Subscription, "take" | "nextPage" | "onChange" | "close" | "isLost">;
  readonly translation: RunTranslation;
  /** The task as the first frame shows it. */
  readonly job: TaskJob;
  readonly read: () => Promise<Outcome<TaskJob>>;
  /** Whether the stream ends when the task waits for its client: the client has sent a message, and can answer. */
  readonly endsWaiting: boolean;
  readonly appUrl: string;
  readonly now: () => string;
  /** The frame of a response of A2A, for the transport of the client. */
  readonly frame: (response: object) => string;
}

export class TaskStream implements EventSource {
  readonly isImmediate = true;
  private readonly parts: TaskStreamParts;
  /** The frame of text that follows other text. */
  private readonly moreText: (text: string) => string;
  /** All text of the run so far, and how much of it the client has. */
  private text = new GrowingText();
  private sent: number;
  /** Whether the state of the task may have changed. */
  private mayHaveChanged = false;
  /** The version of the record whose status the client has. */
  private version: number;
  private isDone: boolean;
  /** The event that is read now. */
  private seq = 0;

  constructor(parts: TaskStreamParts) {
    this.parts = parts;
    this.moreText = sseTexts(this.textFrame("", true));
    this.sent = parts.job.result?.length ?? 0;
    this.version = parts.job.last_seq;
    this.isDone = this.isEnough(taskState(parts.job.status, parts.job.blocked_reason));
  }

  /** Whether the stream ends with this state. */
  private isEnough(state: TaskState): boolean {
    return isTaskOver(state) || (this.parts.endsWaiting && isTaskWaiting(state));
  }

  next(): string | typeof QUIET | null | Promise<string | null> {
    const { subscription } = this.parts;
    // Another replica has the task now: the client subscribes again.
    if (this.isDone || subscription.isLost) return null;
    const items = subscription.take();
    if (items === null) return subscription.nextPage().then((page) => this.rendered(page));
    if (items.length > 0) return this.rendered(items);
    return this.mayHaveChanged ? this.status() : QUIET;
  }

  onChange(run: () => void): void {
    this.parts.subscription.onChange(run);
  }

  close(): void {
    this.parts.subscription.close();
  }

  /** A2A has no last words: a client whose stream ends before its task subscribes again. */
  lastWords(): string {
    return "";
  }

  private rendered(items: readonly StreamItem[]): string {
    let frames = "";
    for (const item of items) frames += this.framesOfEntry(item);
    return frames;
  }

  private framesOfEntry(entry: StreamItem): string {
    const { translation, job } = this.parts;
    if (entry.kind === "event") this.seq = entry.event.seq;
    const isKnown = this.seq <= job.last_seq;
    let frames = "";
    for (const item of translation.itemsOf(entry))
      if (!isKnown || ITEMS_OF_TEXT.has(item.kind)) frames += protocolFrames(TASK_FRAMES, this, item);
    return frames;
  }

  /** Text of the run at its place. */
  add(offset: number, piece: string): string {
    const before = this.text.length;
    const added = offset > before ? TEXT_SEPARATOR + piece : piece;
    this.text.add(added);
    const { sent } = this;
    if (this.text.length <= sent) return "";
    this.sent = this.text.length;
    const more = sent <= before ? added : this.text.after(sent);
    return sent > 0 ? this.moreText(more) : this.textFrame(more, false);
  }

  /** Text from this place on is no longer true. */
  cut(offset: number): string {
    const kept = this.text.toString().slice(0, offset);
    this.text = new GrowingText(kept);
    if (this.sent <= offset) return "";
    this.sent = offset;
    return this.textFrame(kept, false);
  }

  private textFrame(text: string, append: boolean): string {
    return this.artifact(textArtifact(this.parts.job.id, text), append);
  }

  artifact(artifact: A2aArtifact, append = false): string {
    const { id: taskId, chat_id: contextId } = this.parts.job;
    return this.parts.frame({ artifactUpdate: { taskId, contextId, artifact, append, lastChunk: false } });
  }

  file({ path, ...file }: Omit<Parameters<typeof fileArtifact>[1], "url">): string {
    const url = `/api/workspaces/${this.parts.job.workspace_id ?? ""}/files/content?path=${encodeURIComponent(path)}`;
    return this.artifact(fileArtifact(this.parts.appUrl, { ...file, path, url }));
  }

  /** A task at work, with what it does. */
  working(part?: A2aPart): string {
    const { job, now, frame } = this.parts;
    const message = part === undefined ? {} : { message: taskMessage(job, `${job.id}.${this.seq}`, [part]) };
    const status = { state: "TASK_STATE_WORKING", timestamp: now(), ...message };
    return frame({ statusUpdate: { taskId: job.id, contextId: job.chat_id, status } });
  }

  /** Once all items are read, the record says in which state the task is. */
  changed(): string {
    this.mayHaveChanged = true;
    return "";
  }

  private async status(): Promise<string | null> {
    this.mayHaveChanged = false;
    const read = await this.parts.read();
    // The stream ends, and its client subscribes again.
    if (!read.ok) return this.ended("");
    const job = read.value;
    const state = taskState(job.status, job.blocked_reason);
    if (job.last_seq === this.version || (!isTaskOver(state) && !isTaskWaiting(state))) return "";
    this.version = job.last_seq;
    const update = {
      statusUpdate: { taskId: job.id, contextId: job.chat_id, status: taskStatus(job), metadata: taskMetadata(job) },
    };
    const output = isTaskOver(state) ? outputArtifacts(job).map((one) => this.artifact(one)) : [];
    const frames = output.join("") + this.parts.frame(update);
    return this.isEnough(state) ? this.ended(frames) : frames;
  }

  private ended(frames: string): string {
    this.isDone = true;
    return frames;
  }
}

/** Items that are read even before the place where the client's knowledge ends, because they say where text is. */
const ITEMS_OF_TEXT: ReadonlySet<RunItem["kind"]> = new Set(["text", "restarted"]);

const data = (value: JsonObject): A2aPart => ({ data: value });

/** What a task shows of each item of its run. */
export const TASK_FRAMES: RunTable<TaskStream> = {
  started: (task) => task.working(),
  attempt: () => "",
  text: (task, { offset, text }) => task.add(offset, text),
  restarted: (task, { offset }) => task.cut(offset),
  text_done: () => "",
  reasoning: (task, { text }) => task.working({ text, metadata: { kind: "reasoning" } }),
  tool_call: (task, { id, name, input, by }) =>
    task.working(data({ tool_call: { id, name, arguments: visibleJson(input), by } })),
  tool_result: (task, { callId, content, isError }) =>
    task.working(data({ tool_result: { tool_call_id: callId, content: visibleText(content), is_error: isError } })),
  client_calls: (task) => task.changed(),
  approval: (task) => task.changed(),
  approval_resolved: (task, { approvalId, isApproved }) =>
    task.working(data({ approval: { approval_id: approvalId, decision: isApproved ? "approve" : "deny" } })),
  blocked: (task) => task.changed(),
  resumed: (task) => task.working(),
  usage: () => "",
  file: (task, file) => task.file(file),
  input: () => "",
  status: () => "",
  notice: (task, { text }) => task.working({ text, metadata: { kind: "notice" } }),
  end: (task) => task.changed(),
};
