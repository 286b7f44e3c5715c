/**
 * A job's events as the frames of v1 (V1-3): text as it is made, then the finished message with all
 * of its blocks, then the result; or an error and no result.
 *
 * Text that was committed but not sent live (the reader or the service lagged) is sent with its event, so the deltas
 * always add up to the text of the message; `restarted` says where a step that began again has said something else
 * (`shown-text.ts`). Clients that do not know it have the text of the whole message, and of the result.
 */
import { visibleJson } from "../../../actors/visible-text.ts";
import { type Block, TEXT_SEPARATOR, contentText } from "../../../actors/job/schema.ts";
import { STOP_REASONS } from "../../../actors/job/stop-reason.ts";
import type { StreamItem, TextDelta } from "../../../actors/runtime/streams/replay.ts";
import type { StoredEvent } from "../../../actors/runtime/store.ts";
import type { Subscription } from "../../../actors/runtime/streams/subscription.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import { type EventSource, type Interruption, QUIET } from "../../http/stream/event-source.ts";
import { sseComment, sseNote, sseTexts } from "../../http/stream/sse.ts";
import type { Execution } from "./beginning.ts";
import { noticeOf, partialNotice, stopReasonOf } from "./schema.ts";
import { type ShownPiece, ShownText } from "../../operations/shown-text.ts";

/** The reader's subscription to the stream of the job. */
type Place = Pick<Subscription, "take" | "nextPage" | "onChange" | "close" | "isLost">;

const errorFrame = (message: string): string => sseNote("error", { message });

/** Sent at once: a connection comment and `meta`. */
export const openingFrames = ({ names, isDemo }: Execution): string =>
  sseComment("connected") + sseNote("meta", { ...names, ...noticeOf(isDemo) });

export class ExecutionFrames implements EventSource {
  private readonly execution: Pick<Execution, "names" | "isDemo">;
  /** There is one reader, and the runner has already joined the text. */
  readonly isImmediate = true;
  private readonly subscription: Place;
  private readonly blocks: Block[] = [];
  private readonly text = new ShownText();
  /** Whether the client was notified that its text has changed. */
  private isAnother = false;
  private attempt = 1;
  private isOver = false;
  /** The end of a blocked execution: written once the reader has caught up, unless the job has gone on by then. */
  private halt: string | null = null;

  constructor(execution: Pick<Execution, "names" | "isDemo">, subscription: Place) {
    this.execution = execution;
    this.subscription = subscription;
  }

  next(): string | typeof QUIET | null | Promise<string | null> {
    const { subscription } = this;
    if (this.isOver) return null;
    if (subscription.isLost) {
      this.isOver = true;
      return this.lastWords("failure");
    }
    const items = subscription.take();
    if (items === null) return subscription.nextPage().then((page) => this.rendered(page));
    if (items.length > 0) return this.rendered(items);
    if (this.halt === null) return QUIET;
    this.isOver = true;
    return this.halt;
  }

  onChange(run: () => void): void {
    this.subscription.onChange(run);
  }

  private rendered(items: readonly StreamItem[]): string {
    let text = "";
    for (const item of items) text += this.render(item);
    return text;
  }

  close(): void {
    this.subscription.close();
  }

  lastWords(reason: Interruption): string {
    return errorFrame(
      reason === "shutdown"
        ? "The service is restarting. The execution continues; its answer will be in the chat"
        : "The stream was interrupted. The execution continues; its answer will be in the chat",
    );
  }

  private render(item: StreamItem): string {
    if (this.isOver) return "";
    return item.kind === "text" ? this.live(item) : this.event(item.event);
  }

  private live({ attempt, position, text }: TextDelta): string {
    if (attempt !== this.attempt) this.restart(attempt);
    return this.shown(this.text.add(text.slice(Math.max(0, this.text.end - (position - text.length)))));
  }

  private shown({ text, position }: ShownPiece): string {
    if (position === null) return textDeltaFrame(text);
    this.isAnother = true;
    return sseNote("message", { messageType: "restarted", position }) + textDeltaFrame(text);
  }

  private event({ type, data }: StoredEvent): string {
    switch (type) {
      case "transcript.event":
        return this.content(data);
      case "job.restarted":
        if (Number(data["attempt"]) !== this.attempt) this.restart(Number(data["attempt"]));
        return "";
      case "job.completed":
        this.isOver = true;
        return this.finished() + this.result(data);
      case "job.failed":
        this.isOver = true;
        return errorFrame(messageOf(data));
      case "job.cancelled":
        this.isOver = true;
        return errorFrame("The execution was cancelled");
      case "job.blocked":
        this.halt = errorFrame(`The execution is blocked: ${textIn(data, "reason").replaceAll("_", " ")}`);
        return "";
      case "job.resumed":
        this.halt = null;
        return "";
      default:
        return "";
    }
  }

  private restart(attempt: number): void {
    this.attempt = attempt;
    this.text.restart();
  }

  private content(data: JsonObject): string {
    const block = blockOf(data);
    if (block === null || block.type === "reasoning") return "";
    this.blocks.push(block);
    if (block.type !== "text") return this.shown(this.text.settle());
    if (block.text === "") return "";
    return this.shown(this.text.commit(this.text.hasCommitted ? TEXT_SEPARATOR + block.text : block.text));
  }

  private finished(): string {
    const end = this.shown(this.text.settle());
    return (
      end +
      sseNote("message", {
        messageType: "assistant",
        message: { role: "assistant", content: this.blocks },
      })
    );
  }

  private result(data: JsonObject): string {
    const usage = (data["usage"] ?? {}) as JsonObject;
    const reason = STOP_REASONS.find((one) => one === data["stopReason"]) ?? null;
    return sseNote("result", {
      ...(this.isAnother ? { result: contentText(this.blocks) } : {}),
      sessionId: this.execution.names.sessionId,
      usage: { input_tokens: Number(usage["inputTokens"] ?? 0), output_tokens: Number(usage["outputTokens"] ?? 0) },
      ...stopReasonOf(reason),
      ...noticeOf(this.execution.isDemo),
      ...partialNotice(reason),
    });
  }
}

const textDelta = sseTexts(
  sseNote("message", { messageType: "stream_event", delta: { type: "text_delta", text: "" } }),
);
const textDeltaFrame = (text: string): string => (text === "" ? "" : textDelta(text));

const textIn = (data: JsonObject, name: string): string => {
  const value = data[name];
  return typeof value === "string" ? value : "";
};

const messageOf = (data: JsonObject): string =>
  textIn((data["error"] ?? {}) as JsonObject, "message") || "The execution failed";

/** The block of a transcript event (`actors/job/transcript.ts`), as v1 shows it. */
function blockOf(data: JsonObject): Block | null {
  const { kind } = data;
  const text = (name: string): string => textIn(data, name);
  if (kind === "assistant_text") return { type: "text", text: text("text") };
  if (kind === "tool_use") {
    return {
      type: "tool_use",
      id: text("id"),
      name: text("name"),
      input: visibleJson((data["input"] ?? {}) as JsonObject),
    };
  }
  if (kind !== "tool_result") return null;
  return {
    type: "tool_result",
    tool_use_id: text("toolUseId"),
    content: text("content"),
    is_error: data["isError"] === true,
  };
}
