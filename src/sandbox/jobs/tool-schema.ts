/**
 * Repairs the schema of a foreign tool. Providers refuse a whole request for one invalid schema, so a keyword whose
 * value its dialect does not allow is left out: the schema then allows more, and the tool's server still checks the
 * arguments. A table of the keywords does it: validating by the meta-schema takes some milliseconds for each tool, and
 * does not say how to repair.
 */
import { isExactNumber } from "../../../actors/exact-json.ts";
import { referredValue } from "../../../actors/json-pointer.ts";
import type { Json, JsonObject } from "../../../actors/schema.ts";

type RepairedValue = Json | undefined;
/** The value of a keyword, repaired; undefined if nothing of it can be used. */
type Repair = (value: Json, walk: SchemaWalk) => RepairedValue;

interface SchemaWalk {
  readonly root: JsonObject;
  /** Before 2020-12 `items` may be a list, and `exclusiveMinimum` of draft 4 is a boolean. */
  readonly isOld: boolean;
  repairs: number;
}

export interface RepairedSchema {
  readonly schema: JsonObject;
  readonly isRepaired: boolean;
}

/** The schema of a tool's arguments, whatever its server has sent. Its depth must be bounded. */
export function repairedSchema(given: unknown): RepairedSchema {
  if (given === undefined) return { schema: { type: "object" }, isRepaired: false };
  if (!isSchemaObject(given)) return { schema: { type: "object" }, isRepaired: true };
  const { $schema: dialect } = given;
  const walk: SchemaWalk = { root: given, isOld: /draft-0[467]/.test(String(dialect)), repairs: 0 };
  const repaired = schemaOf(given, walk);
  // Arguments are always an object.
  const isOdd = given["type"] !== undefined && given["type"] !== "object";
  return { schema: { ...repaired, type: "object" }, isRepaired: isOdd || walk.repairs > 0 };
}

function schemaOf(schema: JsonObject, walk: SchemaWalk): JsonObject {
  const kept: Record<string, Json> = {};
  for (const [keyword, value] of Object.entries(schema) as [string, Json][]) {
    const repair = KEYWORDS.get(keyword);
    const repaired = repair === undefined ? value : repair(value, walk);
    if (repaired === undefined) walk.repairs++;
    else Object.defineProperty(kept, keyword, { value: repaired, ...PLAIN_PROPERTY });
  }
  return kept;
}
/** A property may have the name `__proto__`. */
const PLAIN_PROPERTY = { enumerable: true, writable: true, configurable: true } as const;

const isSchemaObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isExactNumber(value);

const keepIf =
  (fits: (value: Json) => boolean): Repair =>
  (value) =>
    fits(value) ? value : undefined;
const keepText = keepIf((value) => typeof value === "string");
const keepFlag = keepIf((value) => typeof value === "boolean");
const isNumber = (value: Json): boolean => typeof value === "number" || isExactNumber(value);
const keepNumber = keepIf(isNumber);
const keepCount = keepIf((value) => typeof value === "number" && Number.isInteger(value) && value >= 0);

/** A list of different texts. */
const keepNames: Repair = (value, walk) => {
  if (!Array.isArray(value)) return undefined;
  const kept = [...new Set(value.filter((name) => typeof name === "string"))];
  walk.repairs += value.length - kept.length;
  return kept;
};

const SCHEMA_TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"];
const types: Repair = (value, walk) => {
  if (!Array.isArray(value)) return SCHEMA_TYPES.includes(String(value)) ? value : undefined;
  const kept = [...new Set(value.filter((name) => SCHEMA_TYPES.includes(String(name))))];
  walk.repairs += value.length - kept.length;
  return kept.length === 0 ? undefined : kept;
};

const subschema: Repair = (value, walk) => {
  if (typeof value === "boolean") return value;
  return isSchemaObject(value) ? schemaOf(value, walk) : undefined;
};

/** Named schemas. A name whose schema is unusable stays, and accepts everything. */
const namedSchemas: Repair = (value, walk) => {
  if (!isSchemaObject(value)) return undefined;
  const kept: Record<string, Json> = {};
  for (const [name, given] of Object.entries(value) as [string, Json][]) {
    const schema = subschema(given, walk);
    if (schema === undefined) walk.repairs++;
    Object.defineProperty(kept, name, { value: schema ?? {}, ...PLAIN_PROPERTY });
  }
  return kept;
};

/** A list of schemas; unusable ones are dropped. */
const alternatives: Repair = (value, walk) => {
  if (!Array.isArray(value)) return undefined;
  const kept = value.map((one) => subschema(one, walk)).filter((one) => one !== undefined);
  walk.repairs += value.length - kept.length;
  return kept.length === 0 ? undefined : kept;
};

const repairItems: Repair = (value, walk) =>
  (walk.isOld && Array.isArray(value) ? alternatives : subschema)(value, walk);
const repairBound: Repair = (value, walk) =>
  walk.isOld && typeof value === "boolean" ? value : keepNumber(value, walk);

/** A reference that leads nowhere in the schema makes all of it useless. */
const reference: Repair = (value, { root }) => {
  if (typeof value !== "string") return undefined;
  if (value === "#") return value;
  // Anchors and ids are rare, and nothing here resolves them: they stay.
  if (!value.startsWith("#/")) return value.startsWith("#") || Object.hasOwn(root, "$id") ? value : undefined;
  const at = referredValue(root, value);
  return isSchemaObject(at) || typeof at === "boolean" ? value : undefined;
};

const pattern = keepIf((value) => typeof value === "string" && (compiles(value, "u") || compiles(value, "")));
function compiles(source: string, flags: string): boolean {
  try {
    return new RegExp(source, flags).source !== "";
  } catch {
    return false;
  }
}

const eachKeyword = (words: string, repair: Repair): (readonly [string, Repair])[] =>
  words.split(" ").map((word) => [word, repair]);

const KEYWORDS: ReadonlyMap<string, Repair> = new Map([
  ...eachKeyword("$schema $id $anchor $comment title description format contentEncoding contentMediaType", keepText),
  ...eachKeyword("deprecated readOnly writeOnly uniqueItems", keepFlag),
  ...eachKeyword(
    "minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains",
    keepCount,
  ),
  ...eachKeyword("minimum maximum", keepNumber),
  ...eachKeyword("exclusiveMinimum exclusiveMaximum", repairBound),
  ["multipleOf", keepIf((value) => isExactNumber(value) || (typeof value === "number" && value > 0))],
  ...eachKeyword("enum examples", keepIf(Array.isArray)),
  ["required", keepNames],
  ["type", types],
  ["pattern", pattern],
  ["$ref", reference],
  ["items", repairItems],
  ...eachKeyword("additionalProperties additionalItems contains propertyNames not if then else", subschema),
  ...eachKeyword("unevaluatedItems unevaluatedProperties contentSchema", subschema),
  ...eachKeyword("properties patternProperties $defs definitions dependentSchemas", namedSchemas),
  ...eachKeyword("anyOf oneOf allOf prefixItems", alternatives),
]);
