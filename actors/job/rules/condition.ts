/**
 * Conditions of approval rules about arguments (APR-2): JSON Schema with keywords that only ask for something. Without
 * negation, what is missing or of another type than a keyword means can only make a condition hold less, so both
 * readings of one condition are plain JSON Schemas:
 *
 *   assured    for `allow`: each named field is there, and has the type that its keywords are about
 *   possible   for `ask` and `deny`: holds unless the arguments certainly do not meet it. A value of another type may
 *              be read as a fitting one by the tool, so `type` excludes nothing
 */
import type { InputError } from "../../fault.ts";
import { pointerPart } from "../../json-pointer.ts";
import { type Json, type JsonObject, isJsonObject } from "../../schema.ts";
import type { RuleOutcome } from "../approval-rule.ts";

/** Levels of schemas within a condition. */
export const CONDITION_DEPTH = 8;

type KeywordType = "number" | "string" | "array" | "object";
interface Keyword {
  /** The type that it is about: JSON Schema ignores it for other values. */
  readonly about?: KeywordType;
  /** Where it has schemas. */
  readonly inner?: "schema" | "map" | "list";
}

const CONDITION_KEYWORDS: Readonly<Record<string, Keyword>> = {
  type: {},
  enum: {},
  const: {},
  minimum: { about: "number" },
  maximum: { about: "number" },
  exclusiveMinimum: { about: "number" },
  exclusiveMaximum: { about: "number" },
  multipleOf: { about: "number" },
  minLength: { about: "string" },
  maxLength: { about: "string" },
  pattern: { about: "string" },
  items: { about: "array", inner: "schema" },
  contains: { about: "array", inner: "schema" },
  minItems: { about: "array" },
  maxItems: { about: "array" },
  uniqueItems: { about: "array" },
  properties: { about: "object", inner: "map" },
  required: { about: "object" },
  additionalProperties: { about: "object", inner: "schema" },
  allOf: { inner: "list" },
  anyOf: { inner: "list" },
};
const CONDITION_NOTES: ReadonlySet<string> = new Set(["title", "description", "$comment"]);
const isConditionKeyword = (word: string): boolean => Object.hasOwn(CONDITION_KEYWORDS, word);

/** Types that a value may have for keywords about this one. */
const SUBTYPES: Readonly<Record<KeywordType, readonly string[]>> = {
  number: ["number", "integer"],
  string: ["string"],
  array: ["array"],
  object: ["object"],
};

const aboutOf = (schema: JsonObject): readonly KeywordType[] => [
  ...new Set(
    Object.keys(schema).flatMap((word) => (isConditionKeyword(word) ? (CONDITION_KEYWORDS[word]?.about ?? []) : [])),
  ),
];
const statedTypes = ({ type }: JsonObject): readonly string[] | null =>
  type === undefined ? null : ([type].flat() as string[]);

/** Errors in a condition that JSON Schema itself allows; paths are within it. */
export function conditionFlaws(schema: Json | undefined, path = "", depth = 1): readonly InputError[] {
  if (typeof schema === "boolean" && path !== "") return [];
  if (!isJsonObject(schema)) return [{ path, message: "must be a JSON Schema" }];
  if (depth > CONDITION_DEPTH) return [{ path, message: `is nested deeper than ${CONDITION_DEPTH} levels` }];
  const words = Object.keys(schema).filter((word) => !CONDITION_NOTES.has(word));
  const unknown = words.filter((word) => !isConditionKeyword(word));
  if (unknown.length > 0) {
    const allowed = Object.keys(CONDITION_KEYWORDS).join(", ");
    return unknown.map((word) => ({
      path: `${path}/${pointerPart(word)}`,
      message: `cannot be part of a condition, which has only ${allowed}`,
    }));
  }
  const about = aboutOf(schema);
  if (about.length > 1)
    return [{ path, message: `mixes keywords about ${about.join(" and ")}: use anyOf with one schema for each` }];
  const types = statedTypes(schema);
  const [kind] = about;
  if (kind !== undefined && types !== null && !types.some((type) => SUBTYPES[kind].includes(type)))
    return [{ path: `${path}/type`, message: `does not fit the keywords beside it, which are about ${kind}` }];
  return words.flatMap((word) =>
    innerOf(schema, word).flatMap(({ at, inner }) => conditionFlaws(inner, `${path}/${word}${at}`, depth + 1)),
  );
}

function innerOf(
  schema: JsonObject,
  word: string,
): readonly { readonly at: string; readonly inner: Json | undefined }[] {
  const value = schema[word];
  const { inner } = CONDITION_KEYWORDS[word] ?? {};
  if (inner === "schema") return [{ at: "", inner: value }];
  if (inner === "list") return Array.isArray(value) ? value.map((one: Json, i) => ({ at: `/${i}`, inner: one })) : [];
  if (inner !== "map" || !isJsonObject(value)) return [];
  return Object.entries(value).map(([name, one]) => ({ at: `/${name}`, inner: one }));
}

/** The reading of a condition for a rule with this outcome. */
export const conditionFor = (outcome: RuleOutcome, schema: JsonObject): JsonObject =>
  read(schema, outcome === "allow" ? assured : possible) as JsonObject;

type ConditionReading = (words: JsonObject) => JsonObject;

/** Reads the innermost schemas first. */
function read(schema: Json | undefined, how: ConditionReading): Json | undefined {
  if (!isJsonObject(schema)) return schema;
  const words: Record<string, Json | undefined> = {};
  for (const [word, value] of Object.entries(schema)) {
    if (CONDITION_NOTES.has(word)) continue;
    const { inner } = CONDITION_KEYWORDS[word] ?? {};
    if (inner === "schema") words[word] = read(value, how);
    else if (inner === "list" && Array.isArray(value)) words[word] = value.map((one: Json) => read(one, how) as Json);
    else if (inner === "map" && isJsonObject(value))
      words[word] = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, read(one, how)]));
    else words[word] = value;
  }
  return how(words);
}

function assured(words: JsonObject): JsonObject {
  const [about] = aboutOf(words);
  if (about === undefined) return words;
  const types = statedTypes(words)?.filter((type) => SUBTYPES[about].includes(type)) ?? [about];
  const { properties, required = [] } = words;
  const named = isJsonObject(properties) ? Object.keys(properties) : [];
  const all = [...new Set([...(required as readonly string[]), ...named])];
  return { ...words, type: types, ...(all.length === 0 ? {} : { required: all }) };
}

function possible(words: JsonObject): JsonObject {
  // Without `type`: the keywords beside it, here or in `allOf`, are about values of that type only.
  const { type: _, enum: values, const: value, ...rest } = words;
  if (values === undefined && value === undefined) return rest;
  // A constant may itself be null or a list.
  const listed = [...(value === undefined ? [] : [value]), ...((values ?? []) as readonly Json[])];
  const confusable = [...new Set(listed.flatMap(typesBeside))];
  const constants = { enum: listed.includes(null) ? [...listed, ...TEXTS_OF_NULL] : listed };
  const { allOf = [], ...others } = rest;
  return { ...others, allOf: [...(allOf as readonly Json[]), { anyOf: [constants, { type: confusable }] }] };
}

const JSON_TYPES = ["null", "boolean", "number", "string", "array", "object"] as const;
/** Texts that a tool may read as null. */
const TEXTS_OF_NULL = ["", "null"];

/** The types whose values a tool may read as this constant, besides its own: `["admin"]` and `1000` for `"1000"`. */
function typesBeside(value: Json): readonly string[] {
  if (value === null) return ["array", "object"];
  const own = Array.isArray(value) ? "array" : typeof value;
  return JSON_TYPES.filter((type) => type !== own);
}

/** The fields that a condition names, as paths of names; `*` stands for the items of a list. */
export function namedFields(schema: Json | undefined, path: readonly string[] = []): readonly (readonly string[])[] {
  if (!isJsonObject(schema)) return [];
  return Object.keys(schema)
    .flatMap((word) =>
      innerOf(schema, word).flatMap(({ at, inner }) => {
        if (word === "properties") {
          const field = [...path, at.slice(1)];
          return [field, ...namedFields(inner, field)];
        }
        const isItem = word === "items" || word === "contains";
        return namedFields(inner, isItem ? [...path, "*"] : path);
      }),
    )
    .concat(((schema["required"] ?? []) as readonly string[]).map((name) => [...path, name]));
}
