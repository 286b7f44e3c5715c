/** The reports of the runner's loop, and how they change the job. */
import { addCosts } from "../money.ts";
import { notFound, ok, type Outcome } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { madeBy, withMade } from "./artifacts.ts";
import type { ModelInfo } from "./ports.ts";
import type { MadeArtifact, RunnerInfo } from "./terms.ts";
import { blockedForNeeds } from "./authorizations.ts";
import { withLackingCall } from "./lacking-calls.ts";
import { blockedForCalls, openedCalls, startedCalls } from "./approvals.ts";
import { blockJob, cancelledJob, completeJob, deadlineFrom, failJob } from "./transitions.ts";
import { spentPart } from "./budget.ts";
import { JOB_WARNINGS, type JobLimits } from "./limits.ts";
import { callsLeft, withCallsLeft, withCallsEnded } from "./open-calls.ts";
import { stale } from "./machine.ts";
import { attach } from "../upload/schema.ts";
import { appendJobEvent, appendRunnerStatus, type TranscriptData } from "./events.ts";
import { answeredJob } from "./output.ts";
import type { JobProtocol, RunReport, StepFinished } from "./protocol.ts";
import { isAskedAgain, PARTIAL_ANSWER } from "./partial-answer.ts";
import { type Job, type JobIn, jobTable, jobTokens, type Usage } from "./schema.ts";
import { transcriptEventOf } from "./transcript.ts";
import type { CallDecision } from "./approval-rule.ts";

/** The fields of a model that the record keeps. */
const runnerInfo = ({ provider, name, demo }: ModelInfo): RunnerInfo => ({ provider, name, demo });

export const reportHandlers = ({ runMs }: JobLimits): Pick<Handlers<JobProtocol>, RunReport["kind"]> => ({
  run_started: (tx, { effectId, attempt, runner }) =>
    withRunningJob(tx, { attempt, status: "queued" }, (job) => {
      if (job.runEffectId !== effectId) return stale(job);
      appendJobEvent(tx, "job.started", { attempt, model: `${runner.provider}:${runner.name}` });
      tx.beginText(job.outputMessageId, attempt, "");
      const started: JobIn<"running"> = {
        ...job,
        status: "running",
        runner: runnerInfo(runner),
        startedAt: isoTime(tx.now),
        heartbeatAt: isoTime(tx.now),
        runMs,
        deadlineAt: deadlineFrom(tx, { ...job, runMs }),
      };
      appendRunnerStatus(tx, started, "running");
      return ok(tx.update<Job>(jobTable, started));
    }),

  run_resumed: (tx, { attempt, text }) =>
    withRunning(tx, attempt, (job) => {
      tx.beginText(job.outputMessageId, attempt, text, text.length);
      const living = alive(tx, job);
      appendRunnerStatus(tx, living, "running");
      return ok(tx.update<Job>(jobTable, living));
    }),

  run_text: (tx, { attempt, text }) =>
    withRunning(tx, attempt, (job) => {
      tx.addText(job.outputMessageId, text);
      return ok(null);
    }),

  run_alive: (tx, { attempt, progress }) =>
    withRunning(tx, attempt, (job) => {
      const living = alive(tx, { ...job, progress: progress ?? job.progress });
      appendRunnerStatus(tx, living, (living.waiting ?? null) === null ? "running" : "waiting");
      return ok(tx.update<Job>(jobTable, living));
    }),

  run_logged: (tx, { attempt, level, message }) =>
    withRunning(tx, attempt, (job) => {
      appendJobEvent(tx, "log", { level, message });
      return ok(job);
    }),

  run_waiting: (tx, { attempt, waiting, error, usage }) =>
    withRunning(tx, attempt, (job) => {
      if (error !== null) appendJobEvent(tx, "transcript.event", { kind: "error", text: error });
      const { modelRetries = 0, ...metrics } = metricsAfter(job, usage, null);
      const isRetry = waiting !== null && waiting.retries > 0 && waiting.reason !== "tools_unavailable";
      const next = {
        ...alive(tx, job),
        waiting,
        metrics: { ...metrics, modelRetries: modelRetries + (isRetry ? 1 : 0) },
      };
      appendRunnerStatus(tx, next, waiting === null ? "running" : "waiting");
      return ok(tx.update<Job>(jobTable, next));
    }),

  // A job that waits is excused by its recovery.
  run_handed_over: (tx, { attempt }) =>
    withRunning(tx, attempt, (job) =>
      ok((job.waiting ?? null) === null ? tx.update<Job>(jobTable, excused(job)) : job),
    ),

  step_restarted: (tx, { attempt: before, text }) =>
    withRunning(tx, before, (job) => {
      const attempt = before + 1;
      appendJobEvent(tx, "job.restarted", { attempt });
      tx.beginText(job.outputMessageId, attempt, text, text.length);
      return ok(tx.update<Job>(jobTable, { ...excused(alive(tx, job)), attempt }));
    }),

  run_warned: (tx, { attempt, warnings, runner }) =>
    withRunning(tx, attempt, (job) => {
      for (const { message } of warnings) appendJobEvent(tx, "transcript.event", { kind: "error", text: message });
      const at = isoTime(tx.now);
      const all = [...(job.warnings ?? []), ...warnings.map((warning) => ({ ...warning, at }))].slice(0, JOB_WARNINGS);
      return ok(
        tx.update<Job>(jobTable, {
          ...alive(tx, job),
          warnings: all,
          runner: runner === null ? job.runner : runnerInfo(runner),
        }),
      );
    }),

  take_steers: (tx, { attempt, isSpent, result }) =>
    withRunning(tx, attempt, (job) => {
      if (isSpent || spentPart(job) !== null)
        return ok({ job: tx.update<Job>(jobTable, blockJob(tx, job, "budget_reached", result)), steers: [] });
      const { steers } = job;
      if (steers.length === 0) return ok({ job, steers });
      for (const { content: text, messageId, blocks } of steers) {
        const more = blocks === undefined ? {} : { blocks };
        appendJobEvent(tx, "transcript.event", { kind: "user_text", text, messageId, ...more });
      }
      return ok({ job: tx.update<Job>(jobTable, { ...job, steers: [] }), steers });
    }),

  step_finished: (tx, command) =>
    withRunning(tx, command.attempt, (job) => {
      for (const data of stepEvents(command)) appendJobEvent(tx, "transcript.event", data);
      const metrics = metricsAfter(job, command.usage, command.timeToFirstTokenMs);
      // The last step's usage is in the event that ends the job.
      if (command.calls.length > 0) appendJobEvent(tx, "usage.updated", jobTokens(metrics));
      const stepped = {
        ...alive(tx, job),
        step: command.step,
        stopReason: command.stopReason,
        metrics,
        openCalls: openedCalls(command.calls, isoTime(tx.now)),
        endedCalls: [],
      };
      return ok(tx.update<Job>(jobTable, afterStep(tx, stepped, command)));
    }),

  run_compacted: (tx, { attempt, text, covers, usage }) =>
    withRunning(tx, attempt, (before) => {
      appendJobEvent(tx, "transcript.event", transcriptEventOf({ type: "summary", text, covers }));
      const metrics = metricsAfter(before, usage, null);
      const job = { ...alive(tx, before), metrics };
      if (job.isCompaction === true) return ok(tx.update<Job>(jobTable, completeJob(tx, job, text)));
      appendJobEvent(tx, "usage.updated", jobTokens(metrics));
      return ok(tx.update<Job>(jobTable, job));
    }),

  tools_started: (tx, { attempt, callIds }) =>
    withRunning(tx, attempt, (job) => {
      const calls = callsLeft(job).map((call) => (callIds.includes(call.id) ? { ...call, started: true } : call));
      return ok(tx.update<Job>(jobTable, withCallsLeft(alive(tx, job), calls)));
    }),

  call_lacks_connection: (tx, { attempt, callId, need }) =>
    withRunning(tx, attempt, (job) =>
      ok(tx.update<Job>(jobTable, withLackingCall(tx, alive(tx, job), { callId, need }))),
    ),

  run_lacks_connections: (tx, { attempt, needs, result }) =>
    withRunning(tx, attempt, (job) => ok(tx.update<Job>(jobTable, blockedForNeeds(tx, job, { needs, result })))),

  tools_not_made: (tx, { attempt, callIds }) =>
    withRunning(tx, attempt, (job) => {
      const calls = callsLeft(job).map((call) => (callIds.includes(call.id) ? { ...call, started: false } : call));
      return ok(tx.update<Job>(jobTable, withCallsLeft(job, calls)));
    }),

  tool_finished: (tx, { attempt, callId, content, isError, artifacts: made = [], attachments = [] }) =>
    withRunning(tx, attempt, (before) => {
      const job = withArtifacts(before, made, callId);
      const { chatId, outputMessageId: messageId } = job;
      for (const block of attachments)
        attach(tx, { id: `${messageId}/${tx.id("msg")}`, chatId, messageId, callId }, block);
      const result = { type: "tool_result", tool_use_id: callId, content, is_error: isError } as const;
      appendJobEvent(tx, "transcript.event", transcriptEventOf({ ...result, attachments: [...attachments] }));
      for (const artifact of madeBy(job.artifacts ?? [], callId)) appendJobEvent(tx, "artifact.created", artifact);
      const metrics = { ...job.metrics, toolCalls: job.metrics.toolCalls + 1 };
      const ended = withCallsEnded({ ...alive(tx, job), metrics }, [callId]);
      return ok(tx.update<Job>(jobTable, blockedForCalls(tx, ended)));
    }),

  run_failed(tx, { attempt, error, partial, result, usage, stopReason }) {
    const job = tx.read(jobTable, tx.self.id);
    if (job === null) return notFound("job");
    if (job.attempt !== attempt || (job.status !== "running" && job.status !== "queued")) return stale(job);
    if (partial !== "") appendJobEvent(tx, "transcript.event", transcriptEventOf({ type: "text", text: partial }));
    return ok(
      tx.update<Job>(
        jobTable,
        failJob(
          tx,
          { ...job, metrics: metricsAfter(job, usage, null), ...(stopReason === undefined ? {} : { stopReason }) },
          { error, result },
        ),
      ),
    );
  },

  run_stopped: (tx, { attempt, partial, result, usage }) =>
    withRunningJob(tx, { attempt, status: "cancelling" }, (job) => {
      if (partial !== "") appendJobEvent(tx, "transcript.event", transcriptEventOf({ type: "text", text: partial }));
      return ok(
        tx.update<Job>(jobTable, cancelledJob(tx, { ...job, metrics: metricsAfter(job, usage, null) }, result)),
      );
    }),
});

/** Notes a sign of life of the runner. */
const excused = (job: JobIn<"running">): JobIn<"running"> => ({
  ...job,
  excusedAttempts: (job.excusedAttempts ?? 0) + 1,
});

const alive = (tx: Tx, job: JobIn<"running">): JobIn<"running"> => ({ ...job, heartbeatAt: isoTime(tx.now) });

const withArtifacts = (job: JobIn<"running">, made: readonly MadeArtifact[], callId: string): JobIn<"running"> =>
  made.length === 0 ? job : { ...job, artifacts: [...withMade(job.artifacts ?? [], made, callId)] };

/** Calls `run` with the job if it has this attempt and status; otherwise refuses. */
function withRunningJob<S extends Job["status"], T>(
  tx: Tx,
  { attempt, status }: { readonly attempt: number; readonly status: S },
  run: (job: JobIn<S>) => Outcome<T>,
): Outcome<T> {
  const job = tx.read(jobTable, tx.self.id);
  if (job === null) return notFound("job");
  return job.attempt === attempt && isIn(job, status) ? run(job) : stale(job);
}
const isIn = <S extends Job["status"]>(job: Job, status: S): job is JobIn<S> => job.status === status;

const withRunning = <T>(tx: Tx, attempt: number, run: (job: JobIn<"running">) => Outcome<T>): Outcome<T> =>
  withRunningJob(tx, { attempt, status: "running" }, run);

/**
 * A step without open calls ends the run, unless a message steers it. With a spent budget the job blocks. The calls of
 * other steps run from this commit on.
 */
function afterStep(tx: Tx, job: JobIn<"running">, step: StepFinished): Job {
  const { result } = step;
  // Calls of a partial answer are not made: the model is asked again.
  if (callsLeft(job).length === 0 && !isAskedAgain(step))
    return job.steers.length > 0 ? job : answeredJob(tx, withWarning(tx, job, step), step);
  if (spentPart(job) !== null) return blockJob(tx, job, "budget_reached", result);
  return blockedForCalls(tx, { ...withCallsLeft(job, startedCalls(callsLeft(job))), result });
}

/** A job with a partial answer has a warning. */
function withWarning(tx: Tx, job: JobIn<"running">, { stopReason }: StepFinished): JobIn<"running"> {
  const message = PARTIAL_ANSWER[stopReason];
  if (message === undefined) return job;
  const warning = { code: "answer_cut" as const, message, at: isoTime(tx.now) };
  return { ...job, warnings: [...(job.warnings ?? []), warning].slice(0, JOB_WARNINGS) };
}

/** The blocks of a step; the last one of the model's own says why it stopped, if it was cut. */
function stepEvents({ blocks, calls, stopReason }: StepFinished): TranscriptData[] {
  const decisions = new Map(calls.map(({ block, decision }) => [block.id, decision]));
  const events = blocks.map((block) => withCallDecision(transcriptEventOf(block), decisions));
  if (stopReason === "stop" || stopReason === "tool_use") return events;
  const last = events.findLastIndex(({ kind }) => kind !== "tool_result");
  return events.map((data, at) => (at === last ? { ...data, stopReason } : data));
}

/** The event of a call has what decided about it. */
function withCallDecision(
  data: TranscriptData,
  decisions: ReadonlyMap<string, CallDecision | undefined>,
): TranscriptData {
  const decision = data.kind === "tool_use" ? decisions.get(data.id) : undefined;
  return data.kind === "tool_use" && decision !== undefined ? { ...data, decision } : data;
}

function metricsAfter(job: Job, usage: Usage, timeToFirstTokenMs: number | null): Job["metrics"] {
  return {
    ...job.metrics,
    inputTokens: job.metrics.inputTokens + usage.inputTokens,
    outputTokens: job.metrics.outputTokens + usage.outputTokens,
    ...addCosts(job.metrics, usage),
    timeToFirstTokenMs: job.metrics.timeToFirstTokenMs ?? timeToFirstTokenMs,
  };
}
