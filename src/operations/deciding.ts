/**
 * The steps of a decision about calls that wait, for every surface (APR-8): what the organization knows of the people is
 * read in the commit of the decision, so nobody decides who was removed meanwhile, and two decisions have one effect.
 */
import type { DecidingPeople } from "../../actors/job/approval-rule.ts";
import { asksWhoDecides, decisionRefusal, peopleOf } from "../../actors/job/deciders.ts";
import { openApprovals } from "../../actors/job/machine.ts";
import type { JobCommand } from "../../actors/job/protocol.ts";
import { type Job, jobRef } from "../../actors/job/schema.ts";
import type { Approval } from "../../actors/job/terms.ts";
import type { Principal } from "../../actors/organization/principal.ts";
import { organizationRef } from "../../actors/organization/schema.ts";
import type { Ask } from "../../actors/runtime/turns/members.ts";
import { ask } from "../../actors/troupe.ts";

type Decision = Omit<Extract<JobCommand, { readonly kind: "approve" }>, "kind" | "by" | "people" | "isService">;
/** A step that sees the replies before it, wherever it stands in its group. */
type Later<R> = (replies: readonly unknown[]) => Ask<R>;

/** Reads the job, then the people, then decides; the last reply is the job after it. */
export function decidingSteps(
  { organizationId, userId: by, tokenKind }: Pick<Principal, "organizationId" | "userId" | "tokenKind">,
  jobId: string,
  decision: Decision,
): readonly [Ask<Job>, (replies: readonly unknown[]) => Ask<DecidingPeople> | null, Later<Job>] {
  const ref = jobRef(organizationId, jobId);
  const isService = tokenKind === "service";
  return [
    ask(ref, { kind: "read_job" }),
    (replies) => {
      const job = replies.at(-1) as Job;
      if (!asksWhoDecides(job) && decision.judged?.policy === undefined) return null;
      return ask(organizationRef(organizationId), { kind: "read_deciders", userIds: peopleOf(job, by) });
    },
    (replies) => {
      const people = replies.at(-1) as DecidingPeople | undefined;
      return ask(ref, { kind: "approve", by, isService, ...(people === undefined ? {} : { people }), ...decision });
    },
  ];
}

/** Why the caller may not decide this approval, by what is known of them outside a commit; null: they may. */
export const callerRefusal = (job: Job, approval: Approval, by: Principal): string | null =>
  decisionRefusal(job, approval, {
    userId: by.userId,
    person: { isOwner: by.role === "owner", groups: by.groups ?? [] },
    isService: by.tokenKind === "service",
  });

/** Whether the caller may decide an open approval of the job, or has none to decide. */
export const maySomeDecide = (job: Job, by: Principal): boolean => {
  const open = openApprovals(job);
  return open.length === 0 || open.some((approval) => callerRefusal(job, approval, by) === null);
};
