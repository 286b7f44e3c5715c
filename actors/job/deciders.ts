/**
 * Who may decide about a call that waits (APR-7, APR-8): the same check for every surface, in the commit of the
 * decision and, without a commit, where a record shows what its reader may do.
 */
import type { ApprovalPolicy, Deciders, DecidingPeople, DecidingPerson } from "./approval-rule.ts";
import type { Job } from "./schema.ts";
import type { Approval, ApprovalVote } from "./terms.ts";

interface DecidedJob {
  readonly createdBy: string;
  readonly agent: Pick<Job["agent"], "createdBy">;
}

/** The part of an approval that says who decides. */
interface DecidedCall {
  readonly policy?: ApprovalPolicy | undefined;
}

/** Whether a rule of the job's agent says who decides. Only then are the people looked up. */
export const asksWhoDecides = ({ approvals }: Pick<Job, "approvals">): boolean =>
  approvals.some(({ policy }) => policy !== undefined);

/** Why this person may not decide the approval, as a sentence without a full stop; null if they may. */
export function decisionRefusal(
  job: DecidedJob,
  { policy }: DecidedCall,
  {
    userId,
    person,
    isService,
  }: { readonly userId: string; readonly person: DecidingPerson | undefined; readonly isService: boolean },
): string | null {
  if (policy === undefined) return null;
  if (person === undefined) return "Only members of the organization decide about this call";
  if (isService && !policy.services) return "A service token cannot decide about this call: its rule asks for people";
  if (policy.notStarter && userId === job.createdBy)
    return "The person for whom the job works cannot decide about this call: somebody else must";
  return isAmong(policy.of, job, userId, person) ? null : `Only ${decidersWords(policy.of)} about this call`;
}

function isAmong(
  of: Deciders,
  { createdBy, agent }: DecidedJob,
  userId: string,
  { isOwner, groups }: DecidingPerson,
): boolean {
  if (typeof of === "object") return groups.includes(of.group);
  if (of === "owners") return isOwner;
  if (of === "starter") return userId === createdBy;
  return of === "anyone" || userId === agent.createdBy;
}

const DECIDERS_WORDS = {
  anyone: "members decide",
  starter: "the person for whom the job works decides",
  agent_owner: "the creator of the agent decides",
  owners: "owners of the organization decide",
} as const;
const decidersWords = (of: Deciders): string =>
  typeof of === "object" ? `members of the group ${of.group} decide` : DECIDERS_WORDS[of];

/** The votes that still count: of people who may still decide. Those of services were allowed when they were given. */
export const countedVotes = (
  job: DecidedJob,
  { policy, votes = [] }: Pick<Approval, "policy" | "votes">,
  people: DecidingPeople,
): readonly ApprovalVote[] =>
  votes.filter(
    ({ by }) => decisionRefusal(job, { policy }, { userId: by, person: people[by], isService: false }) === null,
  );

/** The people whose standing a decision about this job depends on. */
export const peopleOf = ({ approvals }: Pick<Job, "approvals">, by: string): readonly string[] => [
  ...new Set([by, ...approvals.flatMap(({ votes = [] }) => votes.map((vote) => vote.by))]),
];
