/** The beginning of a text, for titles. A megabyte of text costs no more than a short one (FAIR-7). */

const WORDS = /\S+/g;

/** The words of the text on one line, separated by single spaces; stops after a word that passes `characters`. */
export function oneLine(text: string, characters: number): string {
  let line = "";
  for (const [word] of text.matchAll(WORDS)) {
    line += line === "" ? word : ` ${word}`;
    // In UTF-16 units, of which a character has at most two.
    if (line.length > 2 * characters) break;
  }
  return line;
}
