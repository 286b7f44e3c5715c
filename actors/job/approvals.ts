/**
 * Calls that need an approval (JOB-8, JOB-9). The other calls of their step run first. When only calls that need
 * approval are left, the job blocks and requests the approvals. So a job has open approvals exactly while it is blocked
 * for them, and every open approval can be decided.
 *
 *   step ─▶ the other calls run ─▶ blocked, approvals requested ─▶ each decided ─▶ running
 *
 * An approved call is then open like any other. A denied call gets the denial as its result.
 */
import { invalid, notFound, ok, type Outcome } from "../fault.ts";
import type { Tx } from "../runtime/actor.ts";
import { isoTime, type JsonObject } from "../schema.ts";
import { blockJob, decidedApproval, resolution, resumeJob, unblockJob } from "./transitions.ts";
import { blockedForConnections } from "./authorizations.ts";
import { isWaiting } from "./client-call.ts";
import { blockedForClient } from "./client-calls.ts";
import { appendJobEvent } from "./events.ts";
import { hasOpenApprovals, openApprovals } from "./machine.ts";
import { sendUpdates, updatesOf } from "./chat-updates.ts";
import type { JobCommand, StepCall } from "./protocol.ts";
import { alreadyDecided, unlessOwnWords } from "./refusals.ts";
import { type Job, type JobIn, jobTable } from "./schema.ts";
import { type Approval, DEFAULT_EXPIRY, DEFAULT_REACH, type OpenCall } from "./terms.ts";
import type { AskPeople } from "../reach/protocol.ts";
import { reachRef } from "../reach/schema.ts";

/** Decided approvals that a job keeps when it requests more: the newest ones. */
const KEPT_APPROVALS = 64;

type Approve = Extract<JobCommand, { readonly kind: "approve" }>;

/** The calls of a step, before any of them runs. */
export const openedCalls = (calls: readonly StepCall[], openedAt: string): OpenCall[] =>
  calls.map(({ block, safe, needsApproval, inputSchema, isClient, refusal, decision }) => ({
    id: block.id,
    name: block.name,
    openedAt,
    safe,
    started: false,
    childJobId: null,
    asks: needsApproval,
    ...(isClient === undefined ? {} : { isClient }),
    arguments: needsApproval || isClient === true ? block.input : null,
    ...(needsApproval && inputSchema !== undefined ? { schema: inputSchema } : {}),
    ...(refusal === undefined ? {} : { refusal }),
    ...(decision === undefined ? {} : { decision }),
  }));

/** The calls that run as soon as their step is committed: all that wait for nobody. */
export const startedCalls = (calls: readonly OpenCall[]): OpenCall[] =>
  calls.map((call) => (isWaiting(call) ? call : { ...call, started: true }));

/**
 * Blocks a running job whose remaining calls all wait for somebody: for an approval first, then for a connection, then
 * for the client.
 */
export function blockedForCalls(tx: Tx, job: JobIn<"running">): JobIn<"running" | "blocked"> {
  if (job.openCalls.length === 0 || !job.openCalls.every(isWaiting)) return job;
  const asking = job.openCalls.filter((call) => call.asks);
  if (asking.length === 0)
    return job.openCalls.some(({ lacks }) => lacks !== undefined)
      ? blockedForConnections(tx, job)
      : blockedForClient(tx, job);
  const { afterSeconds, onExpiry } = job.agent.approvalExpiry ?? DEFAULT_EXPIRY;
  const expiresAtMs = tx.now + afterSeconds * 1_000;
  const expiry = { expiresAt: isoTime(expiresAtMs), onExpiry };
  const approvals = [
    ...job.approvals.slice(-KEPT_APPROVALS),
    ...asking.map((call) => requestApproval(tx, call, expiry)),
  ];
  tx.setAlarm("decision", expiresAtMs, { kind: "decision_overdue" });
  tellPeople(tx, job, approvals.slice(-asking.length));
  return blockJob(tx, { ...job, approvals }, "approval_required", job.result ?? "");
}

/** Lets the approvals reach people outside the service (REACH-2). */
function tellPeople(tx: Tx, { agent, createdBy }: Job, approvals: readonly Approval[]): void {
  const command: AskPeople = {
    kind: "ask_people",
    jobId: tx.self.id,
    reach: agent.approvalReach ?? DEFAULT_REACH,
    approvals: approvals.map(({ id, expiresAt }) => ({ id, expiresAt, userIds: [createdBy], others: null })),
  };
  tx.send(reachRef(tx.self.organizationId), command);
}

function requestApproval(
  tx: Tx,
  { id: toolCallId, name: toolName, arguments: input, decision: askedBy }: OpenCall,
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
    ...(askedBy === undefined ? {} : { askedBy }),
  };
  appendJobEvent(tx, "approval.requested", { approvalId: id, ...approval });
  return { id, ...approval };
}

/** The approvals that a decision names; without a name, all of them. */
export const approvalsMeant = (
  { approvals }: Job,
  { approvalId, toolCallId }: Pick<Approve, "approvalId" | "toolCallId">,
): Approval[] =>
  approvals.filter(
    (a) => (approvalId === null || a.id === approvalId) && (toolCallId === null || a.toolCallId === toolCallId),
  );

/** Decides one approval, or all of them; once none is open, the job continues. */
export function approveCalls(tx: Tx, job: JobIn<"blocked">, command: Approve): Outcome<Job> {
  const { decision, by, comment } = command;
  const meant = approvalsMeant(job, command);
  const chosen = openApprovals({ approvals: meant });
  // Without a name, all open approvals are meant; a job blocked for approvals has some.
  if (chosen.length === 0) return meant.length === 0 ? notFound("approval") : alreadyDecided(job);
  if (command.arguments !== null && decision === "deny")
    return invalid("/arguments", "arguments cannot be given with a denial");
  if (command.arguments !== null && chosen.length > 1) {
    return invalid("/arguments", "Name the call that gets these arguments: approval_id or tool_call_id");
  }
  const { arguments: edited } = command;
  const foreign = edited === null ? null : unlessOwnWords(job, by);
  if (foreign !== null) return foreign;
  if (decision === "deny") {
    const toolCallIds = chosen.map((approval) => approval.toolCallId);
    appendJobEvent(tx, "job.denied", { decidedBy: by, toolCallIds, comment });
  }
  const how = { decision, by, ...(edited === null ? {} : { arguments: edited }) };
  sendUpdates(
    tx,
    job,
    chosen.map((approval) => resolution(tx, job, approval, how)),
  );
  const next = chosen.reduce<JobIn<"blocked">>(
    (at, approval) =>
      decision === "deny"
        ? denyApproval(tx, at, approval, { by, comment })
        : grantApproval(tx, at, approval, { by, edited }),
    job,
  );
  return ok(tx.update(jobTable, continueJob(tx, next)));
}

/** Denies the approvals that are still open at their deadline. */
export function expireApprovals(tx: Tx, job: JobIn<"blocked">): JobIn<"running" | "blocked"> {
  const open = openApprovals(job);
  sendUpdates(
    tx,
    job,
    open.map((approval) => resolution(tx, job, approval, { decision: "expired", by: null })),
  );
  const nobody = { by: null, comment: null };
  return continueJob(
    tx,
    open.reduce<JobIn<"blocked">>((next, approval) => denyApproval(tx, next, approval, nobody), job),
  );
}

function grantApproval(
  tx: Tx,
  job: JobIn<"blocked">,
  approval: Approval,
  { by, edited }: { readonly by: string; readonly edited: JsonObject | null },
): JobIn<"blocked"> {
  const openCalls = job.openCalls.map(({ schema, ...call }) => {
    if (call.id === approval.toolCallId)
      return { ...call, asks: false, arguments: edited ?? (call.isClient === true ? call.arguments : null) };
    return schema === undefined ? call : { ...call, schema };
  });
  const made = edited === null ? approval : { ...approval, arguments: edited };
  return { ...job, openCalls, approvals: withDecision(job, decidedApproval(tx, made, { decision: "approve", by })) };
}

/** Gives a denied call the denial as its result, so that the model can continue without it. */
function denyApproval(
  tx: Tx,
  job: JobIn<"blocked">,
  approval: Approval,
  { by, comment }: { readonly by: string | null; readonly comment: string | null },
): JobIn<"blocked"> {
  const { toolCallId } = approval;
  const reason = by === null ? "Nobody approved this call in time." : "This call was denied.";
  const content = comment === null ? reason : `${reason} ${comment}`;
  appendJobEvent(tx, "transcript.event", { kind: "tool_result", toolUseId: toolCallId, content, isError: true });
  const openCalls = job.openCalls.filter((call) => call.id !== toolCallId);
  const decision = by === null ? "expired" : "deny";
  return { ...job, openCalls, approvals: withDecision(job, decidedApproval(tx, approval, { decision, by })) };
}

const withDecision = ({ approvals }: Job, decision: Approval): Approval[] =>
  approvals.map((approval) => (approval.id === decision.id ? decision : approval));

/** Runs again once no approval is open. */
function continueJob(tx: Tx, job: JobIn<"blocked">): JobIn<"running" | "blocked"> {
  if (hasOpenApprovals(job)) return job;
  tx.clearAlarm("decision");
  const settled = blockedForCalls(tx, unblockJob(job, "approve"));
  if (settled.status === "running") return resumeJob(tx, settled);
  // The chat's turn does not resume, so the new reason for the wait is an event of its own.
  sendUpdates(tx, settled, updatesOf(settled));
  return settled;
}
