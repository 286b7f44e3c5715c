/** The beginning of a text, for titles: a text of a megabyte costs as much as a short one (FAIR-7). */

const WORDS = /\S+/g;

/** The words of the text on one line, with one space between them; no more than what `characters` can show, and a word. */
export function oneLine(text: string, characters: number): string {
  let line = "";
  for (const [word] of text.matchAll(WORDS)) {
    line += line === "" ? word : ` ${word}`;
    if (line.length > characters) break;
  }
  return line;
}
