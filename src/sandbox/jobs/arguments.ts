/**
 * Checks a value against its schema: arguments of a tool, or an answer of a job. The schema may be untrusted and
 * contain patterns, so a child compiles it: a pattern that never ends then costs only the child.
 */
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { JsonObject } from "../../../actors/schema.ts";

const OPTIONS = {
  strict: false,
  allErrors: true,
  validateFormats: false,
  logger: false,
  validateSchema: false,
} as const;
/** The most errors to report. */
const MOST_ERRORS = 20;

/** Compiled schemas in a child's cache; the oldest is evicted first. */
const KEPT_SCHEMAS = 32;
const kept = new Map<string, ValidateFunction | null>();

/** Compiles the schema once per child, however often its tool is called; null if the schema is unusable. */
function compiled(schema: JsonObject): ValidateFunction | null {
  const key = JSON.stringify(schema);
  const known = kept.get(key);
  if (known !== undefined) return known;
  const { $schema: dialect, ...rules } = schema;
  const ajv = typeof dialect === "string" && dialect.includes("draft-07") ? new Ajv(OPTIONS) : new Ajv2020(OPTIONS);
  let check: ValidateFunction | null = null;
  try {
    check = ajv.compile(rules);
  } catch {
    // Invalid. A caller's schema was refused when it was saved, and a schema of an MCP server is not ours to report.
  }
  for (const oldest of kept.keys()) if (kept.size >= KEPT_SCHEMAS) kept.delete(oldest);
  kept.set(key, check);
  return check;
}

/** The errors, each with a JSON pointer; empty if the schema itself is unusable. */
export function argumentErrors(options: JsonObject, content: Uint8Array): { path: string; message: string }[] {
  const { schema, given } = JSON.parse(new TextDecoder().decode(content)) as { schema: JsonObject; given: JsonObject };
  const check = compiled(schema);
  if (check === null || check(given) === true) return [];
  return (check.errors ?? [])
    .slice(0, MOST_ERRORS)
    .map((error) => complaint(error, options["what"] === "output" ? "output" : "arguments"));
}

/** `what` names the whole value, and precedes the names of its fields. */
function complaint({ instancePath, keyword, params, message = "is invalid" }: ErrorObject, what: string) {
  const of = (path: string): string => [what, ...path.split("/").slice(1)].join(".");
  if (keyword === "required") {
    const path = `${instancePath}/${String((params as { missingProperty: string }).missingProperty)}`;
    return { path, message: `Missing required field: ${of(path)}` };
  }
  if (keyword === "additionalProperties") {
    const path = `${instancePath}/${String((params as { additionalProperty: string }).additionalProperty)}`;
    return { path, message: `Unknown field: ${of(path)}` };
  }
  if (keyword === "type") {
    const types = [(params as { type: string | string[] }).type].flat().map(withArticle);
    return { path: instancePath, message: `Field ${of(instancePath)} must be ${types.join(" or ")}` };
  }
  const allowed = keyword === "enum" ? `: ${(params as { allowedValues: unknown[] }).allowedValues.join(", ")}` : "";
  return { path: instancePath, message: `Field ${of(instancePath)} ${message}${allowed}` };
}

/** `a string`, `an object`; `null` has none. */
function withArticle(type: string): string {
  if (type === "null") return type;
  return `${/^[aio]/.test(type) ? "an" : "a"} ${type}`;
}
