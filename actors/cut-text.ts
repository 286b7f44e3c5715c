/**
 * The one way to cut text that people, models and strangers have written. A cut is never within a character as readers
 * see it (a letter with its accents, a flag, a family), and lengths are counted in code points, as JSON Schema counts
 * them.
 */

/** Characters longer than this, in UTF-16 units, are cut between their code points: only hostile ones are. */
const LONGEST_CHARACTER = 64;

let segmenter: Intl.Segmenter | undefined;

/** At most `most` code points from the beginning of the text, well-formed. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text.toWellFormed();
  let end = 0;
  for (let points = 0; points < most && end < text.length; points++) end += unitsAt(text, end);
  return text.slice(0, characterStart(text, end)).toWellFormed();
}

/** The text as it is, or so much of it that it has at most `most` code points with a mark at its end. */
export const shortText = (text: string, most: number): string =>
  isLonger(text, most) ? `${cutText(text, most - 1)}…` : text.toWellFormed();

/** Whether the text has more than `most` code points. */
export function isLonger(text: string, most: number): boolean {
  if (text.length <= most || text.length > 2 * most) return text.length > most;
  let at = 0;
  for (let points = 0; points < most && at < text.length; points++) at += unitsAt(text, at);
  return at < text.length;
}

/** The beginning of the character at this place, in UTF-16 units; the place itself if a character begins there. */
export function characterStart(text: string, at: number): number {
  if (at <= 0 || at >= text.length) return Math.min(Math.max(at, 0), text.length);
  const from = Math.max(0, at - LONGEST_CHARACTER);
  // Most text is ASCII, in which a character is one unit, but for line ends.
  if (text.charCodeAt(at) < 0x80 && text.charCodeAt(at) !== 0x0a) return at;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  const found = segmenter.segment(text.slice(from, at + LONGEST_CHARACTER)).containing(at - from)?.index ?? at - from;
  if (found > 0 || from === 0) return from + found;
  return isLowHalf(text, at) ? at - 1 : at;
}

const unitsAt = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
const isLowHalf = (text: string, at: number): boolean =>
  (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;

const LINE_WORD = /\S+/g;

/**
 * The words at the beginning of a text on one line, for titles; stops after a word that passes `characters`. A megabyte
 * of text costs no more than a short one (FAIR-7).
 */
export function oneLine(text: string, characters: number): string {
  let line = "";
  for (const [word] of text.matchAll(LINE_WORD)) {
    line += line === "" ? word : ` ${word}`;
    // In UTF-16 units, of which a character has at most two.
    if (line.length > 2 * characters) break;
  }
  return line;
}
