/** Port: whether arguments that a person gives a tool call fit the schema of the tool (JOB-8). */
import type { InputError } from "../../actors/fault.ts";
import type { JsonObject } from "../../actors/schema.ts";

export interface ArgumentChecks {
  /** What is wrong, with paths within the arguments; none where it cannot be found out. Does not reject. */
  errorsOf(organizationId: string, schema: JsonObject, given: JsonObject): Promise<readonly InputError[]>;
}
