/** Calls that wait, or have waited, for people, as the current surface shows them (JOB-8, APR-7). */
import { ApprovalPolicy, CallDecision, type DecidingPeople, ON_EXPIRY } from "../../../actors/job/approval-rule.ts";
import { countedVotes } from "../../../actors/job/deciders.ts";
import type { Job } from "../../../actors/job/schema.ts";
import { type Approval, APPROVAL_DECISIONS } from "../../../actors/job/terms.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import { Nullable, NullableTime, OneOf, Timestamp, Type } from "../../../actors/schema.ts";
import { visibleJson } from "../../../actors/visible-text.ts";
import { fieldsFrom, Id, noun, OpenObject, Text } from "../../http/contract/noun.ts";
import type { Shown } from "../../http/contract/operation.ts";
import { callerRefusal } from "../../operations/deciding.ts";

const PolicyView = noun("ApprovalPolicy", "Who decides about a call, as a rule says it", {
  of: ApprovalPolicy.properties.of,
  count: ApprovalPolicy.properties.count,
  not_starter: ApprovalPolicy.properties.notStarter,
  services: ApprovalPolicy.properties.services,
});

export const ApprovalView = noun("Approval", "A tool call that needs a person's approval", {
  id: Id("apr", "The approval's id"),
  tool_name: Text("The tool", "web_fetch"),
  tool_call_id: Text("The call", "call_1"),
  arguments: OpenObject("Arguments of the call"),
  message: Text("Question to the person who decides", "Allow web_fetch?"),
  expires_at: Timestamp,
  on_expiry: OneOf(ON_EXPIRY),
  asked_by: Type.Union([CallDecision, Type.Null()], {
    description: "What made the call wait; null if the agent has no approval rules",
  }),
  policy: Type.Union([PolicyView, Type.Null()], {
    description: "Who decides about it, if a rule says so; null: any member who sees the job",
  }),
  votes: Type.Array(
    noun("ApprovalVote", "The approval of one person, where a call needs several", {
      by: Id("usr", "Who has approved"),
      at: Timestamp,
      comment: Nullable(Type.String()),
    }),
    {
      description:
        "Who has approved so far, if several people must. While the call is undecided, people who may no longer decide are left out",
      examples: [[]],
    },
  ),
  decision_refusal: Nullable(
    Type.String({
      description: "Why the caller may not decide about this call; null if they may, or if it is decided",
    }),
  ),
  decision: Nullable(OneOf(APPROVAL_DECISIONS, { description: "Null while it is open" })),
  decided_by: Nullable(Type.String({ description: "The user who decided; null if the approval expired" })),
  decided_at: NullableTime,
});

export interface ApprovalReader {
  /** The reader, who may learn why they may not decide. */
  readonly by: Principal | null;
  /** What those who have approved are now, if that is known. */
  readonly voters?: DecidingPeople | undefined;
}

export const NO_READER: ApprovalReader = { by: null };

const approvalFields = fieldsFrom(ApprovalView);
const policyFields = fieldsFrom(PolicyView);

export const approvalView = (
  job: Job,
  approval: Approval,
  { by, voters }: ApprovalReader,
): Shown<typeof ApprovalView> => ({
  ...approvalFields(approval),
  arguments: visibleJson(approval.arguments),
  asked_by: approval.askedBy ?? null,
  policy: approval.policy === undefined ? null : policyFields(approval.policy),
  votes: [...votesView(job, approval, voters)],
  decision_refusal: by === null || (approval.decision ?? null) !== null ? null : callerRefusal(job, approval, by),
  decision: approval.decision ?? null,
  decided_by: approval.decidedBy ?? null,
  decided_at: approval.decidedAt ?? null,
});

/** Of an open call those that count: of people who may still decide. */
const votesView = (job: Job, approval: Approval, voters: DecidingPeople | undefined) =>
  voters === undefined || (approval.decision ?? null) !== null
    ? (approval.votes ?? [])
    : countedVotes(job, approval, voters);
