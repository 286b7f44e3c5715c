/**
 * Checks a value against its schema: arguments of a tool, or an answer of a job. The schema may be untrusted and
 * contain patterns, so a child compiles it: a pattern that never ends then costs only the child.
 */
import { parseStored } from "../../../actors/exact-json.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import { type Check, compileSchema, dialectOf, metaErrors } from "./json-schema.ts";
import type { SchemaError } from "./schema-errors.ts";

/** The most errors to report. */
const MOST_ARGUMENT_ERRORS = 20;

/** Compiled schemas in a child's cache; the oldest is evicted first. */
const KEPT_SCHEMAS = 32;
const keptChecks = new Map<string, Check | null>();

/** Compiles the schema once per child, however often its tool is called; null if the schema is unusable. */
async function compileCheck(schema: JsonObject): Promise<Check | null> {
  const key = JSON.stringify(schema);
  const known = keptChecks.get(key);
  if (known !== undefined) return known;
  const dialect = dialectOf(schema);
  let check: Check | null = null;
  try {
    if (metaErrors(schema, dialect).length === 0) check = await compileSchema(schema, dialect);
  } catch {
    // Invalid. A caller's schema was refused when it was saved, and a schema of an MCP server is not ours to report.
  }
  for (const oldest of keptChecks.keys()) if (keptChecks.size >= KEPT_SCHEMAS) keptChecks.delete(oldest);
  keptChecks.set(key, check);
  return check;
}

/** The errors, each with a JSON pointer; empty if the schema itself is unusable. */
export async function checkArguments(
  options: JsonObject,
  content: Uint8Array,
): Promise<{ path: string; message: string }[]> {
  const { schema, given } = parseStored(new TextDecoder().decode(content)) as { schema: JsonObject; given: unknown };
  const check = await compileCheck(schema);
  if (check === null) return [];
  const what = options["what"] === "output" ? "output" : "arguments";
  return check(given)
    .slice(0, MOST_ARGUMENT_ERRORS)
    .map((error) => ({ path: error.path, message: argumentMessage(error, what) }));
}

/** For each schema the errors of one value, in words; null if the schema itself is unusable. */
export async function checkConditions(_options: JsonObject, content: Uint8Array): Promise<(string[] | null)[]> {
  const { schemas, given } = parseStored(new TextDecoder().decode(content)) as {
    schemas: readonly JsonObject[];
    given: unknown;
  };
  const results: (string[] | null)[] = [];
  for (const schema of schemas) {
    const check = await compileCheck(schema);
    const errors = check?.(given).slice(0, MOST_ARGUMENT_ERRORS) ?? null;
    results.push(errors === null ? null : errors.map((error) => argumentMessage(error, "arguments")));
  }
  return results;
}

/** `what` names the whole value, and precedes the names of its fields. */
function argumentMessage({ path, kind, words }: SchemaError, what: string): string {
  const field = [what, ...path.split("/").slice(1)].join(".");
  if (kind === "missing") return `Missing required field: ${field}`;
  return kind === "unknown" ? `Unknown field: ${field}` : `Field ${field} ${words}`;
}
