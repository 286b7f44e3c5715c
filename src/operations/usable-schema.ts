/**
 * JSON Schemas from callers: of answers (JOB-16) and of tools (RUN-12). They are bounded, self-contained, and compile:
 * a schema that providers reject, or that no check can use, is refused when it is saved.
 */
import { type InputError, ok, type Outcome, refuse } from "../../actors/fault.ts";
import { type Json, type JsonObject, isJsonObject } from "../../actors/schema.ts";
import type { Services } from "./services.ts";
import { escapePointer } from "../http/input/validation.ts";

/** Bytes of a schema as JSON: every model call sends it. */
export const SCHEMA_BYTES = 16 * 1024;
/** Levels of nested objects and lists in a schema. */
export const SCHEMA_DEPTH = 24;
/** Keywords that change how or from where references resolve. */
const REFUSED_WORDS: ReadonlySet<string> = new Set(["$id", "$dynamicRef", "$recursiveRef", "$dynamicAnchor"]);
/** Keywords whose values are data: nothing in them is a keyword. */
const DATA_WORDS: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);
/** Keywords whose values map the user's own names to schemas. */
const MAPS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);

/** Refuses a schema that cannot be used, with the paths of its flaws under `path`. */
export async function usableSchema(
  { argumentChecks }: Pick<Services, "argumentChecks">,
  organizationId: string,
  { schema, path }: { readonly schema: JsonObject | null | undefined; readonly path: string },
): Promise<Outcome<null>> {
  if (schema === undefined || schema === null) return ok(null);
  const bounds = boundsErrors(schema);
  const flaws = bounds.length > 0 ? bounds : await argumentChecks.flawsOf(organizationId, schema);
  if (flaws.length === 0) return ok(null);
  const name = path.slice(1).replaceAll("/", ".");
  const errors = flaws.map(({ path: at, message }) => ({
    path: path + at,
    message: `Field ${name}${at.replaceAll("/", ".")} ${message}`,
  }));
  return refuse({ kind: "invalid_request", errors });
}

/** Errors for exceeded bounds; paths are within the schema. */
function boundsErrors(schema: JsonObject): readonly InputError[] {
  const size = Buffer.byteLength(JSON.stringify(schema));
  if (size > SCHEMA_BYTES)
    return [{ path: "", message: `has ${size} bytes as JSON; a schema has at most ${SCHEMA_BYTES}` }];
  if (schema["type"] !== "object")
    return [{ path: "/type", message: 'must be "object": models and providers are given schemas of objects only' }];
  const deep = tooDeep(schema, "", 1);
  if (deep !== null) return [{ path: deep, message: `is nested deeper than ${SCHEMA_DEPTH} levels` }];
  return wordErrors(schema, "");
}

/** The path of the first value that is nested too deep; null if none is. */
function tooDeep(value: Json, path: string, depth: number): string | null {
  if (typeof value !== "object" || value === null) return null;
  if (depth > SCHEMA_DEPTH) return path;
  for (const [key, inner] of Object.entries(value)) {
    const found = tooDeep(inner as Json, `${path}/${escapePointer(key)}`, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

function wordErrors(schema: Json, path: string): InputError[] {
  if (typeof schema !== "object" || schema === null) return [];
  if (Array.isArray(schema)) return schema.flatMap((inner, i) => wordErrors(inner as Json, `${path}/${i}`));
  return Object.entries(schema).flatMap(([word, value]) => {
    const at = `${path}/${escapePointer(word)}`;
    if (REFUSED_WORDS.has(word)) return [{ path: at, message: "is not allowed in a schema here" }];
    if (word === "$ref" && !(typeof value === "string" && value.startsWith("#")))
      return [{ path: at, message: "must refer to a place in the schema itself, such as #/$defs/item" }];
    if (DATA_WORDS.has(word)) return [];
    if (MAPS.has(word) && isJsonObject(value))
      return Object.entries(value).flatMap(([name, inner]) =>
        wordErrors(inner as Json, `${at}/${escapePointer(name)}`),
      );
    return wordErrors(value as Json, at);
  });
}
