/** One attempt of one job, from its start to its end or its abort. See `execution.ts` for the loop. */
import { inSchemaOrder } from "../../canonical-json.ts";
import type { ChatCommand } from "../../chat/protocol.ts";
import type { EffectContext } from "../../runtime/outputs/effects.ts";
import type { EffectRow } from "../../runtime/store.ts";
import type { RunServices } from "./services.ts";
import {
  type CheckedOutput,
  type ModelOutcome,
  NO_TOOLBOX,
  type OutputPort,
  type Toolbox,
  type TranscriptEntry,
} from "../ports.ts";
import { NO_HISTORY, type ProgressReport } from "../protocol.ts";
import { RunContext } from "./run-context.ts";
import { turnEndOf, turnStartOf } from "./turn-end.ts";
import { isWaiting } from "../client-call.ts";
import { callsLeft } from "../open-calls.ts";
import { Pulse } from "./pulse.ts";
import { Reporter, RunOver } from "./reporter.ts";
import { RunCalls, shownStart } from "./calls.ts";
import { ModelCalls, type ModelPrompt } from "./model-calls.ts";
import { RunReading } from "./reading.ts";
import { RunWait } from "./run-wait.ts";
import { NOTHING_OPEN, openTools } from "./tool-opening.ts";
import { keptCitations } from "../citation.ts";
import { outputInstruction, repairRequest } from "../output.ts";
import { isAskedAgain, missingAnswer } from "../partial-answer.ts";
import { type Block, type Job, NO_USAGE, type RunError, type Usage, outputSchemaOf, contentText } from "../schema.ts";
import type { StopReason } from "../stop-reason.ts";
import { namesTool } from "../terms.ts";
import { Transcript } from "./transcript.ts";
import { callsOf, keptStep } from "./step-calls.ts";
import type { StartedJob } from "./early-start.ts";
import type { JobSlot } from "./job-slot.ts";
import type { ProviderLimits } from "./provider-limits.ts";

type Finished = Extract<ModelOutcome, { readonly kind: "finished" }>;

/** The inputs of a run: the effect, its epoch, and its job slot. */
export interface RunStart {
  readonly effect: EffectRow;
  readonly context: EffectContext;
  readonly slot: JobSlot;
  readonly limits: ProviderLimits;
  /** The early start of the job in the commit of its message, if any. */
  readonly started: Promise<StartedJob | null> | null;
}

export class JobRun {
  private readonly parts: RunServices;
  private readonly effect: EffectRow;
  private readonly context: EffectContext;
  private readonly started: RunStart["started"];
  private readonly reporter: Reporter;
  private readonly pulse: Pulse;
  private readonly reading: RunReading;
  private readonly calls: RunCalls;
  private readonly wait: RunWait;
  private readonly models: ModelCalls;
  private readonly abort = new AbortController();
  private transcript = new Transcript();
  private passedDeadline = false;
  /** Text and tokens of a step that no accepted report contains yet. */
  private unreported = { text: "", usage: NO_USAGE };
  private toolbox = NO_TOOLBOX;
  private runContext: RunContext | null = null;

  constructor(parts: RunServices, { effect, context, slot, limits, started }: RunStart) {
    this.started = started;
    this.parts = parts;
    this.effect = effect;
    this.context = context;
    this.reporter = new Reporter(parts, effect, context);
    const { reporter } = this;
    this.pulse = new Pulse(
      parts.clock,
      () => reporter.attempt,
      (command) => reporter.mention(command),
    );
    this.wait = new RunWait(parts.clock, { reporter, slot });
    this.models = new ModelCalls(parts, { reporter, wait: this.wait, limits });
    this.reading = new RunReading(parts, effect, context);
    this.calls = new RunCalls(parts, { reporter, pulse: this.pulse, slot });
  }

  private get attempt(): number {
    return this.reporter.attempt;
  }
  private get job(): Job {
    return this.reporter.job;
  }

  /** Runs to the end. A bug in the run fails the job with `internal_error`; rejects if the job cannot be told its end. */
  async go(): Promise<void> {
    const stop = (): void => this.abort.abort();
    this.context.signal.addEventListener("abort", stop, { once: true });
    if (this.context.signal.aborted) stop();
    let cancelDeadline = (): void => {};
    try {
      const isFirstTurn = await this.begin();
      const left = Date.parse(this.job.deadlineAt ?? this.job.createdAt) - this.parts.clock.now();
      cancelDeadline = this.parts.clock.after(Math.max(0, left), () => {
        this.passedDeadline = true;
        stop();
      });
      this.pulse.start();
      await this.work(isFirstTurn);
    } catch (cause) {
      this.pulse.stop();
      await this.onFault(cause);
    } finally {
      cancelDeadline();
      this.pulse.stop();
      // Aborts tools that still run beside the one that ended the run.
      stop();
      this.context.signal.removeEventListener("abort", stop);
    }
  }

  /** Ends a run that was aborted before it had a slot. Rejects as `go`. */
  async abandon(): Promise<void> {
    await this.onFault(new RunOver());
  }

  private async onFault(cause: unknown): Promise<void> {
    if (cause instanceof RunOver) return this.leave();
    this.parts.log.error({ err: cause, job: this.effect.actorId }, "a run failed");
    const error: RunError = { code: "internal_error", message: "The run failed inside the service" };
    try {
      await this.endTwice("", "a failed run could not be reported", () => this.fail(error, "", NO_USAGE));
    } catch (again) {
      if (again instanceof RunOver) return this.leave();
      throw again;
    }
  }

  /**
   * Reports the end of the run. If the store refuses that, which it may because of the text, the end is reported with
   * what is stored already. Rejects if that is refused too: then the effect is recovered, so that no job stays without
   * a loop.
   */
  private async endTwice(partial: string, message: string, end: (partial: string) => Promise<void>): Promise<void> {
    try {
      return await end(partial);
    } catch (cause) {
      if (cause instanceof RunOver) throw cause;
      this.parts.log.error({ err: cause, job: this.effect.actorId }, message);
    }
    this.transcript = await this.reading.transcript();
    await end("");
  }

  /**
   * Ends without the job's end. A job that is being cancelled refuses every report except `run_stopped`. One that the
   * next owner continues has not caused that, so its attempt is excused.
   */
  private async leave(): Promise<void> {
    try {
      const { status, attempt } = await this.reporter.read();
      if (attempt !== this.attempt) return;
      if (status === "running" && this.context.isHandedOver())
        await this.reporter.report({ kind: "run_handed_over", attempt }, () => []);
      if (status !== "cancelling") return;
      this.transcript = await this.reading.transcript();
      const { text, usage } = this.unreported;
      await this.endTwice(text, "the stop of a run could not be reported", (partial) =>
        this.end({ kind: "run_stopped", attempt, partial, result: this.withPartial(partial), usage }),
      );
    } catch (again) {
      if (!(again instanceof RunOver)) throw again;
    }
  }

  /** Starts the job, or continues a restarted or resumed one; returns whether its turn is the chat's first. */
  private async begin(): Promise<boolean> {
    const started = await this.started;
    if (started !== null) return this.reporter.adopt(started);
    const job = await this.reporter.read();
    return job.status === "queued" ? this.start(job) : this.resume(job);
  }

  /** Answers the message or, in a job that compacts, writes the summary. */
  private async work(isFirstTurn: boolean): Promise<void> {
    const { reporter, wait, models } = this;
    const { signal } = this.abort;
    const isCompaction = this.job.isCompaction === true;
    const [history, tools] = await Promise.all([
      isFirstTurn ? NO_HISTORY : this.reading.history(this.job.chatId, signal),
      isCompaction ? NOTHING_OPEN : openTools(this.parts, { reporter, wait }, signal),
    ]);
    if (history === null || tools.kind === "aborted") return this.stopped("", null);
    if (tools.kind === "unavailable") {
      await this.fail(tools.error, "", NO_USAGE);
      throw new RunOver();
    }
    if (tools.kind === "lacking") {
      const { attempt, transcript } = this;
      return this.end({ kind: "run_lacks_connections", attempt, needs: tools.needs, result: transcript.text });
    }
    this.toolbox = tools.toolbox;
    const spends = (usage: Usage): void => void (this.unreported = { text: "", usage });
    this.runContext = new RunContext(this.parts, { reporter, models, spends }, history, this.transcript);
    if (!isCompaction) return this.loop(this.runContext);
    const failed = await this.runContext.compactChat(signal);
    if (failed !== null) return this.stopped("", failed);
  }

  private async start({ agent }: Job): Promise<boolean> {
    const model = this.parts.models.describe(agent.model);
    if (!model.ok) {
      const message = model.fault.kind === "provider_error" ? model.fault.message : "No model can be used";
      await this.fail({ code: "model_unavailable", message }, "", NO_USAGE);
      throw new RunOver();
    }
    const command = {
      kind: "run_started",
      effectId: this.effect.id,
      attempt: this.attempt,
      runner: model.value,
    } as const;
    const reply = await this.reporter.report(command, (job) => [turnStartOf(job)]);
    return reply?.isFirstTurn ?? false;
  }

  private async resume({ id: jobId, outputMessageId: messageId }: Job): Promise<boolean> {
    const { attempt } = this;
    this.transcript = await this.reading.transcript(this.abort.signal);
    const { text } = this.transcript;
    await this.reporter.report({ kind: "run_resumed", attempt, text }, () => [
      { kind: "turn_resumed", jobId, messageId, attempt, text },
    ]);
    return false;
  }

  private async loop(context: RunContext): Promise<void> {
    // A resumed run first makes the open calls: lost in a crash, or approved.
    const open = callsToMake(this.job);
    if (open.length > 0) await this.calls.start(open, this.transcript);
    await this.useTools();
    if (this.job.status !== "running") return;
    // The job decides whether a budget of steps is spent: it blocks then, and does not fail.
    const most = this.job.budget.maxSteps === null ? (this.job.agent.maxSteps ?? this.parts.steps) : Infinity;
    for (let step = this.job.step + 1; step <= most; step++) {
      await this.takeSteers();
      if (this.job.status !== "running") return;
      await this.step(step, context);
      if (this.job.status !== "running") return;
      await this.useTools();
      if (this.job.status !== "running") return;
    }
    await this.fail({ code: "step_limit", message: "The run reached its limit of steps" }, "", NO_USAGE);
  }

  /** Adds steering messages to the next model call, if the budget allows one. */
  private async takeSteers(): Promise<void> {
    const { transcript } = this;
    const { hasKnownCost } = this.models;
    const steers = await this.reporter.takeSteers(transcript.text, hasKnownCost, (job) => this.turnAfter(job));
    for (const { content: text, messageId, blocks } of steers)
      transcript.add({ type: "user_text", text, messageId, blocks });
  }

  /** Makes one model call and commits it with its tool calls; ends the run if there are none, or if it failed. */
  private async step(step: number, context: RunContext): Promise<void> {
    const prompt = (entries: ModelPrompt["entries"]): ModelPrompt => jobPrompt(this.job, this.toolbox, entries);
    const { outcome, timeToFirstTokenMs } = await context.call(prompt, this.abort.signal);
    if (outcome.kind !== "finished") return this.stopped(outcome.partialText, outcome);
    await this.finishStep(step, outcome, timeToFirstTokenMs);
  }

  private async finishStep(step: number, outcome: Finished, timeToFirstTokenMs: number | null): Promise<void> {
    const { attempt, transcript } = this;
    const { finishReason: stopReason, usage } = outcome;
    const { blocks, calls: made } = keptStep(step, transcript.blocks, outcome.blocks, stopReason);
    const calls =
      made.length === 0 ? [] : await callsOf(made, this.toolbox, this.job, this.abort.signal, this.parts.ruleChecks);
    if (calls === null) return this.stopped(contentText(blocks), null, outcome.usage);
    const isOver = calls.length === 0 && !isAskedAgain({ stopReason, blocks });
    const lacking = isOver ? missingAnswer(stopReason, blocks) : null;
    if (lacking !== null) {
      await this.fail(lacking, "", usage, stopReason);
      throw new RunOver();
    }
    const output = !isOver ? undefined : await checkedOutput(this.parts.outputs, this.job, blocks, this.abort.signal);
    if (output === null) return this.stopped(contentText(blocks), null, usage);
    transcript.add(...blocks);
    this.unreported = { text: contentText(blocks), usage };
    const { outputRepairs = 0 } = this.job;
    const finished = {
      kind: "step_finished",
      attempt,
      step,
      blocks,
      calls,
      usage,
      stopReason,
      timeToFirstTokenMs,
    } as const;
    const citations = !isOver ? [] : keptCitations(transcript.citations);
    const report = { ...finished, result: transcript.text, citations, ...(output === undefined ? {} : { output }) };
    await this.reporter.report(report, (job) => [
      ...this.turnAfter(job),
      ...shownStart(job.id, startedBy(job), transcript),
    ]);
    this.unreported = { text: "", usage: NO_USAGE };
    // The commit of the answer contains the same request.
    if (output?.kind === "invalid" && (this.job.outputRepairs ?? 0) > outputRepairs)
      transcript.add({ type: "repair", text: repairRequest(output.errors) });
  }

  private async useTools(): Promise<void> {
    const { abort, transcript } = this;
    const calls = callsToMake(this.job);
    if (calls.length === 0) return;
    const targets = { tools: this.toolbox, transcript, turnAfter: (job: Job) => this.turnAfter(job) };
    if (!(await this.calls.make(calls, targets, abort.signal))) await this.stopped("", null);
  }

  /** Ends the run after a fault of the model, the deadline, a cancel, or the end of the process. */
  private async stopped(
    partial: string,
    outcome: Exclude<ModelOutcome, Finished> | null,
    used = NO_USAGE,
  ): Promise<never> {
    const usage = outcome?.usage ?? used;
    this.unreported = { text: partial, usage };
    if (this.passedDeadline)
      await this.fail({ code: "timeout", message: "The run reached its time limit" }, partial, usage);
    else if (outcome?.kind === "failed") await this.fail(outcome.error, partial, usage);
    else
      await this.end({ kind: "run_stopped", attempt: this.attempt, partial, result: this.withPartial(partial), usage });
    throw new RunOver();
  }

  private async fail(error: RunError, partial: string, usage: Usage, stopReason?: StopReason): Promise<void> {
    const report = { kind: "run_failed", attempt: this.attempt, error, partial, usage } as const;
    const stop = stopReason === undefined ? {} : { stopReason };
    await this.end({ ...report, result: this.withPartial(partial), ...stop });
  }

  private withPartial(partial: string): string {
    if (partial !== "") this.transcript.add({ type: "text", text: partial });
    return this.transcript.text;
  }

  private async end(report: ProgressReport): Promise<void> {
    await this.reporter.report(report, (job) => this.turnAfter(job));
  }

  /** The end of the chat's turn if the job is settled; nothing while it runs. */
  private turnAfter(job: Job): readonly ChatCommand[] {
    const { transcript } = this;
    const content = { blocks: transcript.blocks, interjections: transcript.interjections(job.inputMessageId) };
    return turnEndOf(job, content, this.runContext?.measured ?? null);
  }
}

/** The open calls that wait for nobody. */
const callsToMake = (job: Job) => callsLeft(job).filter((call) => !isWaiting(call));

/** The calls that the commit of their step has started. */
const startedBy = (job: Job) => (job.status === "running" ? callsToMake(job) : []);

/** The agent's instructions with the run's additions, the conversation, and the tools. */
function jobPrompt(job: Job, { tools, notes }: Toolbox, entries: readonly TranscriptEntry[]): ModelPrompt {
  const schema = outputSchemaOf(job);
  const outputSchema = schema === null ? null : inSchemaOrder(schema);
  const wanted = outputSchema === null ? [] : [outputInstruction(outputSchema)];
  const system = [job.agent.systemPrompt, ...notes, ...wanted].join("\n\n");
  return { system, entries, tools, outputSchema, ...cacheField(job, tools) };
}

/** What the provider's cache is asked to keep of the chat. */
function cacheField({ agent, chatId }: Job, tools: Toolbox["tools"]): Pick<ModelPrompt, "cache"> {
  const { cache = "auto", approvalTools } = agent;
  if (cache === "off") return {};
  const pauses = tools.some(({ name }) => namesTool(approvalTools, name));
  return { cache: { key: chatId, lifetime: cache === "auto" ? null : cache, pauses } };
}

/** Whether an answer fits the job's schema; undefined without a schema, null if `signal` aborts first. */
async function checkedOutput(
  outputs: OutputPort,
  job: Job,
  blocks: readonly Block[],
  signal: AbortSignal,
): Promise<CheckedOutput | null | undefined> {
  const schema = outputSchemaOf(job);
  if (schema === null) return undefined;
  return outputs.check({ organizationId: job.organizationId, schema, text: contentText(blocks) }, signal);
}
