/**
 * What the link to an approval opens (REACH-6). A link is for one recipient and one call. It is over when the approval
 * is decided or has expired, and when the call or the agent's settings of approvals are not those that were asked about.
 */
import { type Fault, notFound, ok, type Outcome, refuse } from "../../actors/fault.ts";
import { countedVotes } from "../../actors/job/deciders.ts";
import { type Job, jobRef } from "../../actors/job/schema.ts";
import type { Approval, ApprovalVote } from "../../actors/job/terms.ts";
import type { MaybePromise } from "../../actors/maybe-promise.ts";
import type { Principal } from "../../actors/organization/principal.ts";
import { type Agent, organizationRef } from "../../actors/organization/schema.ts";
import { type ApprovalNotice, askedTerms, type Question, reachRef } from "../../actors/reach/schema.ts";
import type { Clock } from "../../actors/runtime/ports.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import { isLinkDecision } from "../../actors/webhook/events.ts";
import { keyHash } from "../http/admission/token.ts";
import type { Visit } from "./visit.ts";

export interface ApprovalLinkParts {
  readonly system: TroupeSystem;
  readonly agents: { find(by: { organizationId: string; userId: string }, id: string): MaybePromise<Outcome<Agent>> };
  readonly clock: Pick<Clock, "now">;
}

/** The content of a link. */
export interface ApprovalLink {
  readonly organizationId: string;
  readonly approvalId: string;
  readonly noticeId: string;
  readonly key: string;
}

/** The link of a visit: its path, and the query or the form. */
export function approvalLinkIn({ request, form, query }: Pick<Visit, "request" | "form" | "query">): ApprovalLink {
  const given = request.method === "POST" ? form : query;
  return {
    approvalId: new URL(request.url).pathname.split("/").at(-1) ?? "",
    organizationId: given.get("organization") ?? "",
    noticeId: given.get("notice") ?? "",
    key: given.get("key") ?? "",
  };
}

/** `open`: it can be decided now. The other words say why it cannot. */
export type ApprovalLinkState = "open" | "decided" | "expired" | "changed";

export interface OpenedLink {
  readonly link: ApprovalLink;
  readonly question: Question;
  readonly notice: ApprovalNotice;
  readonly job: Job;
  readonly approval: Approval;
  readonly state: ApprovalLinkState;
  /** The hash of what is asked now. */
  readonly terms: string;
  /** Names of the person who began the work, and of whoever decided. */
  readonly begunBy: string | null;
  readonly decidedBy: string | null;
}

/** The ids of a link, so that nothing else of a stranger's reaches an actor. */
const ID = /^(?:org|apr|ntc)_[A-Za-z0-9_-]{1,64}$/;
const LINK_KEY_CHARACTERS = 43;

/** Opens a link; `not_found` for one that does not exist, whatever is wrong with it. */
export async function openApprovalLink(parts: ApprovalLinkParts, link: ApprovalLink): Promise<Outcome<OpenedLink>> {
  const { organizationId, approvalId, noticeId, key } = link;
  if (![organizationId, approvalId, noticeId].every((id) => ID.test(id)) || key.length !== LINK_KEY_CHARACTERS)
    return notFound("approval");
  const { system } = parts;
  const hash = keyHash(key);
  const known = await system.dispatch(reachRef(organizationId), { kind: "check_link", approvalId, noticeId, hash });
  if (!known.ok) return known;
  const { question, notice } = known.value;
  const left = await unlessLeft(parts, organizationId, notice);
  if (!left.ok) return left;
  const job = await system.dispatch(jobRef(organizationId, question.jobId), { kind: "read_job" });
  if (!job.ok) return job;
  const approval = job.value.approvals.find(({ id }) => id === approvalId);
  if (approval === undefined) return notFound("approval");
  const agent = await agentNow(parts, job.value);
  if (!agent.ok) return agent;
  const terms = keyHash(askedTerms(approval, agent.value));
  const state = linkStateOf(approval, { isChanged: terms !== notice.terms, now: parts.clock.now() });
  const begunBy = await readMemberName(parts, organizationId, job.value.createdBy);
  const decidedBy = await deciderName(parts, organizationId, { approval, question });
  const votes = await countedNow(parts, job.value, approval);
  return ok({
    link,
    question,
    notice,
    job: job.value,
    approval: { ...approval, votes },
    state,
    terms,
    begunBy,
    decidedBy,
  });
}

/** The approvals of a call so far; of an open one those of people who may still decide. */
async function countedNow({ system }: ApprovalLinkParts, job: Job, approval: Approval): Promise<ApprovalVote[]> {
  const { votes = [], decision = null } = approval;
  if (votes.length === 0 || decision !== null) return votes;
  const userIds = votes.map(({ by }) => by);
  const people = await system.dispatch(organizationRef(job.organizationId), { kind: "read_deciders", userIds });
  return people.ok ? [...countedVotes(job, approval, people.value)] : votes;
}

function linkStateOf(
  { decision = null, expiresAt, onExpiry }: Approval,
  { isChanged, now }: { readonly isChanged: boolean; readonly now: number },
): ApprovalLinkState {
  if (decision !== null) return "decided";
  if (onExpiry !== "keep" && Date.parse(expiresAt) <= now) return "expired";
  return isChanged ? "changed" : "open";
}

/** The link of a person who is no longer a member opens nothing, also after a return. */
async function unlessLeft(
  { system }: ApprovalLinkParts,
  organizationId: string,
  { userId, membership = 0 }: ApprovalNotice,
): Promise<Outcome<null>> {
  if (userId === null) return ok(null);
  const member = await system.dispatch(organizationRef(organizationId), { kind: "read_member", userId });
  if (member.ok) return (member.value.membership ?? 0) === membership ? ok(null) : notFound("approval");
  return member.fault.kind === "not_found" ? notFound("approval") : refuse(member.fault);
}

/** The agent as it is now; null if it is gone. */
async function agentNow({ agents }: ApprovalLinkParts, job: Job): Promise<Outcome<Agent | null>> {
  const found = await agents.find({ organizationId: job.organizationId, userId: job.createdBy }, job.agent.id);
  if (found.ok) return found;
  return found.fault.kind === "not_found" ? ok(null) : refuse(found.fault);
}

async function readMemberName(
  { system }: ApprovalLinkParts,
  organizationId: string,
  userId: string,
): Promise<string | null> {
  const member = await system.dispatch(organizationRef(organizationId), { kind: "read_member", userId });
  return member.ok ? member.value.name : null;
}

async function deciderName(
  parts: ApprovalLinkParts,
  organizationId: string,
  { approval: { decidedBy = null }, question }: { readonly approval: Approval; readonly question: Question },
): Promise<string | null> {
  if (decidedBy === null) return null;
  if (!isLinkDecision(decidedBy))
    return (await readMemberName(parts, organizationId, decidedBy)) ?? "a person who has left";
  const messengerId = question.notices.find(({ id }) => id === decidedBy)?.messengerId;
  const known = await parts.system.dispatch(reachRef(organizationId), { kind: "list_messengers" });
  const name = known.ok ? known.value.find(({ id }) => id === messengerId)?.name : undefined;
  return `somebody with the link in ${name ?? "a message"}`;
}

/**
 * For whom a link decides that needs no account: the person who got it by mail, with their own rights; or nobody but the
 * link, if a messenger got it.
 */
export async function holderOf(
  { system }: ApprovalLinkParts,
  { link: { organizationId }, notice, approval }: OpenedLink,
): Promise<Outcome<Principal>> {
  const holder = {
    organizationId,
    tokenId: notice.id,
    tokenKind: "personal",
    expiresAt: approval.expiresAt,
    scopes: ["jobs:read", "jobs:write"],
  } as const;
  if (notice.userId === null) return ok({ ...holder, userId: notice.id, role: "member" });
  const member = await system.dispatch(organizationRef(organizationId), { kind: "read_member", userId: notice.userId });
  return member.ok ? ok({ ...holder, userId: member.value.id, role: member.value.role }) : member;
}

/** What a page says of a link that does not exist: never why. */
export const isUnknown = (fault: Fault): boolean => fault.kind === "not_found";
