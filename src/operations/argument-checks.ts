/** Port: whether arguments that a person gives a tool call fit the schema of the tool (JOB-8), and whether a schema can be used (JOB-16). */
import type { InputError } from "../../actors/fault.ts";
import type { JsonObject } from "../../actors/schema.ts";

export interface ArgumentChecks {
  /** What is wrong, with paths within the arguments; none where it cannot be found out. Does not reject. */
  errorsOf(organizationId: string, schema: JsonObject, given: JsonObject): Promise<readonly InputError[]>;
  /** What is wrong with a schema, with paths within it; none where it can be used, or cannot be looked at now. Does not reject. */
  flawsOf(organizationId: string, schema: JsonObject): Promise<readonly InputError[]>;
}
