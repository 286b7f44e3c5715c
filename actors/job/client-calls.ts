/**
 * Tools that the client runs (JOB-17). The other calls of their step run first, and approvals are decided. Then the job
 * blocks until each call has a result, from the client or by timeout:
 *
 *   step ─▶ other calls, approvals ─▶ blocked, tool_result_required ─┬─ results of the client ─▶ running
 *                                                                    └─ overdue: errors ───────▶ running
 *
 * A result is stored with the end of its call. Each call takes one result; a later one is refused.
 */
import { ok, type Outcome } from "../fault.ts";
import type { Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { usageRef } from "../usage/schema.ts";
import { tellResult } from "./chat-updates.ts";
import { CLIENT_RESULT_MS, waitingCalls } from "./client-call.ts";
import { stale, unlessOwnWords } from "./machine.ts";
import { callsLeft, withCallsLeft, withCallsEnded } from "./open-calls.ts";
import type { ClientResult } from "./protocol.ts";
import { jobUsage } from "./metering.ts";
import { type Job, type JobIn, jobTable } from "./schema.ts";
import { blockJob, resumeJob, unblockJob } from "./transitions.ts";

/** Blocks a running job whose remaining calls all belong to the client. */
export function blockedForClient(tx: Tx, job: JobIn<"running">): JobIn<"blocked"> {
  tx.setAlarm("decision", tx.now + CLIENT_RESULT_MS, { kind: "decision_overdue" });
  const requestedAt = isoTime(tx.now);
  const asked = callsLeft(job).map((call) => ({ ...call, requestedAt }));
  return blockJob(tx, withCallsLeft(job, asked), "tool_result_required", job.result ?? "");
}

/** Stores the results; once no call waits, the job continues. */
export function takeResults(
  tx: Tx,
  job: Job,
  { by, results }: { readonly by: string; readonly results: readonly ClientResult[] },
): Outcome<Job> {
  if (job.status !== "blocked" || waitingCalls(job).length === 0) return stale(job);
  const foreign = unlessOwnWords(job, by);
  if (foreign !== null) return foreign;
  const waiting = new Set(waitingCalls(job).map(({ id }) => id));
  // Each call takes one result. A second one is refused, so that nothing happens twice.
  for (const { toolCallId } of results)
    if (!waiting.delete(toolCallId))
      return stale(job, `The call ${toolCallId} already has its result, or does not belong to this job`);
  return ok(tx.update<Job>(jobTable, withClientResults(tx, job, results)));
}

/** The job after its client's deadline: every waiting call has failed. */
export const withoutClient = (tx: Tx, job: JobIn<"blocked">): JobIn<"running" | "blocked"> =>
  withClientResults(
    tx,
    job,
    waitingCalls(job).map(({ id }) => ({
      toolCallId: id,
      content: "The client did not send a result in time.",
      isError: true,
    })),
  );

function withClientResults(
  tx: Tx,
  job: JobIn<"blocked">,
  results: readonly ClientResult[],
): JobIn<"running" | "blocked"> {
  for (const result of results) tellResult(tx, job, result);
  // No report of a run counts these results, so a message does, in the same commit.
  const used = jobUsage(job, { kind: "tool_results", by: job.createdBy, results });
  if (used !== null) tx.send(usageRef(job.organizationId), used);
  const metrics = { ...job.metrics, toolCalls: job.metrics.toolCalls + results.length };
  const ended = results.map(({ toolCallId }) => toolCallId);
  const next = { ...withCallsEnded(job, ended), metrics };
  if (callsLeft(next).length > 0) return next;
  tx.clearAlarm("decision");
  return resumeJob(tx, unblockJob(next, "tool_results"));
}
