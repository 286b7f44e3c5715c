/**
 * Text of pages and tools, made fit to be shown. Terminals obey control characters, and bidirectional
 * overrides show a text in another order than it has; so a stranger could make a line look like
 * something else. Each of them becomes a mark that can be seen and does nothing.
 *
 * Isolates are what correct Arabic and Hebrew texts use, so a pair of them passes where it cannot move text that has no
 * right-to-left letters: it opens and closes in one line, nothing is nested in it (nested isolates put any text in any
 * order), an RLI has a visible right-to-left letter in it, and no invisible mark of that direction (RLM, ALM) is in it
 * or before it in its line. All other isolates are marked.
 */

import type { Json, JsonObject } from "./schema.ts";

/** Between the ends of a pair that passes: streamed text waits for its end. */
export const MAX_ISOLATED_CHARACTERS = 256;

/** Controls but tab and line feed; overrides, embeddings and isolates of bidirectional text. */
const INVISIBLE = String.raw`\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069`;
const LINE_END = String.raw`\n\u2028\u2029`;
/** RLM and ALM. */
const RIGHT_TO_LEFT = String.raw`\u200f\u061c`;
const OPENER = String.raw`[\u2066-\u2068]`;
const ISOLATED = `[^${INVISIBLE}${LINE_END}${RIGHT_TO_LEFT}]`;

const MARKED = new RegExp(String.raw`\r\n|[${INVISIBLE}]`, "g");
const MARKED_OR_PAIR = new RegExp(
  String.raw`\r\n|${OPENER}${ISOLATED}{1,${MAX_ISOLATED_CHARACTERS}}\u2069|[${INVISIBLE}]|[${LINE_END}]|[${RIGHT_TO_LEFT}]`,
  "g",
);
const ISOLATES = /[\u2066-\u2069]/;
/** An isolate at the end of a text whose end may still come. */
const OPEN_ISOLATE = new RegExp(`${OPENER}${ISOLATED}{0,${MAX_ISOLATED_CHARACTERS}}$`);
const LETTER =
  /[\p{L}&&[\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}\p{sc=Samr}\p{sc=Mand}\p{sc=Adlm}\p{sc=Rohg}\p{sc=Yezi}]]/v;
const DIRECTIONS = new RegExp(`[${RIGHT_TO_LEFT}]`);
const DIRECTIONS_AND_LINE_ENDS = new RegExp(`[${RIGHT_TO_LEFT}${LINE_END}]`, "g");
const RLI = "\u2067";
const SPACE = 0x20;
const DELETE = 0x7f;
/** U+2400 is the picture of U+0000, and so on up to U+001F. */
const PICTURES = 0x2400;

/** `text` with each control as its picture (`␛`) or its number (`⟨U+202E⟩`); line ends become line feeds. */
export const visibleText = (text: string): string =>
  ISOLATES.test(text) ? new VisibleLines().take(text) : text.replace(MARKED, markOf);

/** What has been said of a line so far decides about the isolates in the rest of it. For a text that comes in pieces. */
export class VisibleLines {
  /** RLM or ALM. */
  #hasDirectionMark = false;

  /** The piece as it is in the whole text, if no pair of isolates and no line end is cut by its end (`openIsolate`). */
  take(piece: string): string {
    if (ISOLATES.test(piece)) return piece.replace(MARKED_OR_PAIR, (found) => this.#shown(found));
    // Rare: most texts never have such a mark.
    if (this.#hasDirectionMark || DIRECTIONS.test(piece))
      for (const [found] of piece.matchAll(DIRECTIONS_AND_LINE_ENDS)) this.#shown(found);
    return piece.replace(MARKED, markOf);
  }

  #shown(found: string): string {
    switch (found) {
      case "\u200f":
      case "\u061c":
        this.#hasDirectionMark = true;
        return found;
      case "\r\n":
      case "\n":
      case "\u2028":
      case "\u2029":
        this.#hasDirectionMark = false;
        return found === "\r\n" ? "\n" : found;
      default:
        return found.length === 1 ? markOf(found) : this.#pair(found);
    }
  }

  #pair(pair: string): string {
    if (!this.#hasDirectionMark && (!pair.startsWith(RLI) || LETTER.test(pair))) return pair;
    return `${markOf(pair.charAt(0))}${pair.slice(1, -1)}${markOf(pair.slice(-1))}`;
  }
}

/** Where an isolate begins whose end may follow this text; -1 where there is none. */
export const openIsolate = (text: string): number => (ISOLATES.test(text) ? text.search(OPEN_ISOLATE) : -1);

/** At most `characters` of a text: never half of a surrogate pair, nor an isolate without its end. */
export function beginning(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const end = text.charCodeAt(characters - 1) >> 10 === 0xd800 >> 10 ? characters - 1 : characters;
  const cut = text.slice(0, end);
  const open = openIsolate(cut);
  return open === -1 ? cut : cut.slice(0, open);
}

/** The mark of one character; a line end is a line feed. */
export function markOf(found: string): string {
  if (found === "\r\n") return "\n";
  const code = found.charCodeAt(0);
  if (code < SPACE) return String.fromCharCode(PICTURES + code);
  if (code === DELETE) return "\u2421";
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

/** All texts of a value as `visibleText` has them: what is shown of the arguments that a model has made. */
export function visibleJson<T extends Json | undefined>(value: T): T;
export function visibleJson(value: Json | undefined): Json | undefined {
  if (typeof value === "string") return visibleText(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => visibleJson(item));
  const entries = Object.entries(value as JsonObject).map(([key, item]) => [visibleText(key), visibleJson(item)]);
  return Object.fromEntries(entries) as JsonObject;
}
