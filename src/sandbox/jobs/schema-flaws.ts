/**
 * Whether a JSON Schema can be used at all: it fits the meta-schema of its dialect, and compiles. Its patterns and
 * references are untrusted, so it is compiled in a child.
 */
import { Ajv, type ErrorObject } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { JsonObject } from "../../../actors/schema.ts";

const OPTIONS = { strict: false, allErrors: true, validateFormats: false, logger: false } as const;
/** The most errors to report. */
const MOST_FLAWS = 20;

/** The errors, with JSON pointers into the schema; empty if it is usable. */
export function schemaFlaws(_options: JsonObject, content: Uint8Array): { path: string; message: string }[] {
  const { $schema: dialect, ...rules } = JSON.parse(new TextDecoder().decode(content)) as JsonObject;
  const ajv = typeof dialect === "string" && dialect.includes("draft-07") ? new Ajv(OPTIONS) : new Ajv2020(OPTIONS);
  if (ajv.validateSchema(rules) !== true) {
    return flawOfEachPlace(ajv.errors ?? [])
      .slice(0, MOST_FLAWS)
      .map((error) => ({ path: error.instancePath, message: `is not valid JSON Schema: ${wordsOf(error)}` }));
  }
  try {
    ajv.compile(rules);
    return [];
  } catch (error) {
    return [{ path: "", message: `cannot be used: ${error instanceof Error ? error.message : "it does not compile"}` }];
  }
}

/**
 * The meta-schema has alternatives, and ajv reports each that a place does not fit, and then that it fits none: a
 * `type` of "strng" is no name of a type, and no list either. The names say most.
 */
function flawOfEachPlace(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const flaws = new Map<string, ErrorObject>();
  for (const error of errors) {
    const known = flaws.get(error.instancePath);
    if (known === undefined || (error.keyword === "enum" && known.keyword !== "enum"))
      flaws.set(error.instancePath, error);
  }
  return [...flaws.values()];
}

function wordsOf({ keyword, params, message = "is invalid" }: ErrorObject): string {
  const { allowedValues } = params as { readonly allowedValues?: readonly unknown[] };
  return keyword === "enum" && allowedValues !== undefined ? `must be one of: ${allowedValues.join(", ")}` : message;
}
