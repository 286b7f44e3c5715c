/**
 * Translates the stream of a job into neutral items (`run-item.ts`). One table has an answer for every kind of job
 * event. Text that was committed but not sent live comes with its event, so the pieces always add up to the block.
 *
 *   replay or live ─▶ skipped until the results of `afterCalls` ─▶ items ─▶ client_calls, end: the part is over
 */
import { GrowingText } from "../../../actors/growing-text.ts";
import type { JOB_EVENTS, JobEventType, TranscriptData } from "../../../actors/job/events.ts";
import { type Job, type JobTokens, TEXT_SEPARATOR } from "../../../actors/job/schema.ts";
import type { StreamItem } from "../../../actors/runtime/streams/replay.ts";
import type { JsonObject, Static } from "../../../actors/schema.ts";
import { type ShownPiece, ShownText } from "../../operations/shown-text.ts";
import { clientNames } from "./client-tools.ts";
import type { RunApproval, RunItem } from "./run-item.ts";

/** The part of a run that a request follows. */
export interface RunPart {
  readonly jobId: string;
  /** Begins after the results of these calls, in place of the run's start. */
  readonly afterCalls?: readonly string[];
  /** The same by number: after the client's results, or its decisions, have come so many times. */
  readonly afterRounds?: number;
  /** Whether the client decides approvals: then a part ends where some are asked for. Absent: it waits for them. */
  readonly endsAtApprovals?: boolean;
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
  /** Whether a part ends where approvals are asked for. */
  readonly endsAtApprovals: boolean;
  /** Calls for which an approval was asked since the last wait, by their ids. */
  readonly asked = new Map<string, RunApproval>();
  private awaitedRounds: number;
  private isInRound = false;
  /** The calls whose approvals the run waits for, and their results as far as they come before it goes on. */
  private readonly inQuestion = new Map<string, { readonly call: RunApproval; results: readonly RunItem[] }>();
  private readonly text = new ShownText();
  private attempt = 1;
  private block = 0;
  /** Where the block begins in all text; -1: it has no text yet. */
  private blockStart = -1;
  /** The text of the block as it was shown. */
  private shown = new GrowingText();
  /** Units of a separator before the block that have not come yet. */
  private separator = 0;
  private tokens = NO_TOKENS;
  /** Tokens of the run before this part. */
  private before = NO_TOKENS;

  constructor(
    job: Pick<Job, "agent">,
    { afterCalls = [], afterRounds = 0, endsAtApprovals = false }: Omit<RunPart, "jobId">,
  ) {
    this.clientTools = clientNames(job.agent);
    this.awaited = new Set(afterCalls);
    this.awaitedRounds = afterRounds;
    this.endsAtApprovals = endsAtApprovals;
  }

  /** The items of one entry of the stream. */
  itemsOf(item: StreamItem): readonly RunItem[] {
    const awaitsCalls = this.awaited.size > 0;
    const items = item.kind === "text" ? this.live(item) : this.event(item.event);
    return awaitsCalls || this.awaitedRounds > 0 ? NO_RUN_ITEMS : items;
  }

  private live({ attempt, position, text }: Extract<StreamItem, { readonly kind: "text" }>): readonly RunItem[] {
    const restarted = this.restart(attempt);
    const shown = this.shownItems(this.text.add(text.slice(Math.max(0, this.text.end - (position - text.length)))));
    return restarted.length === 0 ? shown : [...restarted, ...shown];
  }

  private event({ type, data }: Extract<StreamItem, { readonly kind: "event" }>["event"]): readonly RunItem[] {
    const entry = JOB_EVENT_ITEMS[type as JobEventType] as
      | ((run: RunTranslation, data: JsonObject) => readonly RunItem[])
      | undefined;
    // A newer replica may write kinds of events that this one does not know.
    return entry?.(this, data) ?? NO_RUN_ITEMS;
  }

  restart(attempt: number): readonly RunItem[] {
    if (attempt === this.attempt) return NO_RUN_ITEMS;
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
    const done = doneItem(this.block, this.shown.toString(), citations);
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
    this.shown = new GrowingText();
  }

  private shownItems({ text, position }: ShownPiece): readonly RunItem[] {
    const items: RunItem[] = [];
    if (position !== null && this.blockStart >= 0) {
      const at = Math.max(0, position - this.blockStart);
      const kept = this.shown.toString().slice(0, at);
      this.shown = new GrowingText(kept);
      items.push({ kind: "restarted", block: this.block, at, offset: this.blockStart + at, kept });
    }
    const added = this.withoutSeparator(text);
    if (added === "") return items;
    const at = this.shown.length;
    this.shown.add(added);
    items.push({ kind: "text", block: this.block, at, offset: this.blockStart + at, text: added });
    return items;
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

  /** The run waits for the client's decisions. */
  waitsForDecisions(): readonly RunApproval[] {
    this.isInRound = true;
    const approvals = [...this.asked.values()];
    this.asked.clear();
    for (const call of approvals) this.inQuestion.set(call.callId, { call, results: [] });
    return approvals;
  }

  /** A call in question is made with these arguments in place of the model's. */
  changed(callId: string, given: JsonObject): void {
    const found = this.inQuestion.get(callId);
    if (found !== undefined) this.inQuestion.set(callId, { ...found, call: { ...found.call, arguments: given } });
  }

  /** The run goes on; if it has waited for the client, a round is over. The calls in question are in the next part. */
  goesOn(): readonly RunItem[] {
    if (!this.isInRound) return NO_RUN_ITEMS;
    this.isInRound = false;
    if (this.awaitedRounds > 0 && --this.awaitedRounds === 0) this.before = this.tokens;
    const calls = [...this.inQuestion.values()];
    this.inQuestion.clear();
    return calls.flatMap(({ call: { callId: id, name, arguments: input, approvalId }, results }): RunItem[] => [
      { kind: "tool_call", id, name, input, by: "agent", approvalId },
      ...results,
    ]);
  }

  /** Keeps a result for the next part, if its call is in question: that of a denied one comes before the run goes on. */
  keepResult(callId: string, result: RunItem): void {
    const found = this.inQuestion.get(callId);
    if (found !== undefined) found.results = [result];
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
    const result = { kind: "tool_result", callId: toolUseId, content, isError, attachments } as const;
    run.keepResult(toolUseId, result);
    return [result];
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
  "job.blocked"(run, { reason, toolCalls = [], authorizations }) {
    // A run whose approvals are decided may wait for its client at once, without going on.
    const before = run.goesOn();
    if (reason === "approval_required" && run.endsAtApprovals)
      return [...before, { kind: "client_calls", calls: [], approvals: run.waitsForDecisions(), usage: run.usage }];
    if (reason !== "tool_result_required")
      return [...before, { kind: "blocked", reason, ...(authorizations === undefined ? {} : { authorizations }) }];
    const calls = toolCalls.map(({ id, name, arguments: given }) => ({
      id,
      name: run.clientTools.get(name) ?? name,
      arguments: run.inputs.get(id) ?? given ?? {},
    }));
    run.waitsForClient();
    return [...before, { kind: "client_calls", calls, usage: run.usage }];
  },
  "job.resumed"(run, { attempt }) {
    const before = run.goesOn();
    return [...run.restart(attempt), { kind: "resumed" }, ...before];
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
  "approval.requested"(run, { approvalId, toolCallId: callId, toolName: name, arguments: given, message, expiresAt }) {
    if (run.endsAtApprovals) run.asked.set(callId, { approvalId, callId, name, arguments: given });
    return [{ kind: "approval", approvalId, callId, name, arguments: given, message, expiresAt }];
  },
  "approval.updated": () => NO_RUN_ITEMS,
  "approval.resolved"(run, { approvalId, toolCallId: callId, decision, arguments: given = null }) {
    if (given !== null) run.changed(callId, given);
    return [{ kind: "approval_resolved", approvalId, callId, isApproved: decision === "approve", arguments: given }];
  },
  "review.updated": () => NO_RUN_ITEMS,
  // `job.failed` says the same.
  error: () => NO_RUN_ITEMS,
};
