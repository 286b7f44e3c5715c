/** Arguments that a person gives to a waiting call in place of the model's (JOB-8): the same check on every surface. */
import { ok, type Outcome, refuse } from "../../actors/fault.ts";
import { openApprovals } from "../../actors/job/machine.ts";
import type { Job } from "../../actors/job/schema.ts";
import type { JsonObject } from "../../actors/schema.ts";
import { withinArguments } from "../http/contract/limits.ts";
import type { Services } from "./services.ts";

/** The arguments, the call that they are for, and their field in the body. */
export interface ChangedArguments {
  readonly given: JsonObject;
  readonly approvalId: string | null;
  readonly toolCallId: string | null;
  readonly field: string;
}

/**
 * Whether the arguments are short enough and fit the tool's schema. The job itself decides who may change them, and for
 * which call.
 */
export async function fittingArguments(
  { argumentChecks }: Pick<Services, "argumentChecks">,
  by: { readonly userId: string },
  job: Job,
  { given, approvalId, toolCallId, field }: ChangedArguments,
): Promise<Outcome<null>> {
  const fits = withinArguments(given, field);
  if (!fits.ok || job.createdBy !== by.userId) return fits;
  const chosen = openApprovals(job).filter(
    (one) => (approvalId ?? one.id) === one.id && (toolCallId ?? one.toolCallId) === one.toolCallId,
  );
  const schema = job.openCalls.find(({ id }) => id === chosen[0]?.toolCallId)?.schema;
  if (chosen.length !== 1 || schema === undefined) return ok(null);
  const errors = await argumentChecks.errorsOf(job.organizationId, schema, given);
  if (errors.length === 0) return ok(null);
  const name = field.replaceAll("/", ".");
  const placed = errors.map(({ path, message }) => ({
    path: `/${field}${path}`,
    message: message.replace(/^Field arguments\b/, () => `Field ${name}`),
  }));
  return refuse({ kind: "invalid_request", errors: placed });
}
