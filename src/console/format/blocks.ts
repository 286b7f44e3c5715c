/** A Markdown text as blocks. A text that grows is parsed again only from its last block. Without a browser. */
import { lexer, type Token } from "marked";

export interface ParsedText {
  readonly text: string;
  /** Null for a text that is too long or too deeply nested: it is shown as it is. */
  readonly blocks: readonly Token[] | null;
  /** Characters that were parsed for it. */
  readonly parsed: number;
}

/** Longer texts are shown as they are: parsing takes as long as nobody waits. */
const MOST_CHARACTERS = 200_000;
/** Signs of quotes and lists at the head of one line; the parser and the elements are as deep as these. */
const DEEPLY_NESTED = /^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])){20}/m;
/** Indents of lists that are no deeper than a person reads. */
const DEEPLY_INDENTED = /^[ \t]{80}[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]/m;

export const parseText = (text: string): ParsedText => ({ text, blocks: blocksIn(text, text), parsed: text.length });

/** The blocks of `text`, which may go on after that of `before`. What a later block defines is not seen in earlier ones. */
export function parseGrownText(before: ParsedText | null, text: string): ParsedText {
  if (before === null || before.blocks === null || !text.startsWith(before.text)) return parseText(text);
  const last = before.blocks.findLastIndex(({ type }) => type !== "space");
  const kept = before.blocks.slice(0, Math.max(0, last));
  const rest = text.slice(kept.reduce((length, { raw }) => length + raw.length, 0));
  const grown = blocksIn(rest, text);
  return { text, blocks: grown === null ? null : [...kept, ...grown], parsed: rest.length };
}

function blocksIn(part: string, whole: string): readonly Token[] | null {
  if (whole.length > MOST_CHARACTERS || DEEPLY_NESTED.test(part) || DEEPLY_INDENTED.test(part)) return null;
  try {
    return lexer(part, { gfm: true, breaks: true });
  } catch {
    return null;
  }
}
