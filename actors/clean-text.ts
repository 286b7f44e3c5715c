/**
 * Makes text and JSON from outside fit to store and send: no NUL (PostgreSQL refuses it), no lone surrogate (UTF-8 has
 * none), no nesting beyond `MAX_JSON_DEPTH`. Only this file has these rules: the body of a request that breaks them is
 * refused, and the text of a model gets U+FFFD instead.
 *
 * A provider may cut its text anywhere, even between the two halves of a surrogate pair. `TextPieces` holds back a
 * trailing high half or carriage return until the next piece. Guarantee: the returned pieces, joined, are the whole
 * text, cleaned and with marks in place of its control characters.
 */
import { isExactNumber } from "./exact-json.ts";
import type { Json, JsonObject } from "./schema.ts";
import { visibleText } from "./visible-text.ts";

const REPLACEMENT = "\uFFFD";
const CARRIAGE_RETURN = 0x0d;
/**
 * Levels of nested arrays and objects in a body and in a tool's input. Real ones have under ten; the code that reads
 * them is recursive.
 */
export const MAX_JSON_DEPTH = 64;

/** `text` with NUL and lone surrogates replaced by U+FFFD, so its length does not change. Free when there are none. */
export function cleanText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  return wellFormed.includes("\0") ? wellFormed.replaceAll("\0", REPLACEMENT) : wellFormed;
}

/** Bytes as text; null if they are not UTF-8, or contain NUL, as only binary files do. A cut may split the last character. */
export function textOfBytes(bytes: Uint8Array, isCut: boolean): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut });
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}

/** Why a text cannot be stored exactly as it was sent; null if it can. */
const textFlaw = (text: string): "NUL characters" | "Lone surrogates" | null => {
  if (text.includes("\0")) return "NUL characters";
  return text.isWellFormed() ? null : "Lone surrogates";
};

/** The same for all keys and strings of a JSON value whose depth has been bounded already. */
export function jsonFlaw(value: Json | undefined): ReturnType<typeof textFlaw> {
  if (typeof value === "string") return textFlaw(value);
  if (typeof value !== "object" || value === null) return null;
  for (const [key, item] of Object.entries(value)) {
    const flaw = textFlaw(key) ?? jsonFlaw(item);
    if (flaw !== null) return flaw;
  }
  return null;
}

/** Whether no key and no string of a JSON value has a lone surrogate. Its depth has been bounded already. */
export function isWellFormed(value: Json | undefined): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, item]) => key.isWellFormed() && isWellFormed(item));
}

/** Makes the incoming pieces of one text fit to show (GUARD-7); call `take` for each piece and `end` once. */
export class TextPieces {
  #held = "";

  /** The text to return after this piece; "" if it must wait for the next piece. */
  take(piece: string): string {
    const text = this.#held === "" ? piece : this.#held + piece;
    const last = text.charCodeAt(text.length - 1);
    // NaN, for the empty text, is in neither range. A carriage return may be half of a line end.
    if ((last >= 0xd800 && last <= 0xdbff) || last === CARRIAGE_RETURN) {
      this.#held = text.slice(-1);
      return visibleText(cleanText(text.slice(0, -1)));
    }
    this.#held = "";
    return visibleText(cleanText(text));
  }

  /** The text still held back at the end: "", or one character. */
  end(): string {
    const rest = visibleText(cleanText(this.#held));
    this.#held = "";
    return rest;
  }
}

/** `value` with all its keys and strings cleaned; undefined if it is not JSON or too deep. */
export function cleanJson(value: unknown, depth = 0): Json | undefined {
  if (typeof value === "string") return cleanText(value);
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (isExactNumber(value)) return value as unknown as JsonObject;
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
