/** Why a job has stopped without a question to a person, and the buttons that let it continue. */
import { useState } from "preact/hooks";
import type { BlockedReason, Job, JobBudgetInput, ResumeJobRequest } from "../../../sdk/typescript/troupe.ts";
import { ActionButton } from "../action-button.tsx";
import { service } from "../service.ts";

/** Reasons that a resume ends. Approvals and tool results have forms of their own. */
export const STOPPED_WORDS: Readonly<Partial<Record<BlockedReason, string>>> = {
  interrupted: "The service stopped during a tool call. It is not known whether the call took effect.",
  budget_reached: "It has used its budget, or the organization has used the budget of this month.",
  input_required: "It needs more input.",
  auth_required: "It needs somebody to sign in.",
};

const BUDGET_FIELDS = [
  ["max_steps", "Model calls"],
  ["max_tokens", "Tokens"],
  ["max_cost", "Cost"],
] as const;
type BudgetTexts = Readonly<Partial<Record<(typeof BUDGET_FIELDS)[number][0], string>>>;

interface StoppedFormProps {
  readonly job: Job;
  readonly decided: () => unknown;
  readonly whyNot: string | null;
}

export function StoppedForm({ job, decided, whyNot }: StoppedFormProps) {
  const { blocked_reason: reason, budget } = job;
  const limited = reason === "budget_reached" ? BUDGET_FIELDS.filter(([part]) => budget[part] !== null) : [];
  const [texts, setTexts] = useState<BudgetTexts>({});
  const textOf = (part: keyof BudgetTexts): string => texts[part] ?? String(budget[part]);
  const resume = async (body: ResumeJobRequest): Promise<void> => {
    await service.resumeJob(job.id, body);
    await decided();
  };
  const again = (): Promise<void> =>
    resume(limited.length === 0 ? {} : { budget: budgetOfTexts(limited.map(([part]) => [part, textOf(part)])) });
  return (
    <section class="card decision" aria-label="Stopped job">
      <p class="question">The job has stopped. {STOPPED_WORDS[reason ?? "input_required"]}</p>
      {limited.length === 0 ? null : <p>If it continues, these limits count from here:</p>}
      {limited.map(([part, words]) => (
        <label key={part}>
          {words}
          <input
            type="text"
            inputMode="decimal"
            value={textOf(part)}
            onInput={({ currentTarget }) => setTexts({ ...texts, [part]: currentTarget.value })}
          />
        </label>
      ))}
      <p class="actions">
        {reason === "interrupted" ? (
          <>
            <ActionButton act={() => resume({ retry_step: true })} whyNot={whyNot}>
              Make the call again
            </ActionButton>
            <ActionButton class="quiet" act={() => resume({ retry_step: false })} whyNot={whyNot}>
              Resume without the call
            </ActionButton>
          </>
        ) : (
          <ActionButton act={again} whyNot={whyNot}>
            Resume
          </ActionButton>
        )}
      </p>
    </section>
  );
}

/** A limit that is left empty stays as it is. */
const budgetOfTexts = (texts: readonly (readonly [keyof BudgetTexts, string])[]): JobBudgetInput =>
  Object.fromEntries(
    texts
      .filter(([, text]) => text.trim() !== "")
      .map(([part, text]) => [part, part === "max_cost" ? text.trim() : Number(text)]),
  );
