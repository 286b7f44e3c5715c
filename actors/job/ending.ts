/**
 * How a job comes to a stand or an end: the record, the last events of its stream, and the word to
 * its chat where no report of the runner brings it in the same commit.
 */
import { LONGEST_RUN_MS, USUAL_JOB_LIMITS } from "./limits.ts";
import type { ChatCommand, JobNews, TurnEnd } from "../chat/protocol.ts";
import { chatRef } from "../chat/schema.ts";
import { assert } from "../assert.ts";
import type { ActorRef, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { cancelChildren } from "./delegation.ts";
import { appendJobEvent, appendRunnerStatus, type ApprovalResolved } from "./events.ts";
import { afterTrigger, type JobTrigger } from "./machine.ts";
import { newsOf, tellReaders } from "./news.ts";
import { type BlockedReason, DECISION_MS, type Job, type JobStatus, type RunError, type Usage } from "./schema.ts";
import type { Approval } from "./terms.ts";

/** The status after a trigger that the caller knows to be allowed. */
export function moved(job: Job, trigger: JobTrigger): JobStatus {
  const status = afterTrigger(job.status, trigger);
  assert(status !== null, `a ${job.status} job can ${trigger}`);
  return status;
}

/** Ends the effect that runs the job, if one does. */
function settled(tx: Tx, job: Job): Job {
  if (job.runEffectId !== null) tx.settle(job.runEffectId);
  return { ...job, runEffectId: null };
}

/** Begins an attempt: the intent is a row of this commit. */
export const running = (tx: Tx, job: Job): Job => ({
  ...job,
  runEffectId: tx.effect(tx.self, "run", { attempt: job.attempt, priority: job.priority, since: job.createdAt }),
});

/** Goes on after a wait for a person, whose time does not count against the limit of the run. */
export function resumed(tx: Tx, job: Job): Job {
  appendJobEvent(tx, "job.resumed", { attempt: job.attempt });
  appendRunnerStatus(tx, job, "starting");
  return running(tx, { ...job, blockedReason: null, deadlineAt: deadlineFrom(tx, job) });
}

/** When a run that begins or goes on now has taken too long (RUN-3, JOB-9). */
export function deadlineFrom(tx: Tx, { budget: { deadlineAt }, runMs }: Pick<Job, "budget" | "runMs">): string {
  if (deadlineAt === null) return isoTime(tx.now + (runMs ?? USUAL_JOB_LIMITS.runMs));
  return isoTime(Math.min(tx.now + LONGEST_RUN_MS, Date.parse(deadlineAt)));
}

/** `last` appends the terminal event, the last of the stream; nobody gets live text after it. */
function ended(tx: Tx, job: Job, last: (usage: Usage) => void): Job {
  const durationMs = job.startedAt === null ? null : tx.now - Date.parse(job.startedAt);
  const metrics = { ...job.metrics, durationMs };
  const { inputTokens, outputTokens } = metrics;
  appendRunnerStatus(tx, job, "stopped");
  last({ inputTokens, outputTokens });
  tx.endText(job.outputMessageId);
  tx.clearAlarm("decision");
  cancelChildren(tx, job);
  return { ...settled(tx, job), metrics, openCalls: [], approvals: [], steers: [], completedAt: isoTime(tx.now) };
}

/** Done: or, where a person is to look at it first, waiting for that. */
export function completed(tx: Tx, job: Job, result: string): Job {
  if (!job.review.required) return finished(tx, { ...job, status: moved(job, "complete"), result });
  const expiresAtMs = tx.now + DECISION_MS;
  tx.setAlarm(tx.self, "decision", expiresAtMs, { kind: "decision_overdue" });
  const expiresAt = isoTime(expiresAtMs);
  appendRunnerStatus(tx, job, "waiting");
  appendJobEvent(tx, "job.review_requested", { expiresAt });
  appendJobEvent(tx, "review.updated", { state: "pending", decidedBy: null, comment: null });
  tx.endText(job.outputMessageId);
  const review = { ...job.review, state: "pending" as const, requestedAt: isoTime(tx.now), expiresAt };
  return { ...settled(tx, job), status: moved(job, "review"), result, review };
}

const finished = (tx: Tx, job: Job): Job =>
  ended(tx, { ...job, progress: { ...job.progress, percent: 100 } }, (usage) =>
    appendJobEvent(tx, "job.completed", { usage }),
  );

/** The end of a review that did not end in a cancel. */
export function reviewed(
  tx: Tx,
  job: Job,
  decision: {
    readonly state: "approved" | "changes_requested" | "expired";
    readonly by: string | null;
    readonly comment: string | null;
  },
): Job {
  const { state, by: decidedBy, comment } = decision;
  appendJobEvent(tx, "review.updated", { state, decidedBy, comment });
  if (state === "approved") appendJobEvent(tx, "job.approved", { decidedBy });
  const review = { ...job.review, state, decidedBy, comment, decidedAt: isoTime(tx.now) };
  return finished(tx, { ...job, status: "completed", review });
}

export function failed(tx: Tx, job: Job, error: RunError): Job {
  const detail = { code: error.code, message: error.message };
  appendJobEvent(tx, "error", detail);
  return ended(tx, { ...job, status: moved(job, "fail"), error }, (usage) =>
    appendJobEvent(tx, "job.failed", { error: detail, usage }),
  );
}

/** Stopped for good. Open approvals expire with it; `seq` of the stop is the last event's (JOB-3). */
export function cancelled(tx: Tx, job: Job): Job {
  tellReaders(
    tx,
    job,
    job.approvals.map((approval) => resolution(tx, job, approval, { decision: "expired", by: null })),
  );
  const toolCallsAborted = job.openCalls.length;
  const status = job.status === "queued" ? "cancelled" : moved({ ...job, status: "cancelling" }, "stopped");
  const end = ended(tx, { ...job, status }, (usage) =>
    appendJobEvent(tx, "job.cancelled", { toolCallsAborted, usage }),
  );
  return { ...end, stop: { seq: tx.head(), toolCallsAborted } };
}

/** Says that an approval is decided; answers the same for the chat. */
export function resolution(
  tx: Tx,
  { id: jobId }: Job,
  { id: approvalId, toolCallId }: Approval,
  how: Pick<ApprovalResolved, "decision" | "by" | "arguments">,
): JobNews {
  const data: ApprovalResolved = { approvalId, toolCallId, ...how };
  appendJobEvent(tx, "approval.resolved", data);
  return { type: "approval.resolved", data: { jobId, ...data } };
}

/** Waits for a person. The runner's place is given up; `resume` or `approve` begins it again. */
export function blocked(tx: Tx, job: Job, reason: BlockedReason, result: string): Job {
  appendRunnerStatus(tx, job, "waiting");
  appendJobEvent(tx, "job.blocked", { reason });
  tx.endText(job.outputMessageId);
  return { ...settled(tx, job), status: moved(job, "block"), blockedReason: reason, result };
}

/** Tells the chat that its turn is over, where nobody does it in the same commit. */
export function tellChat(tx: Tx, job: Job): void {
  const member = chatAfter(job);
  if (member !== null) tx.send(member.ref, member.command);
}

/**
 * What a decision that has ended the job means for its chat: its turn is over. To be the next member of
 * the decision's group, so that whoever reads the chat after the answer finds it so; null for a job that
 * has not ended.
 */
export function chatAfter(job: Job): { readonly ref: ActorRef<"chat">; readonly command: ChatCommand } | null {
  if (job.status !== "completed" && job.status !== "cancelled") return null;
  const usage: Usage = { inputTokens: job.metrics.inputTokens, outputTokens: job.metrics.outputTokens };
  const { id: jobId, inputMessageId, outputMessageId: messageId, status } = job;
  const command: ChatCommand = {
    kind: "turn_ended",
    jobId,
    inputMessageId,
    messageId,
    end: { status },
    blocks: null,
    usage,
    news: newsOf(job),
  };
  return { ref: chatRef(job.organizationId, job.chatId), command };
}

/** How the turn of a job in this status has ended; null while it goes on. */
export function turnEnd(job: Job): TurnEnd | null {
  switch (job.status) {
    case "completed":
    case "cancelled":
    case "blocked":
      return { status: job.status };
    case "needs_review":
      return { status: "in_review" };
    case "failed":
      assert(job.error !== null, "a failed job has an error");
      return { status: "failed", error: job.error };
    case "queued":
    case "running":
    case "cancelling":
      return null;
  }
}
