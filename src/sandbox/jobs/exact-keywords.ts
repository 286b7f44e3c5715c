/**
 * Numbers for the validator, which knows only those of JavaScript. A number that JavaScript cannot hold is given to it
 * as a marked text, and the keywords here judge that text by its value. They compare decimal digits, so
 * `multipleOf: 0.01` is right for every amount.
 */
import { type Browser, value as valueOfSchema } from "@hyperjump/browser";
import { addKeyword } from "@hyperjump/json-schema/experimental";
import * as Instance from "@hyperjump/json-schema/instance/experimental";
import { canonicalNumber, type Decimal, decimalOf, isExactNumber } from "../../../actors/exact-json.ts";
import type { Json } from "../../../actors/schema.ts";

/** Marks the text of a number. Senders cannot guess it, so none of their texts is taken for a number. */
const MARK = `${crypto.randomUUID()}:`;
/** From here on JavaScript writes integers with an exponent, and equal numbers could have two texts. */
const PLAIN_LIMIT = 1e21;

/** A copy of the value with marked texts in place of its exact numbers. */
export function markExact(given: unknown): Json {
  if (isExactNumber(given)) return MARK + given.rawJSON;
  if (typeof given === "number" && Math.abs(given) >= PLAIN_LIMIT) return MARK + canonicalNumber(`${given}`);
  if (Array.isArray(given)) return given.map(markExact);
  if (typeof given !== "object" || given === null) return given as Json;
  return Object.fromEntries(Object.entries(given).map(([key, item]) => [key, markExact(item)]));
}

/** A text of the validator without marks. */
export const withoutMarks = (text: string): string => text.replaceAll(MARK, "");

const isMarked = (value: unknown): value is string => typeof value === "string" && value.startsWith(MARK);

/** The value as the validator walks it, with marked texts as numbers. */
export function instanceOf(given: Json): Instance.JsonNode {
  const root = Instance.fromJs(given as Parameters<typeof Instance.fromJs>[0]);
  for (const node of Instance.allNodes(root))
    if (node.type === "string" && isMarked(Instance.value(node)) && node.parent?.children[0] !== node)
      node.type = "number";
  return root;
}

const markedDecimal = (value: unknown): Decimal =>
  decimalOf(isMarked(value) ? value.slice(MARK.length) : String(value));

/** Negative, zero or positive, as `a - b` is. */
function compareDecimals(a: Decimal, b: Decimal): bigint {
  const exponent = Math.min(a.exponent, b.exponent);
  return scaleDecimal(a, exponent) - scaleDecimal(b, exponent);
}

/** How many times ten to the power of `exponent`. */
function scaleDecimal({ isNegative, digits, exponent }: Decimal, to: number): bigint {
  const size = BigInt(digits) * 10n ** BigInt(exponent - to);
  return isNegative ? -size : size;
}

function isMultiple(value: Decimal, of: Decimal): boolean {
  const exponent = Math.min(value.exponent, of.exponent);
  return scaleDecimal(value, exponent) % scaleDecimal(of, exponent) === 0n;
}

const BOUNDS: Readonly<Record<string, (value: Decimal, bound: Decimal) => boolean>> = {
  maximum: (value, bound) => compareDecimals(value, bound) <= 0n,
  exclusiveMaximum: (value, bound) => compareDecimals(value, bound) < 0n,
  minimum: (value, bound) => compareDecimals(value, bound) >= 0n,
  exclusiveMinimum: (value, bound) => compareDecimals(value, bound) > 0n,
  multipleOf: isMultiple,
};

const KEYWORD_ID = "https://json-schema.org/keyword";

for (const [name, fits] of Object.entries(BOUNDS)) {
  addKeyword<unknown>({
    id: `${KEYWORD_ID}/${name}`,
    compile: (schema) => Promise.resolve(valueOfSchema(schema)),
    interpret: (bound, instance) =>
      Instance.typeOf(instance) !== "number" || fits(markedDecimal(Instance.value(instance)), markedDecimal(bound)),
  });
}

const isInstanceOfType = (type: string, instance: Instance.JsonNode): boolean =>
  type === "integer"
    ? Instance.typeOf(instance) === "number" && markedDecimal(Instance.value(instance)).exponent >= 0
    : Instance.typeOf(instance) === type;

addKeyword<string | readonly string[]>({
  id: `${KEYWORD_ID}/type`,
  compile: (schema: Browser) => Promise.resolve(valueOfSchema<string | readonly string[]>(schema)),
  interpret: (types, instance) => [types].flat().some((type) => isInstanceOfType(type, instance)),
});
