/**
 * Calls that a person must allow first (JOB-8, JOB-9). The others of their step are made meanwhile;
 * when nothing is left but what asks, the job blocks, and only then are the approvals requested. So a
 * job has approvals exactly while it is blocked for them, and whoever sees one can decide it.
 *
 *   step ─▶ calls that ask nobody are made ─▶ blocked, approvals requested ─▶ each decided ─▶ running
 *
 * An allowed call is open like any other from then on. A denied one has its denial as its result.
 */
import { invalid, notFound, ok, type Outcome } from "../fault.ts";
import type { Tx } from "../runtime/actor.ts";
import { isoTime, type JsonObject } from "../schema.ts";
import { blocked, moved, resolution, resumed } from "./ending.ts";
import { appendJobEvent } from "./events.ts";
import { tellReaders } from "./news.ts";
import type { JobCommand, StepCall } from "./protocol.ts";
import { unlessOwnWords } from "./refusals.ts";
import { type Job, jobTable } from "./schema.ts";
import { type Approval, type OpenCall, USUAL_EXPIRY } from "./terms.ts";

type Approve = Extract<JobCommand, { readonly kind: "approve" }>;

/** The calls of a step, before any of them is made. */
export const opened = (calls: readonly StepCall[], openedAt: string): OpenCall[] =>
  calls.map(({ block, safe, needsApproval }) => ({
    id: block.id,
    name: block.name,
    openedAt,
    safe,
    started: false,
    childJobId: null,
    asks: needsApproval,
    arguments: needsApproval ? block.input : null,
  }));

/** Blocks a running job of which nothing is left to do but what a person must allow. */
export function waiting(tx: Tx, job: Job): Job {
  if (job.openCalls.length === 0 || job.openCalls.some((call) => !call.asks)) return job;
  const { afterSeconds, onExpiry } = job.agent.approvalExpiry ?? USUAL_EXPIRY;
  const expiresAtMs = tx.now + afterSeconds * 1_000;
  const expiry = { expiresAt: isoTime(expiresAtMs), onExpiry };
  const approvals = job.openCalls.map((call) => requested(tx, call, expiry));
  tx.setAlarm(tx.self, "decision", expiresAtMs, { kind: "decision_overdue" });
  return blocked(tx, { ...job, approvals }, "approval_required", job.result ?? "");
}

function requested(
  tx: Tx,
  { id: toolCallId, name: toolName, arguments: input }: OpenCall,
  { expiresAt, onExpiry }: Pick<Approval, "expiresAt" | "onExpiry">,
): Approval {
  const id = tx.id("apr");
  const args = input ?? {};
  const approval = {
    toolName,
    toolCallId,
    arguments: args,
    message: `The agent asks to use ${toolName}`,
    expiresAt,
    onExpiry,
  };
  appendJobEvent(tx, "approval.requested", { approvalId: id, ...approval });
  return { id, ...approval };
}

/** Decides one approval, or all; when none is left the job goes on. */
export function approveCalls(tx: Tx, job: Job, command: Approve): Outcome<Job> {
  const { approvalId, toolCallId, decision, by, comment } = command;
  const chosen = job.approvals.filter(
    (a) => (approvalId === null || a.id === approvalId) && (toolCallId === null || a.toolCallId === toolCallId),
  );
  if (chosen.length === 0) return notFound("approval");
  if (command.arguments !== null && decision === "deny") return invalid("/arguments", "A denied call has no arguments");
  if (command.arguments !== null && chosen.length > 1) {
    return invalid("/arguments", "Say which call gets these arguments: approval_id or tool_call_id");
  }
  const { arguments: edited } = command;
  const foreign = edited === null ? null : unlessOwnWords(job, by);
  if (foreign !== null) return foreign;
  const how = { decision, by, ...(edited === null ? {} : { arguments: edited }) };
  tellReaders(
    tx,
    job,
    chosen.map((approval) => resolution(tx, job, approval, how)),
  );
  const next = chosen.reduce(
    (at, approval) => (decision === "deny" ? denied(tx, at, approval, { by, comment }) : granted(at, approval, edited)),
    job,
  );
  return ok(tx.update(jobTable, continued(tx, next)));
}

/** Nobody has decided in time: what still waits is denied. */
export function expired(tx: Tx, job: Job): Job {
  tellReaders(
    tx,
    job,
    job.approvals.map((approval) => resolution(tx, job, approval, { decision: "expired", by: null })),
  );
  const nobody = { by: null, comment: null };
  return continued(
    tx,
    job.approvals.reduce((next, approval) => denied(tx, next, approval, nobody), job),
  );
}

function granted(job: Job, { id: approvalId, toolCallId }: Approval, edited: JsonObject | null): Job {
  const openCalls = job.openCalls.map((call) =>
    call.id === toolCallId ? { ...call, asks: false, arguments: edited } : call,
  );
  return { ...job, openCalls, approvals: job.approvals.filter((a) => a.id !== approvalId) };
}

/** A denied call gets the denial as its result, so that the model can go on without it. */
function denied(
  tx: Tx,
  job: Job,
  { id: approvalId, toolCallId }: Approval,
  why: { readonly by: string | null; readonly comment: string | null },
): Job {
  const reason = why.by === null ? "Nobody approved this call in time." : "This call was denied.";
  const content = why.comment === null ? reason : `${reason} ${why.comment}`;
  appendJobEvent(tx, "transcript.event", { kind: "tool_result", toolUseId: toolCallId, content, isError: true });
  const openCalls = job.openCalls.filter((call) => call.id !== toolCallId);
  return { ...job, openCalls, approvals: job.approvals.filter((a) => a.id !== approvalId) };
}

/** Runs again once nothing waits for a person. */
function continued(tx: Tx, job: Job): Job {
  if (job.approvals.length > 0) return job;
  tx.clearAlarm("decision");
  return resumed(tx, { ...job, status: moved(job, "approve") });
}
