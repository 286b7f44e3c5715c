/** What a job waits for from a person: approvals of tool calls, a review of its result, or the word to continue. */
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { Approval, Authorization, CallDecision, Job } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { SAFE_LINK } from "../format/markdown.tsx";
import { Time } from "../format/time.tsx";
import { newestRead } from "../inbox/waiting.ts";
import { lazyPart } from "../lazy-page.tsx";
import { service } from "../service.ts";
import { ownId } from "../session.ts";
import { STOPPED_WORDS, StoppedForm } from "./stopped-form.tsx";
import { refusalsOf, WhoDecides } from "./who-decides.tsx";

const LazyArgumentForm = lazyPart(async () => (await import("./argument-form.tsx")).ArgumentForm);
const LazyClientCallForm = lazyPart(async () => (await import("./client-call-form.tsx")).ClientCallForm);

interface DecisionsProps {
  readonly job: Job;
  /** Called after each decision. */
  readonly decided: () => unknown;
}

export function Decisions({ job: known, decided }: DecisionsProps) {
  const job = newestRead(known);
  const pending = job.approvals.filter(({ decision }) => decision === null);
  const whyNot = whyNotTo(job, "approve");
  return (
    <>
      {pending.map((approval) => (
        <ApprovalForm key={approval.id} job={job} approval={approval} decided={decided} whyNot={whyNot} />
      ))}
      {job.status === "needs_review" ? <ReviewForm job={job} decided={decided} whyNot={whyNot} /> : null}
      {job.authorizations
        .filter(({ outcome }) => outcome === null)
        .map((wanted) => (
          <AuthorizationCard key={`${wanted.connection_id} ${wanted.requested_at}`} wanted={wanted} />
        ))}
      {isStopped(job) ? <StoppedForm job={job} decided={decided} whyNot={whyNotTo(job, "resume")} /> : null}
      {job.requested_tool_calls.map((call) => (
        <section key={call.id} class="card decision" aria-label={`Call of ${call.name}`}>
          <p class="question">
            <code>{call.name}</code> runs in a program of yours, which has not sent its result yet.
          </p>
          <pre tabIndex={0} aria-label={`Arguments of ${call.name}`}>
            {JSON.stringify(call.arguments, null, 2)}
          </pre>
          <LazyClientCallForm job={job} call={call} decided={decided} whyNot={whyNotTo(job, "tool_results")} />
          <p class="quiet">
            Without a result it fails <Time at={call.expires_at} />.
          </p>
        </section>
      ))}
    </>
  );
}

/** Access to a tool server that the job waits for: it is given or denied on a page of the service. */
function AuthorizationCard({ wanted: { name, url, owner, scopes, link } }: { readonly wanted: Authorization }) {
  return (
    <section class="card decision" aria-label={`Access for ${name}`}>
      <p class="question">
        <code>{name}</code> needs access to <bdi>{url}</bdi>
      </p>
      <p class="quiet">
        {owner === "person" ? "The person for whom the job works" : "An owner of the organization"} can give it
        {scopes.length === 0 ? "" : `, for ${scopes.join(", ")}`}. The job goes on by itself then.
      </p>
      <p class="actions">
        {SAFE_LINK.test(link) ? (
          <a href={link} target="_blank">
            Give or deny it in another tab
          </a>
        ) : null}
        <Link href="/people/connections">All connections</Link>
      </p>
    </section>
  );
}

interface DecisionFormProps extends DecisionsProps {
  readonly whyNot: string | null;
}

function ApprovalForm({ job, approval, decided, whyNot }: DecisionFormProps & { readonly approval: Approval }) {
  const { id, tool_name, message, asked_by } = approval;
  const refusals = refusalsOf(approval, whyNot);
  const [edited, setEdited] = useState(approval.arguments);
  const [isUnreadable, setUnreadable] = useState(false);
  const [refused, setRefused] = useState<unknown>(null);
  const isSame = JSON.stringify(edited) === JSON.stringify(approval.arguments);
  const decide = async (decision: "approve" | "deny"): Promise<void> => {
    setRefused(null);
    const changed = decision === "approve" && !isSame ? { arguments: edited } : {};
    try {
      await service.approveJob(job.id, { approval_id: id, decision, ...changed });
    } catch (error) {
      setRefused(error);
      throw error;
    }
    await decided();
  };
  return (
    <section class="card decision" aria-label={`Approval of ${tool_name}`}>
      <p class="question">
        May <code>{tool_name}</code> run?
      </p>
      {message === "" ? null : <p>{message}</p>}
      {asked_by === null ? null : <p class="quiet">{wordsOfAsking(asked_by)}</p>}
      <LazyArgumentForm
        agentId={job.agent_id}
        tool={tool_name}
        value={edited}
        change={setEdited}
        unreadable={setUnreadable}
        refused={refused}
        isReadOnly={refusals.edit !== null}
      />
      <p class="actions">
        <ActionButton
          act={() => decide("approve")}
          whyNot={refusals.approve ?? (isUnreadable ? "Correct the arguments first" : null)}
        >
          {isSame ? "Approve" : "Approve with these arguments"}
        </ActionButton>
        <ActionButton class="quiet" act={() => decide("deny")} whyNot={refusals.deny}>
          Deny
        </ActionButton>
      </p>
      <WhoDecides approval={approval} />
    </section>
  );
}

/** What made the call wait. */
const wordsOfAsking = ({ by, rule, name }: CallDecision): string =>
  by === "rule"
    ? `It is asked by rule ${(rule ?? 0) + 1} of the agent${name === undefined ? "" : `, “${name}”`}.`
    : by === "doubt"
      ? "It is asked because a rule about this tool could not be applied."
      : "It is asked because no rule of the agent decides it.";

function ReviewForm({ job, decided, whyNot }: DecisionFormProps) {
  const [comment, setComment] = useState("");
  return (
    <section class="card decision" aria-label="Review of the result">
      <p class="question">Is this result good?</p>
      <label>
        What should be different
        <textarea rows={2} value={comment} onInput={({ currentTarget }) => setComment(currentTarget.value)} />
      </label>
      <p class="actions">
        <ActionButton act={() => service.approveJob(job.id, { decision: "approve" })} after={decided} whyNot={whyNot}>
          Accept
        </ActionButton>
        <ActionButton
          class="quiet"
          act={() => service.iterateJob(job.id, { feedback: comment })}
          after={decided}
          whyNot={whyNotTo(job, "iterate") ?? (comment.trim() === "" ? "Say first what should be different" : null)}
        >
          Ask for changes
        </ActionButton>
      </p>
    </section>
  );
}

/** Whether the job is blocked until somebody resumes it. */
export const isStopped = ({ status, blocked_reason: reason }: Job): boolean =>
  status === "blocked" && reason !== null && STOPPED_WORDS[reason] !== undefined;

/** What each action needs of a job. */
const ACTION_NEEDS: Readonly<Record<string, string>> = {
  approve: "a decision that is open",
  cancel: "a job that has not ended",
  iterate: "a result",
  resume: "a job that has stopped or failed, with its agent, chat and workspace",
  tool_results: "an open call of a tool",
};

/** Why the caller may not take this action; null if they may. */
export function whyNotTo(
  { allowed_actions: allowed, status, created_by: creator }: Job,
  action: string,
): string | null {
  if (allowed.includes(action)) return null;
  if (action === "tool_results" && creator !== ownId.value) return "Only the person for whom the job works may do this";
  return `The job is ${status.replaceAll("_", " ")}: this needs ${ACTION_NEEDS[action] ?? "another state"}`;
}
