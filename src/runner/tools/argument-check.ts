/**
 * Checks arguments against the schema of a user-defined tool (RUN-12). Arguments that fit a plain schema are accepted
 * here. For all others the sandbox compiles and applies the schema, because it and its patterns are untrusted.
 */
import type { InputError } from "../../../actors/fault.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import type { CpuBudget, Sandbox } from "../../sandbox/sandbox.ts";
import { fitsPlainSchema } from "./plain-schema.ts";

/** Errors that are reported to a model at once. */
const MOST_REPORTED_ERRORS = 8;

export interface GivenArguments {
  readonly organizationId: string;
  readonly schema: JsonObject;
  readonly input: JsonObject;
  readonly signal: AbortSignal;
  readonly budget?: CpuBudget;
}

/** The errors, in words for the model; null if the arguments fit. */
export async function argumentFault(
  sandbox: Pick<Sandbox, "run">,
  { organizationId, schema, input, signal, budget }: GivenArguments,
): Promise<string | null> {
  if (fitsPlainSchema(schema, input)) return null;
  const content = new TextEncoder().encode(JSON.stringify({ schema, given: input }));
  const job = { job: "arguments", lane: organizationId, options: {}, content, signal };
  const checked = await sandbox.run(budget === undefined ? job : { ...job, budget });
  if (checked.ok) return argumentErrorWords(checked.value as readonly InputError[]);
  return checked.error === "over_budget"
    ? "The calls of this step have used up their computing time. Make fewer at a time."
    : "The arguments could not be checked against the tool's schema in time.";
}

function argumentErrorWords(errors: readonly InputError[]): string | null {
  if (errors.length === 0) return null;
  const words = errors.slice(0, MOST_REPORTED_ERRORS).map(({ message }) => message);
  return `The arguments are not valid: ${words.join("; ")}.`;
}
