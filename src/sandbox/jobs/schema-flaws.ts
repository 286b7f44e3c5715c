/**
 * Whether a JSON Schema can be used at all: it fits the meta-schema of its dialect, and compiles. Its patterns and
 * references are untrusted, so it is compiled in a child.
 */
import { parseStored } from "../../../actors/exact-json.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import { compileSchema, dialectOf, metaErrors } from "./json-schema.ts";
import type { SchemaError } from "./schema-errors.ts";

/** The most errors to report. */
const MOST_FLAWS = 20;

/** The errors, with JSON pointers into the schema; empty if it is usable. */
export async function schemaFlaws(
  _options: JsonObject,
  content: Uint8Array,
): Promise<{ path: string; message: string }[]> {
  const schema = parseStored(new TextDecoder().decode(content)) as JsonObject;
  const dialect = dialectOf(schema);
  const errors = metaErrors(schema, dialect);
  if (errors.length > 0)
    return flawOfEachPlace(errors)
      .slice(0, MOST_FLAWS)
      .map(({ path, words }) => ({ path, message: `is not valid JSON Schema: ${words}` }));
  try {
    await compileSchema(schema, dialect);
    return [];
  } catch (error) {
    return [{ path: "", message: `cannot be used: ${error instanceof Error ? error.message : "it does not compile"}` }];
  }
}

/**
 * The meta-schema has alternatives. Each alternative that does not fit is an error, and "none fits" is another: a
 * `type` of "strng" is neither a type name nor a list. The error about the names is the most useful.
 */
function flawOfEachPlace(errors: readonly SchemaError[]): readonly SchemaError[] {
  const flaws = new Map<string, SchemaError>();
  for (const error of errors) {
    const known = flaws.get(error.path);
    if (known === undefined || errorRank(error) > errorRank(known)) flaws.set(error.path, error);
  }
  return [...flaws.values()];
}

const errorRank = ({ kind }: SchemaError): number => (kind === "enum" ? 2 : kind === "type" ? 1 : 0);
