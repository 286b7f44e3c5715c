/**
 * Translates the stream of a job into neutral items (`run-item.ts`). One table has an answer for every kind of job
 * event. Text that was committed but not sent live comes with its event, so the pieces always add up to the block.
 *
 *   replay or live ─▶ skipped until the results of `afterCalls` ─▶ items ─▶ client_calls, end: the part is over
 */
import type { JOB_EVENTS, JobEventType, TranscriptData } from "../../../actors/job/events.ts";
import { type Job, type JobTokens, TEXT_SEPARATOR } from "../../../actors/job/schema.ts";
import type { StreamItem } from "../../../actors/runtime/streams/replay.ts";
import type { JsonObject, Static } from "../../../actors/schema.ts";
import { type ShownPiece, ShownText } from "../../operations/shown-text.ts";
import { clientNames } from "./client-tools.ts";
import type { RunItem } from "./run-item.ts";

/** The part of a run that a request follows. */
export interface RunPart {
  readonly jobId: string;
  /** Begins after the results of these calls, in place of the run's start. */
  readonly afterCalls?: readonly string[];
  /** The same by number: after the client's results have come so many times. */
  readonly afterRounds?: number;
}

const NO_TOKENS: JobTokens = { inputTokens: 0, outputTokens: 0 };
const NO_RUN_ITEMS: readonly RunItem[] = [];

type JobEventItems = {
  readonly [K in JobEventType]: (run: RunTranslation, data: Static<(typeof JOB_EVENTS)[K]>) => readonly RunItem[];
};
type TranscriptItems = {
  readonly [K in TranscriptData["kind"]]: (
    run: RunTranslation,
    data: Extract<TranscriptData, { readonly kind: K }>,
  ) => readonly RunItem[];
};

export class RunTranslation {
  /** The client's own names of its tools. */
  readonly clientTools: ReadonlyMap<string, string>;
  /** The arguments of calls: events leave out long ones. */
  readonly inputs = new Map<string, JsonObject>();
  private readonly awaited: Set<string>;
  private awaitedRounds: number;
  private isInRound = false;
  private readonly text = new ShownText();
  private attempt = 1;
  private block = 0;
  /** Where the block begins in all text; -1: it has no text yet. */
  private blockStart = -1;
  /** The text of the block as it was shown. */
  private shown = "";
  /** Units of a separator before the block that have not come yet. */
  private separator = 0;
  private tokens = NO_TOKENS;
  /** Tokens of the run before this part. */
  private before = NO_TOKENS;

  constructor(job: Pick<Job, "agent">, { afterCalls = [], afterRounds = 0 }: Omit<RunPart, "jobId">) {
    this.clientTools = clientNames(job.agent);
    this.awaited = new Set(afterCalls);
    this.awaitedRounds = afterRounds;
  }

  /** The items of one entry of the stream. */
  itemsOf(item: StreamItem): readonly RunItem[] {
    const isBefore = this.awaited.size > 0 || this.awaitedRounds > 0;
    const items = item.kind === "text" ? this.live(item) : this.event(item.event);
    return isBefore ? NO_RUN_ITEMS : items;
  }

  private live({ attempt, position, text }: Extract<StreamItem, { readonly kind: "text" }>): readonly RunItem[] {
    const items = attempt === this.attempt ? [] : this.restart(attempt);
    return [
      ...items,
      ...this.shownItems(this.text.add(text.slice(Math.max(0, this.text.end - (position - text.length))))),
    ];
  }

  private event({ type, data }: Extract<StreamItem, { readonly kind: "event" }>["event"]): readonly RunItem[] {
    const entry = JOB_EVENT_ITEMS[type as JobEventType] as
      | ((run: RunTranslation, data: JsonObject) => readonly RunItem[])
      | undefined;
    // A newer replica may write kinds of events that this one does not know.
    return entry?.(this, data) ?? NO_RUN_ITEMS;
  }

  restart(attempt: number): RunItem[] {
    if (attempt === this.attempt) return [];
    this.attempt = attempt;
    this.text.restart();
    return [{ kind: "attempt", attempt }];
  }

  /** A block of text is committed. */
  commit({
    text,
    citations = [],
  }: {
    readonly text: string;
    readonly citations?: Parameters<typeof doneItem>[2] | undefined;
  }): readonly RunItem[] {
    if (text === "") return NO_RUN_ITEMS;
    const items = this.shownItems(this.text.commit(this.text.hasCommitted ? TEXT_SEPARATOR + text : text));
    // Text after this block was shown as part of it: both end together.
    if (this.text.hasTail) return items;
    const done = doneItem(this.block, this.shown, citations);
    this.closeBlock();
    return [...items, done];
  }

  /** Nothing more of the running attempt belongs to the text that was shown. */
  settle(): readonly RunItem[] {
    return this.shownItems(this.text.settle());
  }

  private closeBlock(): void {
    this.block++;
    this.blockStart = -1;
    this.shown = "";
  }

  private shownItems({ text, position }: ShownPiece): readonly RunItem[] {
    const items: RunItem[] = [];
    if (position !== null && this.blockStart >= 0) {
      const at = Math.max(0, position - this.blockStart);
      this.shown = this.shown.slice(0, at);
      items.push({ kind: "restarted", block: this.block, at, offset: this.blockStart + at, kept: this.shown });
    }
    const added = this.withoutSeparator(text);
    if (added === "") return items;
    const at = this.shown.length;
    this.shown += added;
    return [...items, { kind: "text", block: this.block, at, offset: this.blockStart + at, text: added }];
  }

  /** The blank line before a block belongs to no block. */
  private withoutSeparator(text: string): string {
    if (text === "") return "";
    if (this.blockStart < 0) {
      this.separator = this.text.hasCommitted ? TEXT_SEPARATOR.length : 0;
      this.blockStart = this.text.end - text.length + this.separator;
    }
    const skipped = Math.min(this.separator, text.length);
    this.separator -= skipped;
    return text.slice(skipped);
  }

  /** The run waits for the client's results. */
  waitsForClient(): void {
    this.isInRound = true;
  }

  /** The run goes on; if it has waited for the client, a round is over. */
  goesOn(): void {
    if (!this.isInRound) return;
    this.isInRound = false;
    if (this.awaitedRounds > 0 && --this.awaitedRounds === 0) this.before = this.tokens;
  }

  /** The results of a call are there. */
  answered(callId: string): void {
    if (!this.awaited.delete(callId) || this.awaited.size > 0) return;
    this.before = this.tokens;
  }

  used(tokens: JobTokens): JobTokens {
    this.tokens = tokens;
    return this.usage;
  }

  /** Tokens of this part. */
  get usage(): JobTokens {
    const { tokens, before } = this;
    const of = (name: Exclude<keyof JobTokens, "cost">): number =>
      Math.max(0, (tokens[name] ?? 0) - (before[name] ?? 0));
    return {
      inputTokens: of("inputTokens"),
      outputTokens: of("outputTokens"),
      cachedInputTokens: of("cachedInputTokens"),
      cacheWriteTokens: of("cacheWriteTokens"),
    };
  }
}

const doneItem = (
  block: number,
  text: string,
  citations: Extract<RunItem, { readonly kind: "text_done" }>["citations"],
): RunItem => ({
  kind: "text_done",
  block,
  text,
  citations,
});

const TRANSCRIPT_ITEMS: TranscriptItems = {
  assistant_text: (run, data) => run.commit(data),
  reasoning: (_, { text }) => (text === "" ? NO_RUN_ITEMS : [{ kind: "reasoning", text }]),
  user_text: (_, { text, messageId = null, blocks = [] }) => [{ kind: "input", messageId, text, blocks }],
  tool_use(run, { id, name, input }) {
    run.inputs.set(id, input);
    const by = run.clientTools.has(name) ? "client" : "agent";
    return [...run.settle(), { kind: "tool_call", id, name: run.clientTools.get(name) ?? name, input, by }];
  },
  tool_result(run, { toolUseId, content, isError, attachments = [] }) {
    run.answered(toolUseId);
    return [{ kind: "tool_result", callId: toolUseId, content, isError, attachments }];
  },
  repair: () => [{ kind: "notice", level: "info", text: "The answer does not fit its schema and is repaired" }],
  summary: () => [{ kind: "notice", level: "info", text: "Earlier parts of the conversation were summarized" }],
  system: (_, { text }) => [{ kind: "notice", level: "info", text }],
  error: (_, { text }) => [{ kind: "notice", level: "warn", text }],
};

/** What each kind of job event is in the neutral sequence. */
export const JOB_EVENT_ITEMS: JobEventItems = {
  "job.created": () => NO_RUN_ITEMS,
  "job.started": (_, { attempt, model }) => [{ kind: "started", attempt, model }],
  "job.restarted": (run, { attempt }) => run.restart(attempt),
  "job.blocked"(run, { reason, toolCalls = [] }) {
    if (reason !== "tool_result_required") return [{ kind: "blocked", reason }];
    const calls = toolCalls.map(({ id, name, arguments: given }) => ({
      id,
      name: run.clientTools.get(name) ?? name,
      arguments: run.inputs.get(id) ?? given ?? {},
    }));
    run.waitsForClient();
    return [{ kind: "client_calls", calls, usage: run.usage }];
  },
  "job.resumed"(run, { attempt }) {
    run.goesOn();
    return [...run.restart(attempt), { kind: "resumed" }];
  },
  "job.review_requested": () => [{ kind: "blocked", reason: "review" }],
  // The decisions about calls have events of their own.
  "job.approved": () => NO_RUN_ITEMS,
  "job.denied": () => NO_RUN_ITEMS,
  "job.iteration_requested": () => NO_RUN_ITEMS,
  "job.cancelling": () => NO_RUN_ITEMS,
  "job.completed": (run, { usage, stopReason = null }) => [
    ...run.settle(),
    { kind: "end", status: "completed", stopReason, usage: run.used(usage), error: null },
  ],
  "job.failed": (run, { error, usage, stopReason = null }) => [
    { kind: "end", status: "failed", stopReason, usage: run.used(usage), error },
  ],
  "job.cancelled": (run, { usage }) => [
    { kind: "end", status: "cancelled", stopReason: null, usage: run.used(usage), error: null },
  ],
  "runner.status": (_, { state, reason = null, retryAt = null }) => [{ kind: "status", state, reason, retryAt }],
  "transcript.event": (run, data) => {
    const entry = TRANSCRIPT_ITEMS[data.kind] as (run: RunTranslation, data: TranscriptData) => readonly RunItem[];
    return entry(run, data);
  },
  log: (_, { level, message }) => [{ kind: "notice", level, text: message }],
  "usage.updated": (run, tokens) => [{ kind: "usage", usage: run.used(tokens) }],
  "artifact.created": (_, { id, name, path, mime, size }) => [{ kind: "file", id, name, path, mime, size }],
  "approval.requested": (
    _,
    { approvalId, toolCallId: callId, toolName: name, arguments: given, message, expiresAt },
  ) => [{ kind: "approval", approvalId, callId, name, arguments: given, message, expiresAt }],
  "approval.resolved": (_, { approvalId, toolCallId: callId, decision, arguments: given = null }) => [
    { kind: "approval_resolved", approvalId, callId, isApproved: decision === "approve", arguments: given },
  ],
  "review.updated": () => NO_RUN_ITEMS,
  // `job.failed` says the same.
  error: () => NO_RUN_ITEMS,
};
