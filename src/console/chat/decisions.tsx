/** What a job waits for from a person: approvals of tool calls, a review of its result, or the word to continue. */
import { useState } from "preact/hooks";
import type { Approval, Job } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { Time } from "../format/time.tsx";
import { service } from "../service.ts";
import { STOPPED_WORDS, StoppedForm } from "./stopped-form.tsx";

interface DecisionsProps {
  readonly job: Job;
  /** Called after each decision. */
  readonly decided: () => unknown;
}

export function Decisions({ job, decided }: DecisionsProps) {
  const pending = job.approvals.filter(({ decision }) => decision === null);
  const whyNot = whyNotTo(job, "approve");
  return (
    <>
      {pending.map((approval) => (
        <ApprovalForm key={approval.id} job={job} approval={approval} decided={decided} whyNot={whyNot} />
      ))}
      {job.status === "needs_review" ? <ReviewForm job={job} decided={decided} whyNot={whyNot} /> : null}
      {isStopped(job) ? <StoppedForm job={job} decided={decided} whyNot={whyNotTo(job, "resume")} /> : null}
      {job.requested_tool_calls.map(({ id, name }) => (
        <p key={id} class="card">
          The tool <code>{name}</code> runs in a program of yours, which has not sent its result yet.
        </p>
      ))}
    </>
  );
}

interface DecisionFormProps extends DecisionsProps {
  readonly whyNot: string | null;
}

function ApprovalForm({ job, approval, decided, whyNot }: DecisionFormProps & { readonly approval: Approval }) {
  const { id, tool_name, message, expires_at, on_expiry } = approval;
  const given = JSON.stringify(approval.arguments, null, 2);
  const [text, setText] = useState(given);
  const edited = argumentsIn(text);
  const decide = async (decision: "approve" | "deny"): Promise<void> => {
    const changed = decision === "approve" && text !== given && edited !== null ? { arguments: edited } : {};
    await service.approveJob(job.id, { approval_id: id, decision, ...changed });
    await decided();
  };
  return (
    <section class="card decision" aria-label={`Approval of ${tool_name}`}>
      <p class="question">
        May <code>{tool_name}</code> run?
      </p>
      {message === "" ? null : <p>{message}</p>}
      <label>
        Arguments
        <textarea
          class="code"
          rows={Math.min(12, text.split("\n").length)}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          aria-invalid={edited === null}
        />
      </label>
      {edited === null ? <p class="bad">The arguments must be a JSON object.</p> : null}
      <p class="actions">
        <ActionButton
          act={() => decide("approve")}
          whyNot={whyNot ?? (edited === null ? "Correct the arguments first" : null)}
        >
          {text === given ? "Approve" : "Approve with these arguments"}
        </ActionButton>
        <ActionButton class="quiet" act={() => decide("deny")} whyNot={whyNot}>
          Deny
        </ActionButton>
      </p>
      <p class="quiet">
        Without a decision it is {on_expiry === "deny" ? "denied" : "denied, and the job cancelled,"}{" "}
        <Time at={expires_at} />.
      </p>
    </section>
  );
}

function ReviewForm({ job, decided, whyNot }: DecisionFormProps) {
  const [comment, setComment] = useState("");
  const decide = async (act: () => Promise<unknown>): Promise<void> => {
    await act();
    await decided();
  };
  return (
    <section class="card decision" aria-label="Review of the result">
      <p class="question">Is this result good?</p>
      <label>
        What should be different
        <textarea rows={2} value={comment} onInput={({ currentTarget }) => setComment(currentTarget.value)} />
      </label>
      <p class="actions">
        <ActionButton act={() => decide(() => service.approveJob(job.id, { decision: "approve" }))} whyNot={whyNot}>
          Accept
        </ActionButton>
        <ActionButton
          class="quiet"
          act={() => decide(() => service.iterateJob(job.id, { feedback: comment }))}
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

/** Why the caller may not take this action; null if they may. */
export const whyNotTo = ({ allowed_actions }: Job, action: string): string | null =>
  allowed_actions.includes(action) ? null : "You are not allowed to do this now";

/** The object in a text; null if it has none. */
function argumentsIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    return null;
  }
}
