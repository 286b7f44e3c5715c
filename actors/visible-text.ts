/**
 * Makes text of pages and tools fit to show. Terminals obey control characters, and bidirectional overrides change the
 * visible order of text, so a stranger could disguise a line. Each of these characters is replaced by a harmless
 * visible mark.
 */

import { isExactNumber } from "./exact-json.ts";
import type { Json, JsonObject } from "./schema.ts";

/** Controls except tab and line feed; overrides, embeddings and isolates of bidirectional text. */
// oxlint-disable-next-line no-control-regex
const INVISIBLE_CONTROL = /\r\n|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
const SPACE_CODE = 0x20;
const DELETE = 0x7f;
/** U+2400 is the picture of U+0000, and so on up to U+001F. */
const PICTURES = 0x2400;

/** `text` with each control character as its picture (`␛`) or its number (`⟨U+202E⟩`); line ends become line feeds. */
export const visibleText = (text: string): string => text.replace(INVISIBLE_CONTROL, mark);

function mark(found: string): string {
  if (found === "\r\n") return "\n";
  const code = found.charCodeAt(0);
  if (code < SPACE_CODE) return String.fromCharCode(PICTURES + code);
  if (code === DELETE) return "\u2421";
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

/** Applies `visibleText` to all texts of a value, such as the arguments that a model has written. */
export function visibleJson<T extends Json | undefined>(value: T): T;
export function visibleJson(value: Json | undefined): Json | undefined {
  if (typeof value === "string") return visibleText(value);
  if (typeof value !== "object" || value === null || isExactNumber(value)) return value;
  if (Array.isArray(value)) return value.map((item: Json) => visibleJson(item));
  const entries = Object.entries(value as JsonObject).map(([key, item]) => [visibleText(key), visibleJson(item)]);
  return Object.fromEntries(entries) as JsonObject;
}

/**
 * Characters that a reader cannot see or cannot tell from others: controls, formats (bidirectional marks, joiners),
 * separators that look like a space, fillers, selectors, and those without a meaning.
 */
const ILLEGIBLE =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Variation_Selector}\u00a0\u115f\u1160\u1680\u2000-\u200a\u202f\u205f\u3000\u3164\uffa0]/gu;

/**
 * JSON that a person decides about, one field a line: what cannot be seen is written as JSON escapes, so the text shows
 * exactly what the value is and is still the same JSON.
 */
export const legibleJson = (value: Json): string =>
  JSON.stringify(value, null, 2).replaceAll(ILLEGIBLE, (found) =>
    found === "\n" ? found : Array.from({ length: found.length }, (_, at) => codeEscape(found.charCodeAt(at))).join(""),
  );

const codeEscape = (code: number): string => `\\u${code.toString(16).padStart(4, "0")}`;
