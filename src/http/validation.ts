/**
 * Checks a body against its TypeBox schema and says what is wrong in words for the caller. Unknown
 * keys are dropped, and `null` counts as absent. Errors come in the order of the schema's fields, a
 * missing one before any other.
 *
 * A field's schema may carry `errorMessage`: what is said when the value is not one of the allowed.
 */
import { type TypeCheck, TypeCompiler, type ValueError } from "@sinclair/typebox/compiler";
import type { InputError, Outcome } from "../../actors/fault.ts";
import { ok, refuse } from "../../actors/fault.ts";
import type { JsonObject, Static, TSchema } from "../../actors/schema.ts";

/** A `Type.Object` whose fields are plain: strings, booleans, numbers, enums. */
export interface BodySchema extends TSchema {
  readonly properties: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[] | undefined;
}

/** A required string with more in it than white space. */
export const NOT_BLANK = "\\S";

/** A compiled schema. Compiling costs about a millisecond, so it is done at the first use. */
export class Body<S extends BodySchema> {
  private readonly schema: S;
  private readonly fields: readonly string[];
  private check: TypeCheck<S> | null = null;

  constructor(schema: S) {
    this.schema = schema;
    this.fields = Object.keys(schema.properties);
  }

  /** The body's known fields, or `invalid_request`. */
  parse(body: JsonObject): Outcome<Static<S>> {
    const known: Record<string, unknown> = {};
    for (const field of this.fields) {
      const value = Object.hasOwn(body, field) ? body[field] : null;
      if (value !== null && value !== undefined) known[field] = value;
    }
    const check = (this.check ??= TypeCompiler.Compile(this.schema));
    if (check.Check(known)) return ok(known);
    const errors = this.fields.flatMap((field) => this.complaint(field, known[field], check.Errors(known)) ?? []);
    errors.sort((a, b) => Number(isMissing(b)) - Number(isMissing(a)));
    return refuse({ kind: "invalid_request", errors });
  }

  private complaint(field: string, value: unknown, errors: Iterable<ValueError>): InputError | null {
    const path = `/${field}`;
    for (const error of errors) {
      if (error.path !== path) continue;
      const isRequired = this.schema.required?.includes(field) === true;
      return { path, message: messageFor(field, value, this.schema.properties[field]!, isRequired) };
    }
    return null;
  }
}

const MISSING = "Missing required field: ";
const isMissing = (error: InputError): boolean => error.message.startsWith(MISSING);

function messageFor(field: string, value: unknown, schema: TSchema, isRequired: boolean): string {
  if (value === undefined) return `${MISSING}${field}`;
  if (typeof schema["errorMessage"] === "string") return schema["errorMessage"];
  if (typeof value !== schema["type"]) return `Field ${field} must be a ${String(schema["type"])}`;
  if (typeof value === "string" && value.trim() === "") {
    return isRequired ? `${MISSING}${field}` : `Field ${field} must not be empty`;
  }
  if (typeof schema["maxLength"] === "number") return `Field ${field} must have at most ${schema["maxLength"]} characters`;
  return `Field ${field} is invalid`;
}
