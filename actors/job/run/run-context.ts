/**
 * Builds a run's model calls: the conversation, kept within the model's window (CHAT-8, CHAT-11).
 *
 *   call ─▶ fits? ── no ──▶ compact ─▶ model ─┬─ answered ─▶ its count is the measure of the next one
 *             └── yes ───────────────▶        └─ too long ─▶ compact, and retry once
 *
 * A compaction is one commit of the job and its chat. If the model fails to write the summary, its failure is the
 * outcome of the call.
 */
import type { ContextMeasure } from "../../chat/schema.ts";
import type { ModelOutcome } from "../ports.ts";
import type { ChatHistory } from "../protocol.ts";
import { modelSettingsOf, type Usage, NO_USAGE } from "../schema.ts";
import { summarize, type Summary } from "./compaction.ts";
import { ContextWindow, windowWithAnswer } from "./context-window.ts";
import { type Cut, RunConversation } from "./conversation.ts";
import type { ModelCalls, ModelPrompt } from "./model-calls.ts";
import type { Reporter } from "./reporter.ts";
import type { RunServices } from "./services.ts";
import type { Transcript } from "./transcript.ts";
import { turnEndOf } from "./turn-end.ts";

/** A chat with this many messages is compacted, however short they are. */
export const COMPACTED_MESSAGES = 800;
/** The share of the window that the conversation has after a compaction. */
const KEPT_CONVERSATION_PART = 0.4;
/** The messages that a chat with many short ones keeps after a compaction. */
const KEPT_MESSAGES = 200;
const NOTHING_TO_COMPACT = "There is nothing to compact.";

interface ContextParts {
  readonly reporter: Reporter;
  readonly models: ModelCalls;
  /** Receives the tokens for the next report; that report may be refused. */
  readonly spends: (usage: Usage) => void;
}

/** A call's outcome after all retries and compactions. */
interface Called {
  readonly outcome: ModelOutcome;
  readonly timeToFirstTokenMs: number | null;
}
/** Why no summary was written. */
type Unwritten = Exclude<Summary, { readonly kind: "written" }>;

export class RunContext {
  private readonly run: ContextParts;
  private readonly window: ContextWindow;
  private readonly transcript: Transcript;
  private readonly conversation: RunConversation;
  private readonly history: ChatHistory;

  constructor(services: Pick<RunServices, "models">, run: ContextParts, history: ChatHistory, transcript: Transcript) {
    const { job } = run.reporter;
    this.run = run;
    this.history = history;
    this.transcript = transcript;
    this.conversation = new RunConversation(history, { text: job.input, blocks: job.inputBlocks }, transcript);
    const window = services.models.windowOf(job.agent.model);
    this.window = new ContextWindow(windowWithAnswer(window, modelSettingsOf(job)), history.measured);
  }

  /** The measure of the newest counted call. */
  get measured(): ContextMeasure | null {
    return this.window.measured;
  }

  /** Calls the model. Throws `RunOver` if the job has moved on. */
  async call(promptWith: (entries: ModelPrompt["entries"]) => ModelPrompt, signal: AbortSignal): Promise<Called> {
    const prompt = (): ModelPrompt => ({ ...promptWith(this.conversation.entries), ...this.conversation.uncut });
    const ask = (asked: ModelPrompt) => this.run.models.call(asked, this.transcript.text, signal);
    let asked = prompt();
    const hasMany = this.conversation.messages >= COMPACTED_MESSAGES;
    if (hasMany || !this.window.fits(asked)) {
      const failed = await this.compact(signal, hasMany ? KEPT_MESSAGES : Infinity);
      if (failed !== null) return { outcome: failed, timeToFirstTokenMs: null };
      asked = prompt();
    }
    let called = await ask(asked);
    const { outcome } = called;
    if (outcome.kind === "failed" && outcome.error.code === "context_length_exceeded") {
      this.window.wasTooLong(asked);
      if (this.cut() === null) return called;
      const failed = await this.compact(signal);
      if (failed !== null) return { outcome: failed, timeToFirstTokenMs: null };
      asked = prompt();
      called = await ask(asked);
    }
    if (called.outcome.kind === "finished") this.window.note(asked, called.outcome.usage);
    return called;
  }

  /** Writes the summary that ends a job that compacts; null when done. */
  async compactChat(signal: AbortSignal): Promise<Unwritten | null> {
    const { reporter } = this.run;
    const { id: jobId, input, outputMessageId: messageId } = reporter.job;
    const cut = this.conversation.allTurns;
    const summary = cut === null ? this.present : await this.summaryOf(cut, input, signal);
    if (summary.kind !== "written") return summary;
    const { text, usage } = summary;
    const { attempt } = reporter;
    const stands = cut === null ? null : { jobId, messageId, text, usage, ...this.conversation.standsFor(cut) };
    await reporter.report({ kind: "run_compacted", attempt, text, covers: 0, usage }, (job) => [
      ...(stands === null ? [] : [{ kind: "turns_compacted" as const, ...stands }]),
      ...turnEndOf(job, { blocks: [{ type: "text", text }] }),
    ]);
    return null;
  }

  private get present(): Summary {
    return { kind: "written", text: this.history.summary?.text ?? NOTHING_TO_COMPACT, usage: NO_USAGE };
  }

  private cut(messages = Infinity): Cut | null {
    const { window, conversation } = this;
    return conversation.cut(window.bytesFor(window.limitTokens * KEPT_CONVERSATION_PART), messages);
  }

  /** Replaces the older part of the conversation by a summary, if any part can be replaced. */
  private async compact(signal: AbortSignal, messages?: number): Promise<Unwritten | null> {
    const { conversation, transcript } = this;
    const { reporter } = this.run;
    const cut = this.cut(messages);
    if (cut === null) return null;
    const summary = await this.summaryOf(cut, "", signal);
    if (summary.kind !== "written") return summary;
    const { text, usage } = summary;
    const { attempt } = reporter;
    const stands = { jobId: reporter.job.id, messageId: null, text, usage, ...conversation.standsFor(cut) };
    await reporter.report({ kind: "run_compacted", attempt, text, covers: cut.parts, usage }, () =>
      cut.turns === 0 ? [] : [{ kind: "turns_compacted", ...stands }],
    );
    this.run.spends(NO_USAGE);
    transcript.add({ type: "summary", text, covers: cut.parts });
    conversation.take(cut, text);
    return null;
  }

  private async summaryOf(cut: Cut, wish: string, signal: AbortSignal): Promise<Summary> {
    const { conversation, window } = this;
    const material = { earlier: conversation.told, pieces: conversation.piecesOf(cut), wish };
    const summary = await summarize(material, { models: this.run.models, window }, signal);
    if (summary.kind === "written") this.run.spends(summary.usage);
    return summary;
  }
}
