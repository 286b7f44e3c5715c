/**
 * Text and JSON from outside, made fit to store and to send: no NUL (PostgreSQL refuses it), no lone
 * surrogate (UTF-8 has none), no nesting beyond `MAX_JSON_DEPTH`. The one place for these rules: the body
 * of a request is refused for them, the text of a model gets U+FFFD instead.
 *
 * A provider may cut its text anywhere, also between the two halves of a surrogate pair: `TextPieces`
 * holds a trailing high half back until the next piece, and a carriage return. Guarantees: the pieces that
 * it hands out, joined, are the whole text cleaned and with its control characters as marks.
 */
import type { Json, JsonObject } from "./schema.ts";
import { visibleText } from "./visible-text.ts";

const REPLACEMENT = "\uFFFD";
const CARRIAGE_RETURN = 0x0d;
/** Nested arrays and objects of a body, and of a tool's input. Real ones have under ten; the code behind is recursive. */
export const MAX_JSON_DEPTH = 64;

/** `text` without NUL and lone surrogates, each replaced by U+FFFD: lengths stay. Costs nothing where there are none. */
export function cleanText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  return wellFormed.includes("\0") ? wellFormed.replaceAll("\0", REPLACEMENT) : wellFormed;
}

/** What a text may not hold that is stored as it was sent; null where nothing is in the way. */
const textFlaw = (text: string): "NUL characters" | "Lone surrogates" | null => {
  if (text.includes("\0")) return "NUL characters";
  return text.isWellFormed() ? null : "Lone surrogates";
};

/** The same of all keys and strings of a JSON value, whose depth is bounded by now. */
export function jsonFlaw(value: Json | undefined): ReturnType<typeof textFlaw> {
  if (typeof value === "string") return textFlaw(value);
  if (typeof value !== "object" || value === null) return null;
  for (const [key, item] of Object.entries(value)) {
    const flaw = textFlaw(key) ?? jsonFlaw(item);
    if (flaw !== null) return flaw;
  }
  return null;
}

/** The pieces of one text as they come in, fit to be shown (GUARD-7); ask `take` for each piece and `end` once. */
export class TextPieces {
  #held = "";

  /** What can be handed out after this piece; "" where it has to wait for the next. */
  take(piece: string): string {
    const text = this.#held === "" ? piece : this.#held + piece;
    const last = text.charCodeAt(text.length - 1);
    // NaN, for the empty text, is in no range. A carriage return may be half of a line end.
    if ((last >= 0xd800 && last <= 0xdbff) || last === CARRIAGE_RETURN) {
      this.#held = text.slice(-1);
      return visibleText(cleanText(text.slice(0, -1)));
    }
    this.#held = "";
    return visibleText(cleanText(text));
  }

  /** What was still held back when the text ended: "", or one character. */
  end(): string {
    const rest = visibleText(cleanText(this.#held));
    this.#held = "";
    return rest;
  }
}

/** `value` with all its keys and strings cleaned; undefined where it is not JSON or too deep. */
export function cleanJson(value: unknown, depth = 0): Json | undefined {
  if (typeof value === "string") return cleanText(value);
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "object" || depth >= MAX_JSON_DEPTH) return undefined;
  return Array.isArray(value) ? cleanList(value, depth + 1) : cleanObject(value, depth + 1);
}

function cleanList(list: readonly unknown[], depth: number): Json | undefined {
  const clean: Json[] = [];
  for (const item of list) {
    const json = cleanJson(item, depth);
    if (json === undefined) return undefined;
    clean.push(json);
  }
  return clean;
}

function cleanObject(object: object, depth: number): JsonObject | undefined {
  const entries: [string, Json][] = [];
  for (const [key, item] of Object.entries(object)) {
    const json = cleanJson(item, depth);
    if (json === undefined) return undefined;
    entries.push([cleanText(key), json]);
  }
  return Object.fromEntries(entries);
}
