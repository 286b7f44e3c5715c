/**
 * Repairs the schema of a foreign tool. Providers refuse a whole request for one invalid schema, so what the meta-schema
 * does not allow is taken out: the schema then allows more, and the tool's server still checks the arguments.
 */
import { parseStored } from "../../../actors/exact-json.ts";
import type { JsonObject } from "../../../actors/schema.ts";
import { dialectOf, metaErrors } from "./json-schema.ts";

/** Rounds of repairs: taking a member out can make another one invalid. */
const MAX_ROUNDS = 8;

export interface RepairedSchema {
  readonly schema: JsonObject;
  readonly isRepaired: boolean;
}

/** The schema of a tool's arguments, whatever its server has sent; null if it cannot be repaired. */
export function repairedSchema(given: unknown): RepairedSchema | null {
  if (given === undefined) return { schema: { type: "object" }, isRepaired: false };
  if (!isObject(given)) return { schema: { type: "object" }, isRepaired: true };
  const schema: Record<string, JsonObject[string]> = parseStored(JSON.stringify(given)) as JsonObject;
  let repairs = 0;
  // Arguments are always an object.
  if (schema["type"] !== undefined && schema["type"] !== "object") repairs++;
  schema["type"] = "object";
  const dialect = schema["$schema"];
  if (dialect !== undefined && typeof dialect !== "string") {
    delete schema["$schema"];
    repairs++;
  }
  repairs += repairReferences(schema, schema);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const errors = metaErrors(schema, dialectOf(schema));
    if (errors.length === 0) return { schema, isRepaired: repairs > 0 };
    // The last first: what is taken out of a list moves what comes after it.
    const paths = new Set(errors.map(({ path }) => path));
    for (const path of [...paths].reverse()) if (repairAt(schema, path)) repairs++;
  }
  return null;
}

/** Takes the member at a JSON pointer out; a subschema becomes one that allows everything. */
function repairAt(schema: JsonObject, pointer: string): boolean {
  const names = pointer.split("/").slice(1).map(unescaped);
  const last = names.pop();
  const parent = names.reduce<unknown>((at, name) => (isContainer(at) ? at[name] : undefined), schema);
  if (last === undefined || !isContainer(parent) || !Object.hasOwn(parent, last)) return false;
  const isOfSchemas = SCHEMA_MAPS.has(names.at(-1) ?? "") && !Array.isArray(parent);
  if (isOfSchemas && !isObject(parent[last])) parent[last] = {};
  else if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else delete parent[last];
  return true;
}

/** Members whose members are schemas with names. */
const SCHEMA_MAPS = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);

/** Takes out the references that lead nowhere in the schema. Returns how many. */
function repairReferences(at: unknown, root: JsonObject): number {
  if (!isContainer(at)) return 0;
  let repairs = 0;
  if (!Array.isArray(at) && typeof at["$ref"] === "string" && !leadsSomewhere(at["$ref"], root)) {
    delete at["$ref"];
    repairs++;
  }
  for (const child of Object.values(at)) repairs += repairReferences(child, root);
  return repairs;
}

function leadsSomewhere(reference: string, root: JsonObject): boolean {
  if (reference === "#") return true;
  // Anchors and ids are rare, and nothing here resolves them: they stay.
  if (!reference.startsWith("#/")) return reference.startsWith("#") || Object.hasOwn(root, "$id");
  let at: unknown = root;
  for (const name of reference.slice(2).split("/")) {
    const key = unescaped(decoded(name));
    if (!isContainer(at) || !Object.hasOwn(at, key)) return false;
    at = at[key];
  }
  return isObject(at) || typeof at === "boolean";
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const unescaped = (part: string): string => part.replaceAll("~1", "/").replaceAll("~0", "~");

const isContainer = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
const isObject = (value: unknown): value is JsonObject => isContainer(value) && !Array.isArray(value);
