/**
 * Accepts values by plain JSON Schemas without a child process, as most schemas of tools are plain: types, fields,
 * items, lists of values, bounds. It only accepts. What it refuses or does not know (patterns, references, combinations)
 * is for the sandbox, which also words the errors. Its time is linear in the value and bounded.
 *
 * What it accepts fits by the validator in the sandbox (`src/sandbox/jobs/json-schema.ts`) too: a test compares them.
 */
import { isExactNumber } from "../../../actors/exact-json.ts";
import { isJsonObject, type JsonObject } from "../../../actors/schema.ts";

/** Values of one check, each with its schema. */
const MOST_VALUES = 5_000;
/** From here on JavaScript writes integers with an exponent. */
const LARGEST = 1e21;

/** Keywords that say nothing about whether a value fits. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  "$comment",
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
  "format",
]);

type PlainRule = (rule: unknown, value: unknown, schema: Readonly<Record<string, unknown>>, room: ValueRoom) => boolean;

/** The values that a check may still look at. */
interface ValueRoom {
  left: number;
}

const isPlainCount = (rule: unknown): rule is number => typeof rule === "number" && Number.isInteger(rule) && rule >= 0;

const ofNumber =
  (holds: (value: number, bound: number) => boolean): PlainRule =>
  (rule, value) =>
    typeof rule === "number" && Math.abs(rule) < LARGEST && (typeof value !== "number" || holds(value, rule));

const ofText =
  (holds: (length: number, bound: number) => boolean): PlainRule =>
  (rule, value) =>
    isPlainCount(rule) && (typeof value !== "string" || holds(Array.from(value).length, rule));

const ofList =
  (holds: (length: number, bound: number) => boolean): PlainRule =>
  (rule, value) =>
    isPlainCount(rule) && (!Array.isArray(value) || holds(value.length, rule));

const isPlainValue = (value: unknown): boolean =>
  value === null || typeof value === "string" || typeof value === "boolean" || typeof value === "number";

const PLAIN_KEYWORDS: ReadonlyMap<string, PlainRule> = new Map<string, PlainRule>([
  ["type", (rule, value) => [rule].flat().some((type) => isOfPlainType(type, value))],
  ["enum", (rule, value) => Array.isArray(rule) && isPlainValue(value) && rule.includes(value)],
  ["const", (rule, value) => isPlainValue(value) && rule === value],
  ["minimum", ofNumber((value, bound) => value >= bound)],
  ["maximum", ofNumber((value, bound) => value <= bound)],
  ["exclusiveMinimum", ofNumber((value, bound) => value > bound)],
  ["exclusiveMaximum", ofNumber((value, bound) => value < bound)],
  ["minLength", ofText((length, bound) => length >= bound)],
  ["maxLength", ofText((length, bound) => length <= bound)],
  ["minItems", ofList((length, bound) => length >= bound)],
  ["maxItems", ofList((length, bound) => length <= bound)],
  ["items", (rule, value, _, room) => !Array.isArray(value) || value.every((item) => fitsRules(rule, item, room))],
  ["required", hasRequired],
  ["properties", (rule, value, _, room) => isJsonObject(rule) && fieldsFit(rule, value, room)],
  ["additionalProperties", othersFit],
]);

/** Whether the value certainly fits the schema, whose dialect may be any: these keywords mean the same in all. */
export function fitsPlainSchema(schema: JsonObject, value: unknown): boolean {
  const { $schema: _, ...rules } = schema;
  return fitsRules(rules, value, { left: MOST_VALUES });
}

function fitsRules(schema: unknown, value: unknown, room: ValueRoom): boolean {
  room.left -= 1;
  if (room.left < 0 || !isJsonObject(schema) || !isWithinLimits(value)) return false;
  return Object.entries(schema).every(
    ([keyword, rule]) =>
      ANNOTATIONS.has(keyword) || (PLAIN_KEYWORDS.get(keyword)?.(rule, value, schema, room) ?? false),
  );
}

const isWithinLimits = (value: unknown): boolean =>
  typeof value === "number" ? Math.abs(value) < LARGEST : !isExactNumber(value);

function isOfPlainType(type: unknown, value: unknown): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  return type === "object" ? isJsonObject(value) : typeof value === type;
}

function hasRequired(rule: unknown, value: unknown): boolean {
  if (!Array.isArray(rule)) return false;
  return !isJsonObject(value) || rule.every((name) => typeof name === "string" && Object.hasOwn(value, name));
}

function fieldsFit(rules: object, value: unknown, room: ValueRoom): boolean {
  if (!isJsonObject(value)) return true;
  return Object.entries(rules).every(
    ([name, rule]) => !Object.hasOwn(value, name) || fitsRules(rule, value[name], room),
  );
}

function othersFit(rule: unknown, value: unknown, schema: Readonly<Record<string, unknown>>, room: ValueRoom): boolean {
  if (!isJsonObject(value) || rule === true) return true;
  const known = schema["properties"] ?? {};
  if (!isJsonObject(known)) return false;
  const others = Object.keys(value).filter((name) => !Object.hasOwn(known, name));
  return rule === false ? others.length === 0 : others.every((name) => fitsRules(rule, value[name], room));
}
