/** Who may decide about a call, how many have, and what happens without a decision. */
import type { Approval, ApprovalExpiryAction, ApprovalPolicy } from "../../../sdk/typescript/troupe.ts";
import { Time } from "../format/time.tsx";
import { memberName, ownId } from "../session.ts";

const DECIDER_WORDS: Readonly<Record<Extract<ApprovalPolicy["of"], string>, string>> = {
  anyone: "Every member who sees the job",
  starter: "The person for whom the job works",
  agent_owner: "The person who made the agent",
  owners: "Owners of the organization",
};

const NO_DECISION_WORDS: Readonly<Record<ApprovalExpiryAction, string>> = {
  deny: "the call is denied then",
  cancel: "the job is cancelled then",
  keep: "the call goes on waiting",
  escalate: "other people decide from then on",
};

export function WhoDecides({ approval }: { readonly approval: Approval }) {
  const { policy, votes, on_expiry, expires_at } = approval;
  const { of = "anyone", count = 1, not_starter: isNotStarter = false, services: withServices = false } = policy ?? {};
  const isOver = on_expiry === "keep" && Date.parse(expires_at) < Date.now();
  return (
    <>
      <p class="quiet">
        {typeof of === "string" ? (
          DECIDER_WORDS[of]
        ) : (
          <>
            Members of the group <code>{of.group}</code>
          </>
        )}{" "}
        may decide{withServices ? ", service tokens too" : ""}
        {isNotStarter ? ", but not the person for whom the job works" : ""}.
        {count > 1 ? ` ${votes.length} of ${count} people have approved; one who denies is enough.` : ""}
      </p>
      {votes.length === 0 ? null : (
        <ul aria-label="Approved by">
          {votes.map(({ by, at, comment }) => (
            <li key={by}>
              <bdi>{by === ownId.value ? "You" : (memberName(by) ?? "A person")}</bdi>, <Time at={at} />
              {comment === null ? null : (
                <>
                  : <bdi>{comment}</bdi>
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      <p class="quiet">
        {isOver ? (
          <>
            The time to decide ended <Time at={expires_at} />: the call waits until it is decided.
          </>
        ) : (
          <>
            The time to decide ends <Time at={expires_at} />. Without a decision {NO_DECISION_WORDS[on_expiry]}.
          </>
        )}
      </p>
    </>
  );
}

/** Why the person may not approve or deny the call; null if they may. `whyNot`: why nobody may with this job. */
export function refusalsOf(
  { decision_refusal: refusal, votes, policy }: Approval,
  whyNot: string | null,
): Readonly<Record<"approve" | "deny" | "edit", string | null>> {
  const deny = refusal ?? whyNot;
  const hasVoted = votes.some(({ by }) => by === ownId.value);
  const approve = deny ?? (hasVoted ? "You have approved it already: other people must approve it too" : null);
  const isOfSeveral = (policy?.count ?? 1) > 1;
  return { approve, deny, edit: approve ?? (isOfSeveral ? "Several people decide about these arguments" : null) };
}
