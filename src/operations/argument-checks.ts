/** Port: whether arguments that a person gives a tool call fit the schema of the tool (JOB-8), and whether a schema can be used (JOB-16). */
import type { InputError } from "../../actors/fault.ts";
import type { JsonObject } from "../../actors/schema.ts";

export interface ArgumentChecks {
  /** Errors with paths within the arguments; empty if the check cannot run. Does not reject. */
  errorsOf(organizationId: string, schema: JsonObject, given: JsonObject): Promise<readonly InputError[]>;
  /**
   * Errors in a schema, with paths within it; empty if the schema is usable or cannot be checked now. Does not reject.
   */
  flawsOf(organizationId: string, schema: JsonObject): Promise<readonly InputError[]>;
}
