/**
 * Answers to a run that waits: decisions about calls, and results of the client's tools (JOB-8, JOB-17). What the run
 * has already is left out, so that the same answers once more are no second ones.
 */
import type { Chat } from "../../../actors/chat/schema.ts";
import { type Fault, mapOutcome, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { waitingCalls } from "../../../actors/job/client-call.ts";
import { allowedJobActions, openApprovals } from "../../../actors/job/machine.ts";
import type { ClientResult } from "../../../actors/job/protocol.ts";
import { type Job, jobRef } from "../../../actors/job/schema.ts";
import type { MaybePromise } from "../../../actors/maybe-promise.ts";
import { hasScope, type Principal } from "../../../actors/organization/principal.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import type { MemberStep } from "../../../actors/runtime/turns/members.ts";
import { ask } from "../../../actors/troupe.ts";
import { visibleText } from "../../../actors/visible-text.ts";
import type { Change, Commit } from "../../http/commit/commit.ts";
import { withinResult } from "../../http/contract/limits.ts";
import { decidingSteps } from "../../operations/deciding.ts";
import { checkedArguments, type FittedArguments, fittingArguments } from "../../operations/fitting-arguments.ts";
import type { Services } from "../../operations/services.ts";

export type RunAnswer =
  | {
      readonly kind: "approval";
      readonly approvalId: string;
      readonly isApproved: boolean;
      readonly comment: string | null;
      /** The arguments that replace the model's, and their field in the body; null: unchanged. */
      readonly arguments: { readonly given: JsonObject; readonly field: string } | null;
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
  services: Services,
  change: Change,
  { job, answers }: { readonly job: Job; readonly answers: readonly RunAnswer[] },
  begun: JsonObject,
): Promise<Outcome<Commit>> {
  const missing = missingAnswers(job, answers);
  const allowed = await mayAnswer(services, change.principal, job, missing);
  if (!allowed.ok) return allowed;
  const read = ask(jobRef(job.organizationId, job.id), { kind: "read_job" });
  return change.begin([read, ...stepsOf(change.principal, job, missing, allowed.value)], () => begun);
}

/**
 * The members by which a message answers the run that its chat waits for, in the message's own commit. Without all
 * answers the message would wait behind that run, for hours and without a word: it is refused, with what is missing.
 */
export async function answersBefore(
  services: Services,
  { principal: by }: Change,
  chat: Outcome<Chat>,
  answers: readonly RunAnswer[],
): Promise<Outcome<readonly MemberStep[]>> {
  const { system } = services;
  if (!chat.ok) return chat.fault.kind === "not_found" ? ok([]) : chat;
  const { activeJobId } = chat.value;
  if (activeJobId === null) return ok([]);
  const job = await system.dispatch(jobRef(by.organizationId, activeJobId), { kind: "read_job" });
  if (!job.ok) return job;
  if (job.value.status !== "blocked" && job.value.status !== "needs_review") return ok([]);
  const missing = missingAnswers(job.value, answers);
  const given = new Set(missing.map(answerId));
  const unanswered = openQuestions(job.value).filter(({ id }) => !given.has(id));
  if (given.size === 0 || unanswered.length > 0) return refuse(waitingFault(job.value, unanswered));
  const allowed = await mayAnswer(services, by, job.value, missing);
  return mapOutcome(allowed, (checked) => stepsOf(by, job.value, missing, checked));
}

/** What the run waits for, in words. */
function waitingFault(job: Job, unanswered: readonly { readonly id: string; readonly name: string }[]): Fault {
  const { status, blockedReason } = job;
  const calls = unanswered.map(({ id, name }) => `${name} (${id})`).join(", ");
  const asked = blockedReason === "approval_required" ? "a decision about" : "the result of";
  const reason = status === "needs_review" ? "a review" : (blockedReason ?? "input_required").replaceAll("_", " ");
  const message =
    unanswered.length > 0
      ? `The run before this message waits for ${asked} ${calls}: send it with the message, or stop the run`
      : `The run before this message waits: ${reason}. A person can continue it in the console, or stop it`;
  return { kind: "invalid_state", status, allowedActions: allowedJobActions(job), message };
}

/** What waits for an answer: approvals, and calls of the client's tools. */
const openQuestions = (job: Job): readonly { readonly id: string; readonly name: string }[] => [
  ...openApprovals(job).map(({ id, toolName: name }) => ({ id, name })),
  ...waitingCalls(job),
];

/** The approval or the call that it answers. */
export const answerId = (answer: RunAnswer): string => (answer.kind === "approval" ? answer.approvalId : answer.callId);

function missingAnswers(job: Job, answers: readonly RunAnswer[]): readonly RunAnswer[] {
  const open = new Set(openQuestions(job).map(({ id }) => id));
  return answers.filter((answer) => open.delete(answerId(answer)));
}

/** The checks of changed arguments, by approval. */
type CheckedAnswers = ReadonlyMap<string, FittedArguments>;

async function mayAnswer(
  services: Pick<Services, "argumentChecks" | "ruleChecks">,
  by: Principal,
  job: Job,
  answers: readonly RunAnswer[],
): Promise<Outcome<CheckedAnswers>> {
  const checked = new Map<string, FittedArguments>();
  for (const answer of answers) {
    if (answer.kind === "approval" && !hasScope(by.scopes, DECIDING_SCOPE))
      return refuse({ kind: "insufficient_scope", required: [DECIDING_SCOPE] });
    const fits = await fittingAnswer(services, by, job, answer);
    if (!fits.ok) return fits;
    if (fits.value !== null) checked.set(answerId(answer), fits.value);
  }
  return ok(checked);
}

function fittingAnswer(
  services: Pick<Services, "argumentChecks" | "ruleChecks">,
  by: Principal,
  job: Job,
  answer: RunAnswer,
): MaybePromise<Outcome<FittedArguments | null>> {
  if (answer.kind === "result") return withinResult(answer.content, answer.field);
  const { approvalId, isApproved, arguments: changed } = answer;
  // The job refuses arguments of a denial.
  if (changed === null || !isApproved) return ok(null);
  return fittingArguments(services, by, job, { ...changed, approvalId, toolCallId: null });
}

/** The members that commit them. */
function stepsOf(
  principal: Principal,
  job: Job,
  answers: readonly RunAnswer[],
  checked: CheckedAnswers,
): readonly MemberStep[] {
  const { userId: by } = principal;
  const ref = jobRef(job.organizationId, job.id);
  const results: ClientResult[] = [];
  const steps: MemberStep[] = [];
  for (const answer of answers) {
    if (answer.kind === "result") {
      results.push({ toolCallId: answer.callId, content: visibleText(answer.content), isError: answer.isError });
      continue;
    }
    const { approvalId, isApproved, comment } = answer;
    const given = answer.arguments?.given ?? null;
    const decision = isApproved ? "approve" : "deny";
    const check = checked.get(approvalId);
    const more = check === undefined ? {} : checkedArguments(check);
    const command = { decision, approvalId, toolCallId: null, arguments: given, comment, ...more } as const;
    steps.push(...decidingSteps(principal, job.id, command));
  }
  return results.length === 0 ? steps : [...steps, ask(ref, { kind: "tool_results", by, results })];
}
