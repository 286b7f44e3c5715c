/**
 * Accepts values by plain JSON Schemas without a child process, as most schemas of tools are plain: types, fields,
 * items, lists of values, bounds. It only accepts. What it refuses or does not know (patterns, references, combinations)
 * is for the sandbox, which also words the errors. It takes a bounded number of comparisons, far below a millisecond,
 * because many calls may be checked in one turn of the event loop.
 *
 * What it accepts fits by the validator in the sandbox (`src/sandbox/jobs/json-schema.ts`) too: a test compares them.
 */
import { isExactNumber } from "../../../actors/exact-json.ts";
import { isJsonObject, type JsonObject } from "../../../actors/schema.ts";

/** Comparisons of one check: of keywords, fields and listed values. */
const MOST_COMPARISONS = 4_000;
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

type PlainRule = (
  rule: unknown,
  value: unknown,
  schema: Readonly<Record<string, unknown>>,
  room: ComparisonRoom,
) => boolean;

/** The comparisons that a check may still make. */
interface ComparisonRoom {
  left: number;
}

/** Whether so many more may be made. */
const mayCompare = (room: ComparisonRoom, count: number): boolean => (room.left -= count) >= 0;

const isPlainCount = (rule: unknown): rule is number => typeof rule === "number" && Number.isInteger(rule) && rule >= 0;

const ofNumber =
  (holds: (value: number, bound: number) => boolean): PlainRule =>
  (rule, value) =>
    typeof rule === "number" && Math.abs(rule) < LARGEST && (typeof value !== "number" || holds(value, rule));

/** A character is one or two UTF-16 units: the units alone often say enough. */
const ofText =
  (holds: (units: number, bound: number) => boolean): PlainRule =>
  (rule, value) =>
    isPlainCount(rule) && (typeof value !== "string" || holds(value.length, rule));

const ofList =
  (holds: (length: number, bound: number) => boolean): PlainRule =>
  (rule, value) =>
    isPlainCount(rule) && (!Array.isArray(value) || holds(value.length, rule));

const isPlainValue = (value: unknown): boolean =>
  value === null || typeof value === "string" || typeof value === "boolean" || typeof value === "number";

const PLAIN_KEYWORDS: ReadonlyMap<string, PlainRule> = new Map<string, PlainRule>([
  ["type", hasPlainType],
  [
    "enum",
    (rule, value, _, room) =>
      Array.isArray(rule) && mayCompare(room, rule.length) && isPlainValue(value) && rule.includes(value),
  ],
  ["const", (rule, value) => isPlainValue(value) && rule === value],
  ["minimum", ofNumber((value, bound) => value >= bound)],
  ["maximum", ofNumber((value, bound) => value <= bound)],
  ["exclusiveMinimum", ofNumber((value, bound) => value > bound)],
  ["exclusiveMaximum", ofNumber((value, bound) => value < bound)],
  ["minLength", ofText((units, bound) => units >= 2 * bound - 1)],
  ["maxLength", ofText((units, bound) => units <= bound)],
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
  return fitsRules(rules, value, { left: MOST_COMPARISONS });
}

function fitsRules(schema: unknown, value: unknown, room: ComparisonRoom): boolean {
  if (!isJsonObject(schema) || !isWithinLimits(value)) return false;
  const rules = Object.entries(schema);
  if (!mayCompare(room, 1 + rules.length)) return false;
  return rules.every(
    ([keyword, rule]) =>
      ANNOTATIONS.has(keyword) || (PLAIN_KEYWORDS.get(keyword)?.(rule, value, schema, room) ?? false),
  );
}

const isWithinLimits = (value: unknown): boolean =>
  typeof value === "number" ? Math.abs(value) < LARGEST : !isExactNumber(value);

function hasPlainType(rule: unknown, value: unknown): boolean {
  if (!Array.isArray(rule)) return isOfPlainType(rule, value);
  // There are seven types.
  return rule.length <= 7 && rule.some((type) => isOfPlainType(type, value));
}

function isOfPlainType(type: unknown, value: unknown): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  return type === "object" ? isJsonObject(value) : typeof value === type;
}

function hasRequired(rule: unknown, value: unknown, _: unknown, room: ComparisonRoom): boolean {
  if (!Array.isArray(rule)) return false;
  if (!isJsonObject(value)) return true;
  return mayCompare(room, rule.length) && rule.every((name) => typeof name === "string" && Object.hasOwn(value, name));
}

/** Looks at the fields of the value, so a schema with many properties costs nothing more. */
function fieldsFit(rules: Readonly<Record<string, unknown>>, value: unknown, room: ComparisonRoom): boolean {
  if (!isJsonObject(value)) return true;
  const names = Object.keys(value);
  if (!mayCompare(room, names.length)) return false;
  return names.every((name) => !Object.hasOwn(rules, name) || fitsRules(rules[name], value[name], room));
}

function othersFit(
  rule: unknown,
  value: unknown,
  { properties: known = {} }: Readonly<Record<string, unknown>>,
  room: ComparisonRoom,
): boolean {
  if (!isJsonObject(value) || rule === true) return true;
  const names = Object.keys(value);
  if (!isJsonObject(known) || !mayCompare(room, names.length)) return false;
  const others = names.filter((name) => !Object.hasOwn(known, name));
  return rule === false ? others.length === 0 : others.every((name) => fitsRules(rule, value[name], room));
}
