/** The events in a chat about its jobs, other than the turns themselves (SSE-7). Derived from the record. */
import { definedFields } from "../changes.ts";
import type { ChatCommand, JobUpdate } from "../chat/protocol.ts";
import { chatRef } from "../chat/schema.ts";
import type { Tx } from "../runtime/actor.ts";
import { expiryOf, eventCall, requestsOf, waitingCalls } from "./client-call.ts";
import { appendJobEvent, eventResult } from "./events.ts";
import { openApprovals } from "./machine.ts";
import type { ClientResult } from "./protocol.ts";
import type { Approval } from "./terms.ts";
import { type Job, jobTokens } from "./schema.ts";

/** The updates of a settled job; they are committed with the end of its turn. */
export function updatesOf(job: Job): readonly JobUpdate[] {
  const { id: jobId, review, metrics } = job;
  const updates: JobUpdate[] = [];
  if (metrics.inputTokens + metrics.outputTokens > 0)
    updates.push({ type: "usage.updated", data: { jobId, ...jobTokens(metrics) } });
  for (const approval of openApprovals(job))
    updates.push({ type: "approval.requested", data: requestedData(jobId, approval) });
  for (const call of waitingCalls(job)) {
    const { id: callId, ...shown } = eventCall(call);
    updates.push({ type: "tool.requested", data: { jobId, callId, ...shown, expiresAt: expiryOf(job, call) } });
  }
  if (job.status === "blocked" && job.blockedReason === "auth_required")
    for (const { id: connectionId, ...request } of requestsOf(job))
      updates.push({ type: "authorization.requested", data: { jobId, connectionId, ...request } });
  if (review.state !== "none") updates.push(reviewUpdate(job));
  return [...updates, statusUpdate(job)];
}

function requestedData(jobId: string, approval: Approval): Extract<JobUpdate, { type: "approval.requested" }>["data"] {
  const { id: approvalId, toolName, toolCallId, arguments: given, message, expiresAt, onExpiry } = approval;
  const rules = definedFields({ askedBy: approval.askedBy, policy: approval.policy });
  return { jobId, approvalId, toolName, toolCallId, arguments: given, message, expiresAt, onExpiry, ...rules };
}

export const statusUpdate = ({ id: jobId, status, blockedReason }: Job): JobUpdate => ({
  type: "job.updated",
  data: { jobId, status, blockedReason },
});

export const reviewUpdate = ({ id: jobId, review: { state, decidedBy, comment } }: Job): JobUpdate => ({
  type: "review.updated",
  data: { jobId, state, decidedBy, comment },
});

/** Sends updates while no turn begins or ends: a message to the chat, in the commit of the change. */
export function sendUpdates(tx: Tx, { organizationId, chatId }: Job, updates: readonly JobUpdate[]): void {
  const command: ChatCommand = { kind: "job_updates", updates };
  if (updates.length > 0) tx.send(chatRef(organizationId, chatId), command);
}

/** Adds the result of a call to the transcript, and tells the chat, in the commit that ends the call. */
export function tellResult(
  tx: Tx,
  { id: jobId, organizationId, chatId }: Job,
  { toolCallId, content, isError }: ClientResult,
): void {
  appendJobEvent(tx, "transcript.event", { kind: "tool_result", toolUseId: toolCallId, content, isError });
  const ended: ChatCommand = { kind: "tool_ended", jobId, callId: toolCallId, isError, ...eventResult(content) };
  tx.send(chatRef(organizationId, chatId), ended);
}
