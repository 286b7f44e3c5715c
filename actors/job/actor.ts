/**
 * The job's actor: one execution of an agent's turn. It decides; the runner's loop (`execution.ts`)
 * does. Every report of the loop carries the attempt: one of an older attempt is refused, so a loop
 * that has outlived its job can do no harm.
 */
import { assert } from "../assert.ts";
import { ok, notFound, type Outcome, refuse } from "../fault.ts";
import type { ActorDefinition, Handlers, Tx } from "../runtime/actor.ts";
import { isoTime, type JsonObject } from "../schema.ts";
import { afterTrigger, type JobTrigger, recoveryOf } from "./machine.ts";
import type { JobProtocol } from "./protocol.ts";
import { JOB_ATTEMPTS, JOB_DEADLINE_MS, type Job, type JobStatus, jobTable, type RunError, type Usage } from "./schema.ts";
import { transcriptEventOf } from "./transcript.ts";

export const jobActor: ActorDefinition<JobProtocol> = {
  kind: "job",
  stream: jobTable,
  needs: (ref) => [{ table: jobTable.name, id: ref.id }],
  handlers: jobHandlers(),
};

function jobHandlers(): Handlers<JobProtocol> {
  return {
    read_job: (tx) => withJob(tx, null, (job) => ok(job)),

    start: (tx) =>
      withJob(tx, null, (job) => {
        if (job.status === "queued") tx.effect(tx.self, "run", { attempt: job.attempt });
        return ok(null);
      }),

    run_started: (tx, { attempt, runner }) =>
      move(tx, attempt, "begin", (job, status) => {
        tx.append("job.started", { attempt, model: `${runner.provider}:${runner.name}` });
        tx.beginText(job.outputMessageId, attempt, "");
        const startedAt = isoTime(tx.now);
        return { ...job, status, runner: { ...runner }, startedAt, deadlineAt: isoTime(tx.now + JOB_DEADLINE_MS) };
      }),

    run_text: (tx, { attempt, text }) =>
      withJob(tx, attempt, (job) => {
        tx.addText(job.outputMessageId, text);
        return ok(null);
      }),

    step_finished: (tx, command) =>
      withJob(tx, command.attempt, (job) => {
        for (const block of command.blocks) tx.append("transcript.event", transcriptEventOf(block));
        const metrics = metricsAfter(job, command.usage, command.timeToFirstTokenMs);
        const next = { ...job, step: command.step, openCalls: [...command.calls], metrics };
        return ok(tx.update(jobTable, command.final === null ? next : complete(tx, next, command.final)));
      }),

    tool_finished: (tx, { attempt, callId, content, isError }) =>
      withJob(tx, attempt, (job) => {
        const block = { type: "tool_result", tool_use_id: callId, content, is_error: isError } as const;
        tx.append("transcript.event", transcriptEventOf(block));
        const metrics = { ...job.metrics, toolCalls: job.metrics.toolCalls + 1 };
        const openCalls = job.openCalls.filter((call) => call.id !== callId);
        return ok(tx.update(jobTable, { ...job, openCalls, metrics }));
      }),

    run_failed: (tx, { attempt, effectId, error, partial, result, usage }) =>
      move(tx, attempt, "fail", (job, status) => {
        tx.settle(effectId);
        if (partial !== "") tx.append("transcript.event", transcriptEventOf({ type: "text", text: partial }));
        const metrics = metricsAfter(job, usage, null);
        return fail(tx, { ...job, status, metrics, result }, error);
      }),

    recover(tx, { effectId, result }) {
      const job = tx.read(jobTable, tx.self.id);
      tx.settle(effectId);
      if (job === null) return notFound("job");
      const recovery = recoveryOf(job, JOB_ATTEMPTS);
      const recovered = recover(tx, job, recovery.kind, result);
      return ok({ job: recovered, recovery });
    },
  };
}

/** Runs on a job of this attempt that has not ended; `attempt` null takes any. */
function withJob<T>(tx: Tx, attempt: number | null, run: (job: Job) => Outcome<T>): Outcome<T> {
  const job = tx.read(jobTable, tx.self.id);
  if (job === null) return notFound("job");
  if (attempt !== null && (job.attempt !== attempt || job.status !== "running")) return stale(job);
  return run(job);
}

/** Moves the job by the machine, or refuses what its status does not allow. */
function move(tx: Tx, attempt: number, trigger: JobTrigger, change: (job: Job, status: JobStatus) => Job): Outcome<Job> {
  const job = tx.read(jobTable, tx.self.id);
  if (job === null) return notFound("job");
  const status = afterTrigger(job.status, trigger);
  if (status === null || job.attempt !== attempt) return stale(job);
  return ok(tx.update(jobTable, change(job, status)));
}

const stale = (job: Job): Outcome<never> =>
  refuse({ kind: "invalid_state", status: job.status, allowedActions: [], message: `The job is ${job.status}` });

function recover(tx: Tx, job: Job, decision: "rerun" | "restart" | "interrupted" | "exhausted" | "over", text: string): Job {
  switch (decision) {
    case "over":
      return job;
    case "rerun":
      tx.effect(tx.self, "run", { attempt: job.attempt });
      return job;
    case "restart": {
      const attempt = job.attempt + 1;
      tx.append("job.restarted", { attempt });
      tx.beginText(job.outputMessageId, attempt, text);
      tx.effect(tx.self, "run", { attempt });
      return tx.update(jobTable, { ...job, attempt });
    }
    case "interrupted":
      tx.append("job.blocked", { reason: "interrupted" });
      return tx.update(jobTable, { ...job, status: "blocked", blockedReason: "interrupted", result: text });
    case "exhausted": {
      const message = `The run was interrupted ${JOB_ATTEMPTS} times and is given up`;
      const failed = fail(tx, { ...job, status: "failed", result: text }, { code: "attempts_exhausted", message });
      return tx.update(jobTable, failed);
    }
  }
}

function complete(tx: Tx, job: Job, { effectId, result }: { effectId: string; result: string }): Job {
  const status = afterTrigger(job.status, "complete");
  assert(status !== null, "a running job can be completed");
  tx.settle(effectId);
  return end(tx, { ...job, status, result }, "job.completed", {});
}

function fail(tx: Tx, job: Job, error: RunError): Job {
  const detail: JsonObject = { code: error.code, message: error.message };
  return end(tx, { ...job, error }, "job.failed", { error: detail });
}

/** The terminal event is the last of the stream, and nobody gets live text after it. */
function end(tx: Tx, job: Job, event: string, data: JsonObject): Job {
  const durationMs = job.startedAt === null ? null : tx.now - Date.parse(job.startedAt);
  const metrics = { ...job.metrics, durationMs };
  const { inputTokens, outputTokens } = metrics;
  tx.append(event, { ...data, usage: { inputTokens, outputTokens } });
  tx.endText(job.outputMessageId);
  return { ...job, metrics, openCalls: [], completedAt: isoTime(tx.now) };
}

function metricsAfter(job: Job, usage: Usage, timeToFirstTokenMs: number | null): Job["metrics"] {
  return {
    ...job.metrics,
    inputTokens: job.metrics.inputTokens + usage.inputTokens,
    outputTokens: job.metrics.outputTokens + usage.outputTokens,
    timeToFirstTokenMs: job.metrics.timeToFirstTokenMs ?? timeToFirstTokenMs,
  };
}
