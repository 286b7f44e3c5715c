/**
 * How a job comes to a stand or an end: the record, the last events of its stream, and the word to
 * its chat where no report of the runner brings it in the same commit.
 */
import type { ChatCommand, TurnEnd } from "../chat/protocol.ts";
import { chatRef } from "../chat/schema.ts";
import { assert } from "../assert.ts";
import type { ActorRef, Tx } from "../runtime/actor.ts";
import { isoTime, type JsonObject } from "../schema.ts";
import { afterTrigger, type JobTrigger } from "./machine.ts";
import {
  type BlockedReason,
  DECISION_MS,
  type Job,
  JOB_DEADLINE_MS,
  type JobStatus,
  type RunError,
  type Usage,
} from "./schema.ts";
import { type Budget } from "./terms.ts";

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
  runEffectId: tx.effect(tx.self, "run", { attempt: job.attempt }),
});

/** Goes on after a wait for a person, whose time does not count against the limit of the run. */
export function resumed(tx: Tx, job: Job): Job {
  tx.append("job.resumed", { attempt: job.attempt });
  return running(tx, { ...job, blockedReason: null, deadlineAt: deadlineFrom(tx, job.budget) });
}

/** When a run that begins or goes on now has taken too long (RUN-3, JOB-9). */
export function deadlineFrom(tx: Tx, { deadlineAt }: Budget): string {
  const limitMs = tx.now + JOB_DEADLINE_MS;
  return isoTime(deadlineAt === null ? limitMs : Math.min(limitMs, Date.parse(deadlineAt)));
}

/** The terminal event is the last of the stream, and nobody gets live text after it. */
function ended(tx: Tx, job: Job, event: string, data: JsonObject): Job {
  const durationMs = job.startedAt === null ? null : tx.now - Date.parse(job.startedAt);
  const metrics = { ...job.metrics, durationMs };
  const { inputTokens, outputTokens } = metrics;
  tx.append(event, { ...data, usage: { inputTokens, outputTokens } });
  tx.endText(job.outputMessageId);
  tx.clearAlarm("decision");
  return { ...settled(tx, job), metrics, openCalls: [], approvals: [], steers: [], completedAt: isoTime(tx.now) };
}

/** Done: or, where a person is to look at it first, waiting for that. */
export function completed(tx: Tx, job: Job, result: string): Job {
  if (!job.review.required) return ended(tx, { ...job, status: moved(job, "complete"), result }, "job.completed", {});
  const expiresAtMs = tx.now + DECISION_MS;
  tx.setAlarm(tx.self, "decision", expiresAtMs, { kind: "decision_overdue" });
  const expiresAt = isoTime(expiresAtMs);
  tx.append("job.review_requested", { expiresAt });
  tx.append("review.updated", { state: "pending" });
  tx.endText(job.outputMessageId);
  const review = { ...job.review, state: "pending" as const, requestedAt: isoTime(tx.now), expiresAt };
  return { ...settled(tx, job), status: moved(job, "review"), result, review };
}

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
  tx.append("review.updated", { state, decidedBy, comment });
  if (state === "approved") tx.append("job.approved", { decidedBy });
  const review = { ...job.review, state, decidedBy, comment, decidedAt: isoTime(tx.now) };
  return ended(tx, { ...job, status: "completed", review }, "job.completed", {});
}

export function failed(tx: Tx, job: Job, error: RunError): Job {
  const detail: JsonObject = { code: error.code, message: error.message };
  return ended(tx, { ...job, status: moved(job, "fail"), error }, "job.failed", { error: detail });
}

/** Stopped for good. Open approvals expire with it; `seq` of the stop is the last event's (JOB-3). */
export function cancelled(tx: Tx, job: Job): Job {
  for (const { id } of job.approvals) tx.append("approval.resolved", { approvalId: id, decision: "expired" });
  const toolCallsAborted = job.openCalls.length;
  const status = job.status === "queued" ? "cancelled" : moved({ ...job, status: "cancelling" }, "stopped");
  const end = ended(tx, { ...job, status }, "job.cancelled", { toolCallsAborted });
  return { ...end, stop: { seq: tx.head(), toolCallsAborted } };
}

/** Waits for a person. The runner's place is given up; `resume` or `approve` begins it again. */
export function blocked(tx: Tx, job: Job, reason: BlockedReason, result: string): Job {
  tx.append("job.blocked", { reason });
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
