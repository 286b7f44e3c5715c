/** What the runner's loop reports, and what the job makes of it. */
import { notFound, ok, type Outcome, refuse } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { blocked, cancelled, completed, failed, moved } from "./ending.ts";
import { allowedActions } from "./machine.ts";
import type { JobProtocol, StepCall } from "./protocol.ts";
import { type Approval, DECISION_MS, JOB_DEADLINE_MS, type Job, jobTable, type Usage } from "./schema.ts";

type Report =
  | "run_started" | "run_resumed" | "run_text" | "take_steers" | "step_finished" | "tools_started" | "tool_finished" | "run_failed" | "run_stopped";

export const reportHandlers: Pick<Handlers<JobProtocol>, Report> = {
  run_started: (tx, { attempt, runner }) =>
    withJob(tx, { attempt, status: "queued" }, (job) => {
      tx.append("job.started", { attempt, model: `${runner.provider}:${runner.name}` });
      tx.beginText(job.outputMessageId, attempt, "");
      const limitMs = tx.now + JOB_DEADLINE_MS;
      const wantedMs = job.budget.deadlineAt === null ? limitMs : Date.parse(job.budget.deadlineAt);
      const deadlineAt = isoTime(Math.min(limitMs, wantedMs));
      const started = { ...job, status: moved(job, "begin"), runner: { ...runner }, startedAt: isoTime(tx.now), deadlineAt };
      return ok(tx.update(jobTable, started));
    }),

  run_resumed: (tx, { attempt, text }) =>
    withJob(tx, { attempt }, (job) => {
      tx.beginText(job.outputMessageId, attempt, text);
      return ok(job);
    }),

  run_text: (tx, { attempt, text }) =>
    withJob(tx, { attempt }, (job) => {
      tx.addText(job.outputMessageId, text);
      return ok(null);
    }),

  take_steers: (tx, { attempt }) =>
    withJob(tx, { attempt }, (job) => {
      const steers = job.steers.map((steer) => steer.content);
      if (steers.length === 0) return ok({ job, steers });
      for (const { content, messageId } of job.steers) tx.append("transcript.event", { kind: "user_text", text: content, messageId });
      return ok({ job: tx.update(jobTable, { ...job, steers: [] }), steers });
    }),

  step_finished: (tx, command) =>
    withJob(tx, command, (job) => {
      for (const { text } of command.texts) tx.append("transcript.event", { kind: "assistant_text", text });
      for (const { block } of command.calls) {
        tx.append("transcript.event", { kind: "tool_use", id: block.id, name: block.name, input: block.input });
      }
      const metrics = metricsAfter(job, command.usage, command.timeToFirstTokenMs);
      // The last step's usage is in the event that ends the job.
      if (command.calls.length > 0) tx.append("usage.updated", { inputTokens: metrics.inputTokens, outputTokens: metrics.outputTokens });
      const stepped = asked(tx, { ...job, step: command.step, metrics }, command.calls);
      return ok(tx.update(jobTable, afterStep(tx, stepped, command.result)));
    }),

  tools_started: (tx, { attempt, callIds }) =>
    withJob(tx, { attempt }, (job) => {
      const openCalls = job.openCalls.map((call) => (callIds.includes(call.id) ? { ...call, started: true } : call));
      return ok(tx.update(jobTable, { ...job, openCalls }));
    }),

  tool_finished: (tx, { attempt, callId, content, isError }) =>
    withJob(tx, { attempt }, (job) => {
      tx.append("transcript.event", { kind: "tool_result", toolUseId: callId, content, isError });
      const metrics = { ...job.metrics, toolCalls: job.metrics.toolCalls + 1 };
      const openCalls = job.openCalls.filter((call) => call.id !== callId);
      return ok(tx.update(jobTable, waiting(tx, { ...job, openCalls, metrics })));
    }),

  run_failed(tx, { attempt, error, partial, result, usage }) {
    const job = tx.read(jobTable, tx.self.id);
    if (job === null) return notFound("job");
    if (job.attempt !== attempt || (job.status !== "running" && job.status !== "queued")) return stale(job);
    if (partial !== "") tx.append("transcript.event", { kind: "assistant_text", text: partial });
    return ok(tx.update(jobTable, failed(tx, { ...job, result, metrics: metricsAfter(job, usage, null) }, error)));
  },

  run_stopped: (tx, { attempt, partial, result, usage }) =>
    withJob(tx, { attempt, status: "cancelling" }, (job) => {
      if (partial !== "") tx.append("transcript.event", { kind: "assistant_text", text: partial });
      return ok(tx.update(jobTable, cancelled(tx, { ...job, result, metrics: metricsAfter(job, usage, null) })));
    }),
};

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

/** A refusal that names the present status and what may be done in it (GEN-5). */
export const stale = (job: Job): Outcome<never> =>
  refuse({ kind: "invalid_state", status: job.status, allowedActions: allowedActions(job), message: `The job is ${job.status}` });

/** Opens the step's calls, and asks for those that wait for a person. */
function asked(tx: Tx, job: Job, calls: readonly StepCall[]): Job {
  const expiresAtMs = tx.now + DECISION_MS;
  const approvals = calls
    .filter((call) => call.needsApproval)
    .map(({ block }): Approval => ({
      id: tx.id("apr"),
      toolName: block.name,
      toolCallId: block.id,
      arguments: block.input,
      message: `The agent asks to use ${block.name}`,
      expiresAt: isoTime(expiresAtMs),
      onExpiry: "deny",
    }));
  if (approvals.length > 0) tx.setAlarm(tx.self, "decision", expiresAtMs, { kind: "decision_overdue" });
  for (const approval of approvals) {
    const { id: approvalId, toolName, toolCallId, expiresAt, arguments: input } = approval;
    tx.append("approval.requested", { approvalId, toolName, toolCallId, arguments: input, expiresAt });
  }
  const openCalls = calls.map(({ block, safe }) => ({ id: block.id, name: block.name, safe, started: false, arguments: null }));
  return { ...job, openCalls, approvals };
}

/** Without calls the run is over, unless somebody has spoken meanwhile; with a used-up budget it waits. */
function afterStep(tx: Tx, job: Job, result: string): Job {
  if (job.openCalls.length === 0) return job.steers.length > 0 ? job : completed(tx, job, result);
  const { inputTokens, outputTokens } = job.metrics;
  const { maxTokens } = job.budget;
  if (maxTokens !== null && inputTokens + outputTokens >= maxTokens) return blocked(tx, job, "budget_reached", result);
  return waiting(tx, { ...job, result });
}

/** Blocks a job of which nothing runs any more but calls that wait for a person. */
function waiting(tx: Tx, job: Job): Job {
  const asking = new Set(job.approvals.map((approval) => approval.toolCallId));
  if (asking.size === 0 || job.openCalls.some((call) => !asking.has(call.id))) return job;
  return blocked(tx, job, "approval_required", job.result ?? "");
}

function metricsAfter(job: Job, usage: Usage, timeToFirstTokenMs: number | null): Job["metrics"] {
  return {
    ...job.metrics,
    inputTokens: job.metrics.inputTokens + usage.inputTokens,
    outputTokens: job.metrics.outputTokens + usage.outputTokens,
    timeToFirstTokenMs: job.metrics.timeToFirstTokenMs ?? timeToFirstTokenMs,
  };
}
