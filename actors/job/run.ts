/** One attempt of one job, from its start to its end or its abort. See `execution.ts` for the loop. */
import { chatRef } from "../chat/schema.ts";
import type { ChatCommand, TurnEnd } from "../chat/protocol.ts";
import { isPassing, type Outcome } from "../fault.ts";
import type { EffectContext } from "../runtime/effects.ts";
import type { EffectRow } from "../runtime/store.ts";
import type { MemberStep } from "../runtime/turns.ts";
import type { ExecutionParts } from "./execution.ts";
import type { ModelInfo, ModelOutcome, TranscriptEntry } from "./ports.ts";
import type { JobCommand } from "./protocol.ts";
import { type Block, type Job, JOB_STEPS, jobRef, type RunError, textOf, type ToolUseBlock, type Usage } from "./schema.ts";

/** Messages of the chat that go into a model call, newest first counted. */
export const HISTORY_MESSAGES = 200;
type Finished = Extract<ModelOutcome, { readonly kind: "finished" }>;
const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0 };

/** Between two tries of a report that nobody could take: a full mailbox, a lease that has lapsed for a moment. */
const REPORT_RETRY_MS = 200;

/** Thrown inside the loop when a report was refused or the run was aborted: there is nobody to tell. */
class RunOver extends Error {}

export class Run {
  private readonly parts: ExecutionParts;
  private readonly effect: EffectRow;
  private readonly context: EffectContext;
  private readonly attempt: number;
  private readonly abort = new AbortController();
  private job!: Job;
  /** Content that is committed. */
  private blocks: Block[] = [];
  private passedDeadline = false;
  /** Text that waits for the text before it to be shown. */
  private untold = "";
  private textShown: Promise<void> = Promise.resolve();

  constructor(parts: ExecutionParts, effect: EffectRow, context: EffectContext) {
    this.parts = parts;
    this.effect = effect;
    this.context = context;
    this.attempt = typeof effect.intent["attempt"] === "number" ? effect.intent["attempt"] : 1;
  }

  /** Runs to the end. Never rejects: a bug in here fails the job with `internal_error`. */
  async go(): Promise<void> {
    const stop = (): void => this.abort.abort();
    this.context.signal.addEventListener("abort", stop, { once: true });
    if (this.context.signal.aborted) stop();
    let cancelDeadline = (): void => {};
    try {
      const entries = await this.begin();
      const left = Date.parse(this.job.deadlineAt ?? this.job.createdAt) - this.parts.clock.now();
      cancelDeadline = this.parts.clock.after(Math.max(0, left), () => {
        this.passedDeadline = true;
        stop();
      });
      await this.loop(entries);
    } catch (cause) {
      await this.fallen(cause);
    } finally {
      cancelDeadline();
      // Tools that still run beside the one that ended the run work for nobody.
      stop();
      this.context.signal.removeEventListener("abort", stop);
    }
  }

  private async fallen(cause: unknown): Promise<void> {
    if (cause instanceof RunOver) return;
    this.parts.log.error({ err: cause, job: this.effect.actorId }, "a run failed");
    const error: RunError = { code: "internal_error", message: "The run failed inside the service" };
    await this.fail(error, "", NO_USAGE).catch((again: unknown) => {
      if (!(again instanceof RunOver)) this.parts.log.error({ err: again }, "a failed run could not be reported");
    });
  }

  /** Starts the job, or goes on with a restarted one; answers the conversation before its own turn. */
  private async begin(): Promise<TranscriptEntry[]> {
    const { models, transcripts } = this.parts;
    const { organizationId, actorId: jobId } = this.effect;
    const [job] = await this.report({ kind: "read_job" });
    this.job = job as Job;
    let isFirstTurn = false;
    if (this.job.status === "queued") {
      const model = models.describe(this.job.agent.model);
      if (!model.ok) throw await this.refuseModel(model.fault.kind === "provider_error" ? model.fault.message : "No model");
      isFirstTurn = await this.start(model.value);
    } else this.blocks = [...(await transcripts.blocks(organizationId, jobId))];
    const { chatId, inputMessageId: beforeMessageId } = this.job;
    const history = isFirstTurn
      ? []
      : await transcripts.history({ organizationId, chatId, beforeMessageId, limit: HISTORY_MESSAGES });
    const entries = history.map(
      (m): TranscriptEntry =>
        m.role === "user" ? { role: "user", text: m.content } : { role: "assistant", blocks: m.blocks },
    );
    return [...entries, { role: "user", text: this.job.input }];
  }

  private async start(runner: ModelInfo): Promise<boolean> {
    const { effect, attempt } = this;
    const { id: jobId, outputMessageId: messageId, inputMessageId } = this.job;
    const [job, turn] = await this.report(
      { kind: "run_started", effectId: effect.id, attempt, runner },
      { kind: "turn_started", jobId, inputMessageId, messageId, attempt },
    );
    this.job = job as Job;
    return (turn as { isFirstTurn: boolean }).isFirstTurn;
  }

  private async refuseModel(message: string): Promise<RunOver> {
    await this.fail({ code: "model_unavailable", message }, "", NO_USAGE);
    return new RunOver();
  }

  private async loop(entries: readonly TranscriptEntry[]): Promise<void> {
    await this.finishOpenCalls();
    for (let step = this.job.step + 1; step <= JOB_STEPS; step++) {
      const calls = await this.step(step, entries);
      if (calls.length === 0) return;
      await Promise.all(calls.map((call) => this.useTool(step, call)));
    }
    await this.fail({ code: "step_limit", message: `The run reached its limit of ${JOB_STEPS} steps` }, "", NO_USAGE);
  }

  /** One model call. Answers the tool calls that it made; without any, or when it failed, the run is over. */
  private async step(step: number, entries: readonly TranscriptEntry[]): Promise<readonly ToolUseBlock[]> {
    const { models, tools, clock } = this.parts;
    const { agent } = this.job;
    const from = clock.monotonic();
    let timeToFirstTokenMs: number | null = null;
    const own: TranscriptEntry[] = this.blocks.length > 0 ? [{ role: "assistant", blocks: [...this.blocks] }] : [];
    const outcome = await models.call(
      { model: agent.model, system: agent.systemPrompt, entries: [...entries, ...own], tools: tools.available(agent.allowedTools) },
      (text) => {
        timeToFirstTokenMs ??= clock.monotonic() - from;
        this.tell(text);
      },
      this.abort.signal,
    );
    if (outcome.kind !== "finished") return this.stopped(outcome);
    return this.finishStep(step, outcome, timeToFirstTokenMs);
  }

  /** Commits the step; a step without tool calls ends the run in the same commit. */
  private async finishStep(step: number, outcome: Finished, timeToFirstTokenMs: number | null) {
    const { effect, attempt, blocks } = this;
    const calls = outcome.blocks.filter((block) => block.type === "tool_use");
    blocks.push(...outcome.blocks);
    const isFinal = calls.length === 0;
    const [job] = await this.report(
      {
        kind: "step_finished",
        attempt,
        step,
        blocks: outcome.blocks,
        calls: calls.map(({ id, name }) => ({ id, name, safe: this.parts.tools.isSafeToRepeat(name) })),
        usage: outcome.usage,
        timeToFirstTokenMs,
        final: isFinal ? { effectId: effect.id, result: textOf(blocks) } : null,
      },
      isFinal ? this.turnEnded({ status: "completed" }, outcome.usage) : undefined,
    );
    this.job = job as Job;
    return calls;
  }

  private async stopped(outcome: Exclude<ModelOutcome, { kind: "finished" }>): Promise<never> {
    const usage = outcome.kind === "failed" ? outcome.usage : NO_USAGE;
    if (this.passedDeadline) await this.fail(OUT_OF_TIME, outcome.partialText, usage);
    else if (outcome.kind === "failed") await this.fail(outcome.error, outcome.partialText, usage);
    throw new RunOver();
  }

  /** A restarted run first makes the calls again whose results were lost; all of them are safe. */
  private async finishOpenCalls(): Promise<void> {
    const open = new Set(this.job.openCalls.map((call) => call.id));
    const calls = this.blocks.filter((block) => block.type === "tool_use" && open.has(block.id)) as ToolUseBlock[];
    await Promise.all(calls.map((call) => this.useTool(this.job.step, call)));
  }

  private async useTool(step: number, call: ToolUseBlock): Promise<void> {
    const { organizationId, createdBy: userId, agent, id: jobId } = this.job;
    const { id: callId, name } = call;
    await this.report(null, { kind: "tool_started", jobId, callId, name });
    const result = await this.parts.tools.call(
      {
        name,
        input: call.input,
        idempotencyKey: `${jobId}:${step}:${callId}`,
        context: { organizationId, userId, agentId: agent.id, jobId },
        allowedTools: agent.allowedTools,
      },
      this.abort.signal,
    );
    if (this.abort.signal.aborted) {
      if (this.passedDeadline) await this.fail(OUT_OF_TIME, "", NO_USAGE);
      throw new RunOver();
    }
    const { content, isError } = result;
    const [job] = await this.report(
      { kind: "tool_finished", attempt: this.attempt, callId, content, isError },
      { kind: "tool_ended", jobId, callId, isError },
    );
    this.job = job as Job;
    this.blocks.push({ type: "tool_result", tool_use_id: callId, content, is_error: isError });
  }

  private async fail(error: RunError, partial: string, usage: Usage): Promise<void> {
    const { effect, attempt } = this;
    if (partial !== "") this.blocks.push({ type: "text", text: partial });
    const result = textOf(this.blocks);
    await this.report(
      { kind: "run_failed", attempt, effectId: effect.id, error, partial, result, usage },
      this.turnEnded({ status: "failed", error }, usage),
    );
  }

  private turnEnded(end: TurnEnd, last: Usage): ChatCommand {
    const { id: jobId, inputMessageId, outputMessageId: messageId, metrics } = this.job;
    const usage = {
      inputTokens: metrics.inputTokens + last.inputTokens,
      outputTokens: metrics.outputTokens + last.outputTokens,
    };
    return { kind: "turn_ended", jobId, inputMessageId, messageId, end, blocks: [...this.blocks], usage };
  }

  /**
   * One atomic group of the job and its chat, after all text that came before it. Throws `RunOver`
   * when it was refused.
   */
  private async report(job: JobCommand | null, chat?: ChatCommand): Promise<readonly unknown[]> {
    await this.textShown;
    const outcome = await this.dispatch(job, chat);
    if (!outcome.ok) throw new RunOver();
    return outcome.value;
  }

  /** Goes on until somebody has decided, or the run is aborted: a job must not be left without its loop. */
  private async dispatch(job: JobCommand | null, chat?: ChatCommand): Promise<Outcome<readonly unknown[]>> {
    const { organizationId, actorId } = this.effect;
    const members: MemberStep[] = [];
    if (job !== null) members.push({ ref: jobRef(organizationId, actorId), command: job });
    if (chat !== undefined) members.push({ ref: chatRef(organizationId, this.job.chatId), command: chat });
    for (;;) {
      const outcome = await this.parts.group(members, { epoch: this.context.epoch });
      if (outcome.ok || !isPassing(outcome.fault) || this.context.signal.aborted) return outcome;
      await new Promise<void>((resolve) => this.parts.clock.after(REPORT_RETRY_MS, resolve));
    }
  }

  /**
   * Shows text to the readers. While the text before it waits for a commit, what comes is joined, so
   * that a fast model and a slow database cost one waiting command and not thousands.
   */
  private tell(text: string): void {
    if (text === "") return;
    this.untold += text;
    if (this.untold.length === text.length) this.textShown = this.textShown.then(() => this.show());
  }

  private async show(): Promise<void> {
    const text = this.untold;
    this.untold = "";
    const { attempt } = this;
    const { outputMessageId: messageId } = this.job;
    try {
      // A refusal is found by the next report; the text itself is in the step that it belongs to.
      await this.dispatch({ kind: "run_text", attempt, text }, { kind: "turn_text", messageId, text });
    } catch (err) {
      this.parts.log.error({ err, job: this.job.id }, "text could not be shown");
    }
  }
}

const OUT_OF_TIME: RunError = { code: "timeout", message: "The run reached its time limit" };
