/**
 * JSON whose numbers keep their value. `JSON.parse` turns 9007199254740993 into …992 and 1e400 into infinity; this
 * module keeps a number that JavaScript cannot hold as an `ExactNumber`, which `JSON.stringify` writes with all of its
 * digits. All other values are what `JSON.parse` makes of them.
 *
 *   text ─┬─ no long run of digits, no large exponent (nearly all) ──▶ JSON.parse
 *         └─ otherwise ──▶ JSON.parse with the source text of each number ─┬─ a number holds it ──▶ number
 *                                                                          ├─ it does not ────────▶ ExactNumber
 *                                                                          └─ beyond the limits ──▶ NumberLimitError
 *
 * It keeps the value, not the spelling: 1E5 and 100000 are equal numbers, and so are -0 and 0 (as in PostgreSQL and
 * JSON Schema). Equal `ExactNumber`s have the same text. The cost is measured in
 * docs/decisions/0048-numbers-keep-their-digits.md.
 */
import { pointerPart } from "./json-pointer.ts";

/** A number that JavaScript cannot hold, as canonical decimal text. Made by `JSON.rawJSON`, and frozen. */
export interface ExactNumber {
  readonly rawJSON: string;
}

/** A JSON text has a number that cannot be stored and passed on. */
export class NumberLimitError extends Error {
  /** The JSON pointer of the number. */
  readonly path: string;
  /** What is wrong, as the rest of a sentence about the field. */
  readonly words: string;

  constructor(path: string, words: string) {
    super(`The number at ${path === "" ? "/" : path} ${words}`);
    this.path = path;
    this.words = words;
  }
}

/** Significant digits of a number. PostgreSQL's `numeric` has more; nothing that we know of sends as many. */
export const MAX_NUMBER_DIGITS = 1000;
/** The smallest normal double. Any number between it and the largest double that has at most 15 digits is exact. */
const MIN_MAGNITUDE = 2.2250738585072014e-308;
/** Zeros that pad a number before it is written with an exponent. */
const MAX_PADDING = 40;
/** Characters of a refused number in a message. */
const SHOWN_NUMBER_CHARACTERS = 40;

/** Only numbers with 16 or more digits are not exact, within the range of doubles. */
const LONG = /[\d.]{16}/;
/** An exponent that may leave the range of doubles. */
const LARGE_EXPONENT = /\d[eE][+-]?\d{3}/;

interface RawJson {
  rawJSON(text: string): ExactNumber;
  isRawJSON(value: unknown): value is ExactNumber;
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
}
/** TypeScript's library does not know these three yet. */
const NATIVE = JSON as unknown as RawJson;

export const isExactNumber = (value: unknown): value is ExactNumber => NATIVE.isRawJSON(value);

/** Parses JSON from outside. Throws SyntaxError, and NumberLimitError for a number that cannot be kept. */
export function parseExact(text: string): unknown {
  return LONG.test(text) || LARGE_EXPONENT.test(text) ? parseNumbers(text) : JSON.parse(text);
}

/**
 * Parses JSON that this service or PostgreSQL has written: its numbers are within the limits, and in canonical form,
 * where only long ones can be exact. Cheaper than `parseExact`.
 */
export function parseStored(text: string): unknown {
  return LONG.test(text) ? parseNumbers(text) : JSON.parse(text);
}

function parseNumbers(text: string): unknown {
  const refused = new Map<unknown, string>();
  const value = NATIVE.parse(text, (_, item, { source }) => {
    if (typeof item !== "number" || source === undefined) return item;
    const words = numberFlaw(source, item);
    if (words === null) return exactNumberOf(source, item);
    const mark = NATIVE.rawJSON("0");
    refused.set(mark, words);
    return mark;
  });
  if (refused.size > 0) {
    const found = refusedNumberAt(value, refused, "");
    // A refused number that a later field of the same name replaces is in no place.
    if (found !== null) throw found;
  }
  return value;
}

function numberFlaw(source: string, value: number): string | null {
  const { digits } = decimalOf(source);
  const shown = source.length > SHOWN_NUMBER_CHARACTERS ? `${source.slice(0, SHOWN_NUMBER_CHARACTERS)}…` : source;
  if (digits.length > MAX_NUMBER_DIGITS)
    return `has ${digits.length} digits; a number has at most ${MAX_NUMBER_DIGITS}: ${shown}`;
  const isSmall =
    Math.abs(value) < MIN_MAGNITUDE && digits !== "" && canonicalNumber(source) !== canonicalNumber(`${value}`);
  return isSmall || !Number.isFinite(value) ? `is out of range: ${shown}; numbers have the range of a double` : null;
}

function exactNumberOf(source: string, value: number): number | ExactNumber {
  const text = canonicalNumber(source);
  if (text !== canonicalNumber(`${value}`)) return NATIVE.rawJSON(text);
  // JavaScript writes 10^23 as 1e+23, which is no integer to many who read it.
  return /^-?\d+$/.test(text) && `${value}`.includes("e") ? NATIVE.rawJSON(text) : value;
}

function refusedNumberAt(value: unknown, refused: ReadonlyMap<unknown, string>, path: string): NumberLimitError | null {
  const words = refused.get(value);
  if (words !== undefined) return new NumberLimitError(path, words);
  if (typeof value !== "object" || value === null) return null;
  for (const [key, item] of Object.entries(value)) {
    const found = refusedNumberAt(item, refused, `${path}/${pointerPart(key)}`);
    if (found !== null) return found;
  }
  return null;
}

/** A decimal number: `digits`, without zeros at either end, times ten to the power of `exponent`; zero has no digits. */
export interface Decimal {
  readonly isNegative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

const NUMBER = /^(?<sign>-?)(?<whole>\d+)(?:\.(?<part>\d*))?(?:[eE](?<power>[+-]?\d+))?$/;

/** The value of a number's text in JSON. */
export function decimalOf(text: string): Decimal {
  const { sign = "", whole = "", part = "", power = "0" } = NUMBER.exec(text)?.groups ?? {};
  const all = `${whole}${part}`.replace(/^0+/, "");
  const digits = all.replace(/0+$/, "");
  if (digits === "") return { isNegative: false, digits, exponent: 0 };
  return {
    isNegative: sign === "-",
    digits,
    exponent: Number(power) - part.length + (all.length - digits.length),
  };
}

/** The one text of all equal numbers. */
export function canonicalNumber(text: string): string {
  const { isNegative, digits, exponent } = decimalOf(text);
  if (digits === "") return "0";
  const sign = isNegative ? "-" : "";
  /** Digits before the point. */
  const whole = digits.length + exponent;
  if (exponent >= 0 && exponent <= MAX_PADDING) return sign + digits + "0".repeat(exponent);
  if (exponent < 0 && whole > 0) return `${sign}${digits.slice(0, whole)}.${digits.slice(whole)}`;
  if (exponent < 0 && whole > -MAX_PADDING) return `${sign}0.${"0".repeat(-whole)}${digits}`;
  const rest = digits.length === 1 ? "" : `.${digits.slice(1)}`;
  return `${sign}${digits[0]}${rest}e${whole > 0 ? "+" : ""}${whole - 1}`;
}
