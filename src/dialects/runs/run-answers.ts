/**
 * Answers to a run that waits: decisions about calls, and results of the client's tools (JOB-8, JOB-17). What the run
 * has already is left out, so that the same answers once more are no second ones.
 */
import { ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { waitingCalls } from "../../../actors/job/client-call.ts";
import { openApprovals } from "../../../actors/job/machine.ts";
import type { ClientResult } from "../../../actors/job/protocol.ts";
import { type Job, jobRef } from "../../../actors/job/schema.ts";
import { hasScope, type Principal } from "../../../actors/organization/principal.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import type { Ask } from "../../../actors/runtime/turns/members.ts";
import { ask } from "../../../actors/troupe.ts";
import { visibleText } from "../../../actors/visible-text.ts";
import type { Change, Commit } from "../../http/commit/commit.ts";
import { withinResult } from "../../http/contract/limits.ts";

export type RunAnswer =
  | {
      readonly kind: "approval";
      readonly approvalId: string;
      readonly isApproved: boolean;
      readonly comment: string | null;
      /** The arguments that replace the model's; null: unchanged. */
      readonly arguments: JsonObject | null;
    }
  | {
      readonly kind: "result";
      readonly callId: string;
      readonly content: string;
      readonly isError: boolean;
      /** The content's field in the body. */
      readonly field: string;
    };

/** The scope for deciding about calls, as on the current surface. */
const DECIDING_SCOPE = "jobs:write";

/** Commits the answers that the job lacks. */
export async function answerRun(
  change: Change,
  { job, answers }: { readonly job: Job; readonly answers: readonly RunAnswer[] },
  begun: JsonObject,
): Promise<Outcome<Commit>> {
  const missing = missingAnswers(job, answers);
  const allowed = mayAnswer(change.principal, missing);
  if (!allowed.ok) return allowed;
  const read = ask(jobRef(job.organizationId, job.id), { kind: "read_job" });
  return change.begin([read, ...stepsOf(change.principal, job, missing)], () => begun);
}

function missingAnswers(job: Job, answers: readonly RunAnswer[]): readonly RunAnswer[] {
  const open = new Set([...openApprovals(job), ...waitingCalls(job)].map(({ id }) => id));
  return answers.filter((answer) => open.delete(answer.kind === "approval" ? answer.approvalId : answer.callId));
}

function mayAnswer({ scopes }: Principal, answers: readonly RunAnswer[]): Outcome<null> {
  for (const answer of answers) {
    if (answer.kind === "result") {
      const fits = withinResult(answer.content, answer.field);
      if (!fits.ok) return fits;
    } else if (!hasScope(scopes, DECIDING_SCOPE))
      return refuse({ kind: "insufficient_scope", required: [DECIDING_SCOPE] });
  }
  return ok(null);
}

/** The members that commit them. */
function stepsOf({ userId: by }: Principal, job: Job, answers: readonly RunAnswer[]): readonly Ask<Job>[] {
  const ref = jobRef(job.organizationId, job.id);
  const results: ClientResult[] = [];
  const steps: Ask<Job>[] = [];
  for (const answer of answers) {
    if (answer.kind === "result") {
      results.push({ toolCallId: answer.callId, content: visibleText(answer.content), isError: answer.isError });
      continue;
    }
    const { approvalId, isApproved, comment, arguments: given } = answer;
    const decision = isApproved ? "approve" : "deny";
    steps.push(ask(ref, { kind: "approve", by, decision, approvalId, toolCallId: null, arguments: given, comment }));
  }
  return results.length === 0 ? steps : [...steps, ask(ref, { kind: "tool_results", by, results })];
}
