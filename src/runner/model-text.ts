/**
 * Text of a model made fit to store and to send: no NUL (PostgreSQL refuses it) and no lone
 * surrogate (UTF-8 has none). Each bad code unit becomes U+FFFD, so lengths stay as they are.
 *
 * A provider may cut its text anywhere, also between the two halves of a surrogate pair: `TextPieces`
 * holds a trailing high half back until the next piece. Guarantees: the pieces that it hands out,
 * joined, are the whole text cleaned; none is empty.
 */
import type { Json, JsonObject } from "../../actors/schema.ts";

const REPLACEMENT = "\uFFFD";
/** Nesting of a tool's input. Real ones have under ten; the walk below is recursive. */
export const MAX_JSON_DEPTH = 64;

/** `text` without NUL and lone surrogates. Costs nothing where there are none. */
export function cleanText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  return wellFormed.includes("\0") ? wellFormed.replaceAll("\0", REPLACEMENT) : wellFormed;
}

/** The pieces of one text as they come in; ask `take` for each piece and `end` once. */
export class TextPieces {
  #held = "";

  /** What can be handed out after this piece; "" where it has to wait for the next. */
  take(piece: string): string {
    const text = this.#held === "" ? piece : this.#held + piece;
    const last = text.charCodeAt(text.length - 1);
    // NaN, for the empty text, is in no range.
    if (last >= 0xd800 && last <= 0xdbff) {
      this.#held = text.slice(-1);
      return cleanText(text.slice(0, -1));
    }
    this.#held = "";
    return cleanText(text);
  }

  /** What was still held back when the text ended: "" or one replacement character. */
  end(): string {
    const rest = this.#held === "" ? "" : REPLACEMENT;
    this.#held = "";
    return rest;
  }
}

/** `value` with all its keys and strings cleaned; undefined where it is no JSON or too deep. */
export function cleanJson(value: unknown, depth = 0): Json | undefined {
  if (typeof value === "string") return cleanText(value);
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "object" || depth >= MAX_JSON_DEPTH) return undefined;
  if (Array.isArray(value)) return cleanList(value, depth);
  return cleanObject(value, depth);
}

function cleanList(list: readonly unknown[], depth: number): Json | undefined {
  const clean: Json[] = [];
  for (const item of list) {
    const json = cleanJson(item, depth + 1);
    if (json === undefined) return undefined;
    clean.push(json);
  }
  return clean;
}

function cleanObject(object: object, depth: number): JsonObject | undefined {
  const entries: [string, Json][] = [];
  for (const [key, item] of Object.entries(object)) {
    const json = cleanJson(item, depth + 1);
    if (json === undefined) return undefined;
    entries.push([cleanText(key), json]);
  }
  return Object.fromEntries(entries);
}
