/**
 * Calls that need an approval (JOB-8, JOB-9). The other calls of their step run first. When only calls that need
 * approval are left, the job blocks and requests the approvals. So a job has open approvals exactly while it is blocked
 * for them, and every open approval can be decided.
 *
 *   step ─▶ the other calls run ─▶ blocked, approvals requested ─▶ each decided ─▶ running
 *
 * An approved call is then open like any other. A denied call gets the denial as its result.
 */
import { definedFields } from "../changes.ts";
import { invalid, notFound, ok, type Outcome, refuse } from "../fault.ts";
import { type DecidingPeople, type RuleExpiry, SHORTEST_EXPIRY } from "./approval-rule.ts";
import { countedVotes, decisionRefusal } from "./deciders.ts";
import type { Tx } from "../runtime/actor.ts";
import { isoTime, type JsonObject } from "../schema.ts";
import { blockJob, decidedApproval, resolution, resumeJob, unblockJob } from "./transitions.ts";
import { blockedForConnections } from "./authorizations.ts";
import { isWaiting } from "./client-call.ts";
import { blockedForClient } from "./client-calls.ts";
import { appendJobEvent } from "./events.ts";
import { alreadyDecided, hasOpenApprovals, openApprovals, stale, unlessOwnWords } from "./machine.ts";
import { sendUpdates, updatesOf } from "./chat-updates.ts";
import { callsLeft, withCallsLeft, withCallsEnded } from "./open-calls.ts";
import type { JobCommand, StepCall } from "./protocol.ts";
import { type Job, type JobIn, jobTable } from "./schema.ts";
import { type Approval, type ApprovalExpiry, DEFAULT_EXPIRY, DEFAULT_REACH, type OpenCall } from "./terms.ts";
import type { AskedApproval, AskPeople } from "../reach/protocol.ts";
import { reachRef } from "../reach/schema.ts";

/** Decided approvals that a job keeps when it requests more: the newest ones. */
const KEPT_APPROVALS = 64;

type Approve = Extract<JobCommand, { readonly kind: "approve" }>;

/** The calls of a step, before any of them runs. */
export const openedCalls = (calls: readonly StepCall[], openedAt: string): OpenCall[] =>
  calls.map(({ block, safe, needsApproval, inputSchema, isClient, refusal, decision, policy, expiry }) => ({
    id: block.id,
    name: block.name,
    openedAt,
    safe,
    started: false,
    childJobId: null,
    asks: needsApproval,
    arguments: needsApproval || isClient === true ? block.input : null,
    ...definedFields({ isClient, schema: needsApproval ? inputSchema : undefined, refusal, decision, policy, expiry }),
  }));

/** The calls that run as soon as their step is committed: all that wait for nobody. */
export const startedCalls = (calls: readonly OpenCall[]): OpenCall[] =>
  calls.map((call) => (isWaiting(call) ? call : { ...call, started: true }));

/**
 * Blocks a running job whose remaining calls all wait for somebody: for an approval first, then for a connection, then
 * for the client.
 */
export function blockedForCalls(tx: Tx, job: JobIn<"running">): JobIn<"running" | "blocked"> {
  const left = callsLeft(job);
  if (left.length === 0 || !left.every(isWaiting)) return job;
  const asking = left.filter((call) => call.asks);
  if (asking.length === 0)
    return left.some(({ lacks }) => lacks !== undefined) ? blockedForConnections(tx, job) : blockedForClient(tx, job);
  const approvals = [
    ...job.approvals.slice(-KEPT_APPROVALS),
    ...asking.map((call) => requestApproval(tx, call, job.agent.approvalExpiry ?? DEFAULT_EXPIRY)),
  ];
  armExpiry(tx, approvals);
  tellPeople(tx, job, approvals.slice(-asking.length));
  return blockJob(tx, { ...job, approvals }, "approval_required", job.result ?? "");
}

/** Lets the approvals reach people outside the service (REACH-2). */
function tellPeople(tx: Tx, job: Job, approvals: readonly Approval[]): void {
  const command: AskPeople = {
    kind: "ask_people",
    jobId: tx.self.id,
    reach: job.agent.approvalReach ?? DEFAULT_REACH,
    approvals: approvals.map(({ id, expiresAt, policy }) => ({ id, expiresAt, ...mailedPeople(job, policy) })),
  };
  tx.send(reachRef(tx.self.organizationId), command);
}

/** The people who get a mail: those who may decide or, where every member may, the person for whom the job acts. */
function mailedPeople(
  { agent, createdBy }: Job,
  policy: Approval["policy"],
): Pick<AskedApproval, "userIds" | "others"> {
  const { of, notStarter } = policy ?? { of: "starter", notStarter: false };
  const exceptUserId = notStarter ? createdBy : null;
  if (of === "owners") return { userIds: [], others: { group: null, exceptUserId } };
  if (typeof of === "object") return { userIds: [], others: { group: of.group, exceptUserId } };
  const first = of === "agent_owner" || notStarter ? agent.createdBy : createdBy;
  return { userIds: first === undefined || first === exceptUserId ? [] : [first], others: null };
}

function requestApproval(
  tx: Tx,
  { id: toolCallId, name: toolName, arguments: input, decision: askedBy, policy, expiry: ofRule }: OpenCall,
  ofAgent: ApprovalExpiry,
): Approval {
  const id = tx.id("apr");
  const { afterSeconds, onExpiry, escalateTo: to }: RuleExpiry = ofRule ?? ofAgent;
  const approval = {
    toolName,
    toolCallId,
    arguments: input ?? {},
    message: `The agent asks to use ${toolName}`,
    expiresAt: isoTime(tx.now + afterSeconds * 1_000),
    onExpiry,
    ...definedFields({ askedBy, policy }),
  };
  appendJobEvent(tx, "approval.requested", { approvalId: id, ...approval });
  return { id, ...approval, ...(to === undefined ? {} : { escalation: { to, afterSeconds } }) };
}

/** Sets the alarm for the next open approval that expires; those that are kept never do. */
function armExpiry(tx: Tx, approvals: readonly Approval[]): void {
  const due = openApprovals({ approvals }).flatMap(({ expiresAt, onExpiry }) =>
    onExpiry === "keep" ? [] : [Date.parse(expiresAt)],
  );
  if (due.length === 0) tx.clearAlarm("decision");
  else tx.setAlarm("decision", Math.min(...due), { kind: "decision_overdue" });
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
  const { decision, by, comment, people = {} } = command;
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
  // The alarm may ring late, after a stop of the service: then others decide already, or nobody.
  const due = new Set(dueApprovals(tx, job).map(({ id }) => id));
  if (chosen.some(({ id }) => due.has(id))) return stale(job, "The time for this decision is over");
  const refused = unlessMayDecide(job, chosen, command);
  if (refused !== null) return refused;
  const { checkedFor } = command;
  if (edited !== null && checkedFor !== undefined && checkedFor !== chosen[0]?.id)
    return stale(
      job,
      "Different calls wait now than when these arguments were checked: name the call, and send the arguments again",
    );
  const pending =
    decision === "deny" ? [] : chosen.filter((approval) => needsMorePeople(job, approval, { by, people }));
  if (pending.length > 0) return voteFor(tx, job, chosen, { by, comment, people });
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

/** Refuses callers who may not decide one of the approvals, and arguments that the rules do not allow (APR-4, APR-7). */
function unlessMayDecide(
  job: JobIn<"blocked">,
  chosen: readonly Approval[],
  { by, people = {}, isService = false, arguments: edited, judged, decision }: Approve,
): Outcome<never> | null {
  const decider = { userId: by, person: people[by], isService };
  const after = judged?.decision.outcome === "ask" && judged.policy !== undefined ? [{ policy: judged.policy }] : [];
  for (const approval of [...chosen, ...after]) {
    const why = decisionRefusal(job, approval, decider);
    if (why !== null) return refuse({ kind: "forbidden", message: why });
    const isOfSeveral = (approval.policy?.count ?? 1) > 1;
    if (edited !== null && isOfSeveral)
      return invalid(
        "/arguments",
        "The arguments of a call that several people decide cannot be changed: deny it, and say why",
      );
  }
  const again =
    decision === "approve" ? chosen.find(({ votes = [] }) => votes.some((vote) => vote.by === by)) : undefined;
  return again === undefined
    ? null
    : stale(job, "You have approved this call already: other people must approve it too");
}

interface Voter {
  readonly by: string;
  readonly people: DecidingPeople;
}

/** Whether the approval still needs more people after this one. */
const needsMorePeople = (job: Job, approval: Approval, { people }: Voter): boolean =>
  countedVotes(job, approval, people).length + 1 < (approval.policy?.count ?? 1);

/** Notes one of several approvals: of all chosen calls that it does not suffice for. The others are decided. */
function voteFor(
  tx: Tx,
  job: JobIn<"blocked">,
  chosen: readonly Approval[],
  { by, comment, people }: Voter & { readonly comment: string | null },
): Outcome<Job> {
  const vote = { by, at: isoTime(tx.now), comment };
  const approvals = job.approvals.map((approval) => {
    if (!chosen.some(({ id }) => id === approval.id) || !needsMorePeople(job, approval, { by, people }))
      return approval;
    return announceUpdate(tx, { ...approval, votes: [...countedVotes(job, approval, people), vote] });
  });
  const voted = { ...job, approvals };
  const sufficient = chosen.filter((approval) => !needsMorePeople(job, approval, { by, people }));
  sendUpdates(
    tx,
    voted,
    sufficient.map((approval) => resolution(tx, voted, approval, { decision: "approve", by })),
  );
  const next = sufficient.reduce<JobIn<"blocked">>(
    (at, approval) => grantApproval(tx, at, approval, { by, edited: null }),
    voted,
  );
  armExpiry(tx, next.approvals);
  return ok(tx.update<Job>(jobTable, next));
}

/** Appends the new state of an open approval. */
function announceUpdate(tx: Tx, approval: Approval): Approval {
  const { id: approvalId, toolCallId, policy, votes = [], expiresAt, onExpiry } = approval;
  if (policy !== undefined)
    appendJobEvent(tx, "approval.updated", { approvalId, toolCallId, policy, votes, expiresAt, onExpiry });
  return approval;
}

/**
 * Ends the approvals that have expired: they are denied, or others decide from now on. None of them becomes an
 * approval (APR-9).
 */
export function expireApprovals(tx: Tx, job: JobIn<"blocked">): JobIn<"running" | "blocked"> {
  const due = dueApprovals(tx, job);
  const isRaised = ({ onExpiry, escalation }: Approval): boolean => onExpiry === "escalate" && escalation !== undefined;
  const raised = new Map(
    due.filter(isRaised).map((approval) => [approval.id, announceUpdate(tx, escalated(tx, approval))]),
  );
  const others = { ...job, approvals: job.approvals.map((approval) => raised.get(approval.id) ?? approval) };
  tellPeople(tx, job, [...raised.values()]);
  const denied = due.filter(({ id }) => !raised.has(id));
  sendUpdates(
    tx,
    others,
    denied.map((approval) => resolution(tx, others, approval, { decision: "expired", by: null })),
  );
  const nobody = { by: null, comment: null };
  return continueJob(
    tx,
    denied.reduce<JobIn<"blocked">>((next, approval) => denyApproval(tx, next, approval, nobody), others),
  );
}

/** The open approvals whose time is over. */
export const dueApprovals = (tx: Tx, job: Job): readonly Approval[] =>
  openApprovals(job).filter(({ expiresAt, onExpiry }) => onExpiry !== "keep" && Date.parse(expiresAt) <= tx.now);

/** The approval for those who decide after its time: nobody has approved it yet, and the next end denies it. */
function escalated(tx: Tx, { escalation, ...approval }: Approval): Approval {
  const { to, afterSeconds } = escalation ?? { to: "owners" as const, afterSeconds: SHORTEST_EXPIRY };
  const policy = { ...(approval.policy ?? { count: 1, notStarter: false, services: false }), of: to };
  return { ...approval, policy, votes: [], expiresAt: isoTime(tx.now + afterSeconds * 1_000), onExpiry: "deny" };
}

function grantApproval(
  tx: Tx,
  job: JobIn<"blocked">,
  approval: Approval,
  { by, edited }: { readonly by: string; readonly edited: JsonObject | null },
): JobIn<"blocked"> {
  const calls = callsLeft(job).map(({ schema, ...call }) => {
    if (call.id === approval.toolCallId)
      return { ...call, asks: false, arguments: edited ?? (call.isClient === true ? call.arguments : null) };
    return schema === undefined ? call : { ...call, schema };
  });
  const made = edited === null ? approval : { ...approval, arguments: edited };
  const approvals = withDecision(job, decidedApproval(tx, made, { decision: "approve", by }));
  return { ...withCallsLeft(job, calls), approvals };
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
  const decision = by === null ? "expired" : "deny";
  const approvals = withDecision(job, decidedApproval(tx, approval, { decision, by }));
  return { ...withCallsEnded(job, [toolCallId]), approvals };
}

const withDecision = ({ approvals }: Job, decision: Approval): Approval[] =>
  approvals.map((approval) => (approval.id === decision.id ? decision : approval));

/** Runs again once no approval is open. */
function continueJob(tx: Tx, job: JobIn<"blocked">): JobIn<"running" | "blocked"> {
  if (hasOpenApprovals(job)) {
    armExpiry(tx, job.approvals);
    return job;
  }
  tx.clearAlarm("decision");
  return resumedOrBlocked(tx, unblockJob(job, "approve"));
}

/** Runs again, unless calls that are left wait for somebody else. */
export function resumedOrBlocked(tx: Tx, job: JobIn<"running">): JobIn<"running" | "blocked"> {
  const settled = blockedForCalls(tx, job);
  if (settled.status === "running") return resumeJob(tx, settled);
  // The chat's turn does not resume, so the new reason for the wait is an event of its own.
  sendUpdates(tx, settled, updatesOf(settled));
  return settled;
}
