/** What the runner's loop reports, and what the job makes of it. */
import { notFound, ok, type Outcome } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { opened, waiting } from "./approvals.ts";
import { blocked, cancelled, completed, deadlineFrom, failed, moved } from "./ending.ts";
import type { JobLimits } from "./limits.ts";
import { stale } from "./refusals.ts";
import { appendJobEvent, appendRunnerStatus } from "./events.ts";
import type { JobProtocol } from "./protocol.ts";
import { hasSpentBudget, type Job, jobTable, type Usage } from "./schema.ts";
import { transcriptEventOf } from "./transcript.ts";

type Report =
  | "run_started"
  | "run_resumed"
  | "run_text"
  | "run_alive"
  | "run_logged"
  | "take_steers"
  | "step_finished"
  | "tools_started"
  | "tool_finished"
  | "run_failed"
  | "run_stopped";

export const reportHandlers = ({ runMs }: JobLimits): Pick<Handlers<JobProtocol>, Report> => ({
  run_started: (tx, { attempt, runner }) =>
    withJob(tx, { attempt, status: "queued" }, (job) => {
      appendJobEvent(tx, "job.started", { attempt, model: `${runner.provider}:${runner.name}` });
      tx.beginText(job.outputMessageId, attempt, "");
      const deadlineAt = deadlineFrom(tx, { ...job, runMs });
      const started = {
        ...job,
        status: moved(job, "begin"),
        runner: { ...runner },
        startedAt: isoTime(tx.now),
        heartbeatAt: isoTime(tx.now),
        runMs,
        deadlineAt,
      };
      appendRunnerStatus(tx, started, "running");
      return ok(tx.update(jobTable, started));
    }),

  run_resumed: (tx, { attempt, text }) =>
    withJob(tx, { attempt }, (job) => {
      tx.beginText(job.outputMessageId, attempt, text, text.length);
      const living = alive(tx, job);
      appendRunnerStatus(tx, living, "running");
      return ok(tx.update(jobTable, living));
    }),

  run_text: (tx, { attempt, text }) =>
    withJob(tx, { attempt }, (job) => {
      tx.addText(job.outputMessageId, text);
      return ok(null);
    }),

  run_alive: (tx, { attempt, progress }) =>
    withJob(tx, { attempt }, (job) => {
      const living = alive(tx, { ...job, progress: progress ?? job.progress });
      appendRunnerStatus(tx, living, "running");
      return ok(tx.update(jobTable, living));
    }),

  run_logged: (tx, { attempt, level, message }) =>
    withJob(tx, { attempt }, (job) => {
      appendJobEvent(tx, "log", { level, message });
      return ok(job);
    }),

  take_steers: (tx, { attempt, isSpent, result }) =>
    withJob(tx, { attempt }, (job) => {
      if (isSpent) return ok({ job: tx.update(jobTable, blocked(tx, job, "budget_reached", result)), steers: [] });
      const steers = job.steers.map((steer) => steer.content);
      if (steers.length === 0) return ok({ job, steers });
      for (const { content, messageId } of job.steers)
        appendJobEvent(tx, "transcript.event", { kind: "user_text", text: content, messageId });
      return ok({ job: tx.update(jobTable, { ...job, steers: [] }), steers });
    }),

  step_finished: (tx, command) =>
    withJob(tx, command, (job) => {
      for (const block of command.blocks) appendJobEvent(tx, "transcript.event", transcriptEventOf(block));
      const metrics = metricsAfter(job, command.usage, command.timeToFirstTokenMs);
      // The last step's usage is in the event that ends the job.
      if (command.calls.length > 0)
        appendJobEvent(tx, "usage.updated", { inputTokens: metrics.inputTokens, outputTokens: metrics.outputTokens });
      const stepped = {
        ...alive(tx, job),
        step: command.step,
        metrics,
        openCalls: opened(command.calls, isoTime(tx.now)),
      };
      return ok(tx.update(jobTable, afterStep(tx, stepped, command.result)));
    }),

  tools_started: (tx, { attempt, callIds }) =>
    withJob(tx, { attempt }, (job) => {
      const openCalls = job.openCalls.map((call) => (callIds.includes(call.id) ? { ...call, started: true } : call));
      return ok(tx.update(jobTable, { ...alive(tx, job), openCalls }));
    }),

  tool_finished: (tx, { attempt, callId, content, isError }) =>
    withJob(tx, { attempt }, (job) => {
      appendJobEvent(
        tx,
        "transcript.event",
        transcriptEventOf({ type: "tool_result", tool_use_id: callId, content, is_error: isError }),
      );
      const metrics = { ...job.metrics, toolCalls: job.metrics.toolCalls + 1 };
      const openCalls = job.openCalls.filter((call) => call.id !== callId);
      return ok(tx.update(jobTable, waiting(tx, { ...alive(tx, job), openCalls, metrics })));
    }),

  run_failed(tx, { attempt, error, partial, result, usage }) {
    const job = tx.read(jobTable, tx.self.id);
    if (job === null) return notFound("job");
    if (job.attempt !== attempt || (job.status !== "running" && job.status !== "queued")) return stale(job);
    if (partial !== "") appendJobEvent(tx, "transcript.event", transcriptEventOf({ type: "text", text: partial }));
    return ok(tx.update(jobTable, failed(tx, { ...job, result, metrics: metricsAfter(job, usage, null) }, error)));
  },

  run_stopped: (tx, { attempt, partial, result, usage }) =>
    withJob(tx, { attempt, status: "cancelling" }, (job) => {
      if (partial !== "") appendJobEvent(tx, "transcript.event", transcriptEventOf({ type: "text", text: partial }));
      return ok(tx.update(jobTable, cancelled(tx, { ...job, result, metrics: metricsAfter(job, usage, null) })));
    }),
});

/** The runner has just been heard. */
const alive = (tx: Tx, job: Job): Job => ({ ...job, heartbeatAt: isoTime(tx.now) });

/** Runs on a job of this attempt in this status (running unless it says otherwise), or refuses. */
function withJob<T>(
  tx: Tx,
  where: { readonly attempt: number; readonly status?: Job["status"] },
  run: (job: Job) => Outcome<T>,
): Outcome<T> {
  const job = tx.read(jobTable, tx.self.id);
  if (job === null) return notFound("job");
  if (job.attempt !== where.attempt || job.status !== (where.status ?? "running")) return stale(job);
  return run(job);
}

/** Without calls the run is over, unless somebody has spoken meanwhile; with a used-up budget it waits. */
function afterStep(tx: Tx, job: Job, result: string): Job {
  if (job.openCalls.length === 0) return job.steers.length > 0 ? job : completed(tx, job, result);
  if (hasSpentBudget(job)) return blocked(tx, job, "budget_reached", result);
  return waiting(tx, { ...job, result });
}

function metricsAfter(job: Job, usage: Usage, timeToFirstTokenMs: number | null): Job["metrics"] {
  return {
    ...job.metrics,
    inputTokens: job.metrics.inputTokens + usage.inputTokens,
    outputTokens: job.metrics.outputTokens + usage.outputTokens,
    timeToFirstTokenMs: job.metrics.timeToFirstTokenMs ?? timeToFirstTokenMs,
  };
}
