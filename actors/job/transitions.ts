/**
 * How a job settles or continues: each function returns the changed record and appends its events. `chatAfter` and
 * `sendTurnEnd` bring the change to the chat if no report of the runner does so in the same commit.
 */
import { DECISION_MS, DEFAULT_JOB_LIMITS, LONGEST_RUN_MS } from "./limits.ts";
import type { ChatCommand, JobUpdate, TurnEnd } from "../chat/protocol.ts";
import { chatRef } from "../chat/schema.ts";
import { assert } from "../assert.ts";
import type { ActorRef, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { cancelChildren } from "./delegation.ts";
import { appendJobEvent, appendRunnerStatus, type ApprovalResolved } from "./events.ts";
import { jobStatusAfter, type JobTrigger, openApprovals } from "./machine.ts";
import type { ReachCommand } from "../reach/protocol.ts";
import { reachRef } from "../reach/schema.ts";
import { eventCall, requestsOf } from "./client-call.ts";
import { callsLeft } from "./open-calls.ts";
import { runIntent } from "./new-job.ts";
import { sendUpdates, updatesOf } from "./chat-updates.ts";
import { reportToMission, reportToWorkspace } from "./end-reports.ts";
import {
  type BlockedReason,
  type Job,
  type JobIn,
  type JobTokens,
  jobTokens,
  metricsUsage,
  type RunError,
} from "./schema.ts";
import { type Approval, isOpenAuthorization } from "./terms.ts";

/** Asserts that the machine allows the trigger: callers check before they decide. */
function assertAllowed(job: Job, trigger: JobTrigger): void {
  assert(jobStatusAfter(job.status, trigger) !== null, `a ${job.status} job can ${trigger}`);
}

/** Ends the effect that runs the job, if one does. */
function settleRun(tx: Tx, job: Job): { readonly runEffectId: null } {
  if (job.runEffectId !== null) tx.settle(job.runEffectId);
  return { runEffectId: null };
}

/** Begins an attempt: its effect is a row of this commit. */
export const withRun = <J extends Job>(tx: Tx, job: J): J => ({
  ...job,
  runEffectId: tx.effect(tx.self, "run", runIntent(job, job.createdAt)),
});

/** Unblocks a job whose reason is gone; `resumeJob` lets it run. */
export function unblockJob(
  job: JobIn<"blocked">,
  trigger: "approve" | "resume" | "tool_results" | "connect",
): JobIn<"running"> {
  assertAllowed(job, trigger);
  return { ...job, status: "running", blockedReason: null };
}

/** Continues after a wait for a person; the waiting time does not count towards the run's limit. */
export function resumeJob(tx: Tx, job: JobIn<"running">): JobIn<"running"> {
  appendJobEvent(tx, "job.resumed", { attempt: job.attempt });
  appendRunnerStatus(tx, job, "starting");
  return withRun(tx, { ...job, deadlineAt: deadlineFrom(tx, job) });
}

/** The deadline of a run that begins or continues now (RUN-3, JOB-9). */
export function deadlineFrom(tx: Tx, { budget: { deadlineAt }, runMs }: Pick<Job, "budget" | "runMs">): string {
  if (deadlineAt === null) return isoTime(tx.now + (runMs ?? DEFAULT_JOB_LIMITS.runMs));
  return isoTime(Math.min(tx.now + LONGEST_RUN_MS, Date.parse(deadlineAt)));
}

/**
 * The fields that change in every job that ends. `last` appends the terminal event, the last one of the stream; no live
 * text follows it.
 */
function endJob(tx: Tx, job: Job, last: (usage: JobTokens) => void) {
  assert(job.completedAt === null, "a job ends once");
  const durationMs = job.startedAt === null ? null : tx.now - Date.parse(job.startedAt);
  const metrics = { ...job.metrics, durationMs };
  appendRunnerStatus(tx, job, "stopped");
  last(jobTokens(metrics));
  tx.endText(job.outputMessageId);
  tx.clearAlarm("decision");
  // The children of a job that is being cancelled have their message already.
  if (job.status !== "cancelling") cancelChildren(tx, job);
  const completedAt = isoTime(tx.now);
  // A job that ends with open approvals expires them: nobody can decide them any more.
  const approvals = job.approvals.map((approval) =>
    (approval.decision ?? null) === null ? decidedApproval(tx, approval, { decision: "expired", by: null }) : approval,
  );
  const waits =
    job.authorizations === undefined
      ? {}
      : {
          authorizations: job.authorizations.map((one) =>
            isOpenAuthorization(one) ? { ...one, outcome: "expired" as const, message: "The job ended before" } : one,
          ),
        };
  const nothing = { blockedReason: null, waiting: null, openCalls: [], endedCalls: [], steers: [] };
  return { ...settleRun(tx, job), ...nothing, ...waits, metrics, approvals, completedAt };
}

/** Completes the job, or requests its required review. */
export function completeJob(tx: Tx, job: JobIn<"running">, result: string): JobIn<"completed" | "needs_review"> {
  if (!job.review.required) {
    assertAllowed(job, "complete");
    return finishJob(tx, { ...job, result });
  }
  assertAllowed(job, "review");
  const expiresAtMs = tx.now + DECISION_MS;
  tx.setAlarm("decision", expiresAtMs, { kind: "decision_overdue" });
  const expiresAt = isoTime(expiresAtMs);
  appendRunnerStatus(tx, job, "waiting");
  appendJobEvent(tx, "job.review_requested", { expiresAt });
  appendJobEvent(tx, "review.updated", { state: "pending", decidedBy: null, comment: null });
  tx.endText(job.outputMessageId);
  const review = { ...job.review, state: "pending" as const, requestedAt: isoTime(tx.now), expiresAt };
  return { ...job, ...settleRun(tx, job), status: "needs_review", result, review };
}

/** Reports the end to the workspace and the mission that wait for it. */
const reportJobEnd = <J extends JobIn<"completed" | "failed" | "cancelled">>(tx: Tx, job: J): J =>
  reportToWorkspace(tx, reportToMission(tx, job));

function finishJob(tx: Tx, job: JobIn<"running" | "needs_review"> & { readonly result: string }): JobIn<"completed"> {
  const done = { ...job, progress: { ...job.progress, percent: 100 } };
  const end = endJob(tx, done, (usage) =>
    appendJobEvent(tx, "job.completed", { usage, stopReason: job.stopReason ?? null }),
  );
  return reportJobEnd(tx, { ...done, ...end, status: "completed" });
}

const REVIEW_TRIGGERS = { approved: "approve", changes_requested: "iterate", expired: "expire" } as const;

/** The end of a review other than by a cancel. */
export function reviewJob(
  tx: Tx,
  job: JobIn<"needs_review">,
  decision: {
    readonly state: "approved" | "changes_requested" | "expired";
    readonly by: string | null;
    readonly comment: string | null;
  },
): JobIn<"completed"> {
  const { state, by: decidedBy, comment } = decision;
  assertAllowed(job, REVIEW_TRIGGERS[state]);
  appendJobEvent(tx, "review.updated", { state, decidedBy, comment });
  if (state === "approved") appendJobEvent(tx, "job.approved", { decidedBy });
  const review = { ...job.review, state, decidedBy, comment, decidedAt: isoTime(tx.now) };
  return finishJob(tx, { ...job, review });
}

/** `result` is all text of the run. */
export function failJob(
  tx: Tx,
  job: JobIn<"queued" | "running" | "blocked">,
  { error, result }: { readonly error: RunError; readonly result: string | null },
): JobIn<"failed"> {
  assertAllowed(job, "fail");
  const detail = { code: error.code, message: error.message };
  appendJobEvent(tx, "error", detail);
  const end = endJob(tx, job, (usage) =>
    appendJobEvent(tx, "job.failed", { error: detail, usage, stopReason: job.stopReason ?? null }),
  );
  return reportJobEnd(tx, { ...job, ...end, status: "failed", error, result });
}

/** Open approvals expire with the job; `seq` of the stop is that of the last event (JOB-3). */
export function cancelledJob(
  tx: Tx,
  job: JobIn<"queued" | "running" | "blocked" | "needs_review" | "cancelling">,
  result: string | null = job.result,
): JobIn<"cancelled"> {
  assertAllowed(job, job.status === "cancelling" ? "stopped" : "cancel");
  sendUpdates(
    tx,
    job,
    openApprovals(job).map((approval) => resolution(tx, job, approval, { decision: "expired", by: null })),
  );
  const toolCallsAborted = callsLeft(job).length;
  const end = endJob(tx, job, (usage) => appendJobEvent(tx, "job.cancelled", { toolCallsAborted, usage }));
  const stop = { seq: tx.head(), toolCallsAborted };
  return reportJobEnd(tx, { ...job, ...end, status: "cancelled", result, stop });
}

/** The decided approval as the record keeps it. Whoever was told of it outside the service hears how it ended (REACH-7). */
export function decidedApproval(
  tx: Tx,
  approval: Approval,
  { decision, by }: Pick<ApprovalResolved, "decision" | "by">,
): Approval {
  const command: ReachCommand = { kind: "follow_up", approvalId: approval.id };
  tx.send(reachRef(tx.self.organizationId), command);
  return { ...approval, decision, decidedBy: by, decidedAt: isoTime(tx.now) };
}

/** Appends the decision of an approval; returns the same update for the chat. */
export function resolution(
  tx: Tx,
  { id: jobId }: Job,
  { id: approvalId, toolCallId }: Approval,
  how: Pick<ApprovalResolved, "decision" | "by" | "arguments">,
): JobUpdate {
  const data: ApprovalResolved = { approvalId, toolCallId, ...how };
  appendJobEvent(tx, "approval.resolved", data);
  return { type: "approval.resolved", data: { jobId, ...data } };
}

/** Blocks the job and releases its job slot; `resume` or `approve` starts it again. `result` is all text of the run. */
export function blockJob(tx: Tx, job: JobIn<"running">, reason: BlockedReason, result: string): JobIn<"blocked"> {
  assertAllowed(job, "block");
  appendRunnerStatus(tx, job, "waiting");
  const toolCalls = reason === "tool_result_required" ? { toolCalls: callsLeft(job).map(eventCall) } : {};
  const authorizations = reason === "auth_required" ? { authorizations: requestsOf(job) } : {};
  appendJobEvent(tx, "job.blocked", { reason, ...toolCalls, ...authorizations });
  tx.endText(job.outputMessageId);
  return { ...job, ...settleRun(tx, job), status: "blocked", blockedReason: reason, waiting: null, result };
}

/** Sends the end of the turn to the chat, if the commit does not contain it. */
export function sendTurnEnd(tx: Tx, job: Job): void {
  const member = chatAfter(job);
  if (member !== null) tx.send(member.ref, member.command);
}

/**
 * The end of the chat's turn after a decision has ended the job: the next member of the decision's group, so that a
 * read after the reply sees it. Null for a job that has not ended.
 */
export function chatAfter(job: Job): { readonly ref: ActorRef<"chat">; readonly command: ChatCommand } | null {
  if (job.status !== "completed" && job.status !== "cancelled") return null;
  const usage = metricsUsage(job.metrics);
  const { id: jobId, inputMessageId, outputMessageId: messageId, status } = job;
  const command: ChatCommand = {
    kind: "turn_ended",
    jobId,
    inputMessageId,
    messageId,
    end: { status },
    blocks: null,
    usage,
    stopReason: job.stopReason ?? null,
    updates: updatesOf(job),
  };
  return { ref: chatRef(job.organizationId, job.chatId), command };
}

/** How the turn of a job in this status ended; null while it continues. */
export function jobTurnEnd(job: Job): TurnEnd | null {
  switch (job.status) {
    case "completed":
    case "cancelled":
    case "blocked":
      return { status: job.status };
    case "needs_review":
      return { status: "in_review" };
    case "failed":
      return { status: "failed", error: job.error };
    case "queued":
    case "running":
    case "cancelling":
      return null;
  }
}
