/** Arguments that a person gives to a waiting call in place of the model's (JOB-8): the same check on every surface. */
import { callsLeft } from "../../actors/job/open-calls.ts";
import { invalid, mapOutcome, ok, type Outcome, refuse } from "../../actors/fault.ts";
import { openApprovals } from "../../actors/job/machine.ts";
import { judgeCall } from "../../actors/job/rules/judging.ts";
import { type ApprovalPolicy, type CallDecision, policyOfRule, ruleFactsOf } from "../../actors/job/approval-rule.ts";
import type { Job } from "../../actors/job/schema.ts";
import type { OpenCall } from "../../actors/job/terms.ts";
import type { JsonObject } from "../../actors/schema.ts";
import { withinArguments } from "../http/contract/limits.ts";
import type { Services } from "./services.ts";

type FittingServices = Pick<Services, "argumentChecks" | "ruleChecks">;

/** For a call whose tool is not known any more: every argument is a stray one. */
const NO_TOOL_FIELDS: JsonObject = { type: "object" };

/** What the rules say about the changed arguments: they may be those of another rule, with other people to decide. */
export interface JudgedArguments {
  readonly decision: CallDecision;
  readonly policy?: ApprovalPolicy;
}

/** Refuses arguments with which the rules of the agent deny the call: a person's are judged like a model's (APR-4). */
async function unlessRuledOut(
  { ruleChecks: checks }: FittingServices,
  job: Job,
  {
    name,
    given,
    schema = NO_TOOL_FIELDS,
    field,
  }: Pick<OpenCall, "name" | "schema"> & Pick<ChangedArguments, "given" | "field">,
): Promise<Outcome<JudgedArguments | null>> {
  const rules = job.agent.approvalRules ?? [];
  const verdict = await judgeCall(rules, { name, input: given, schema }, ruleFactsOf(job), { checks });
  if (verdict === null) return ok(null);
  if (verdict.refusal !== null) return invalid(`/${field}`, verdict.refusal);
  const policy = verdict.rule === null ? undefined : policyOfRule(verdict.rule);
  return ok({ decision: verdict.decision, ...(policy === undefined ? {} : { policy }) });
}

/** The approval that the arguments were checked for; null: no single one was meant, so no call may get them. */
export interface FittedArguments {
  readonly approvalId: string | null;
  readonly judged: JudgedArguments | null;
}
const FOR_NO_CALL: FittedArguments = { approvalId: null, judged: null };

/** The check as the command of a decision carries it. */
export const checkedArguments = ({ approvalId: checkedFor, judged }: FittedArguments) => ({
  checkedFor,
  ...(judged === null ? {} : { judged }),
});

/** The arguments, the call that they are for, and their field in the body. */
export interface ChangedArguments {
  readonly given: JsonObject;
  readonly approvalId: string | null;
  readonly toolCallId: string | null;
  readonly field: string;
}

/**
 * Whether the arguments are short enough and fit the tool's schema. The job itself decides who may change them, and
 * gives them to no other call than the one that they were checked for.
 */
export async function fittingArguments(
  services: FittingServices,
  by: { readonly userId: string },
  job: Job,
  { given, approvalId, toolCallId, field }: ChangedArguments,
): Promise<Outcome<FittedArguments>> {
  const fits = withinArguments(given, field);
  if (!fits.ok) return fits;
  if (job.createdBy !== by.userId) return ok(FOR_NO_CALL);
  const chosen = openApprovals(job).filter(
    (one) => (approvalId ?? one.id) === one.id && (toolCallId ?? one.toolCallId) === one.toolCallId,
  );
  const [only] = chosen;
  const call = callsLeft(job).find(({ id }) => id === only?.toolCallId);
  if (chosen.length !== 1 || only === undefined || call === undefined) return ok(FOR_NO_CALL);
  const { schema } = call;
  const errors = schema === undefined ? [] : await services.argumentChecks.errorsOf(job.organizationId, schema, given);
  if (errors.length === 0)
    return mapOutcome(await unlessRuledOut(services, job, { ...call, given, field }), (judged) => ({
      approvalId: only.id,
      judged,
    }));
  const name = field.replaceAll("/", ".");
  const placed = errors.map(({ path, message }) => ({
    path: `/${field}${path}`,
    message: message.replace(/^Field arguments\b/, () => `Field ${name}`),
  }));
  return refuse({ kind: "invalid_request", errors: placed });
}
