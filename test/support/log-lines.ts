/** The lines that the service may log, as its source says them. */
import type { SourceFile } from "./tidy.ts";

export interface LogLine {
  readonly level: string;
  /** With `…` for what differs from line to line. */
  readonly message: string;
}

/** Where the level is a variable, it comes with the message: the lines of that call are those of its callers. */
const CALL = /\blog(?:ger)?(?:\??\.(info|warn|error|fatal)|\[\w+\])\(/g;
/** What is logged by a function `log(level, message)` of the options. */
const PASSED_ON = /\boptions\.log\((?="(info|warn|error)", )/g;
const QUOTES = new Set(['"', "'", "`"]);

/** One for each message that stands in the source itself; a message that is made elsewhere is not found. */
export function logLinesOf({ text }: SourceFile): readonly LogLine[] {
  return [...text.matchAll(CALL), ...text.matchAll(PASSED_ON)].flatMap(({ 1: level = "…", index, 0: call }) => {
    const last = lastArgument(text, index + call.length);
    if (!QUOTES.has(last.charAt(0))) return [];
    return [{ level, message: last.slice(1, -1).replaceAll(/\$\{[^}]*\}/g, "…") }];
  });
}

/** Of the call whose arguments begin at `from`. */
function lastArgument(text: string, from: number): string {
  let depth = 0;
  let start = from;
  let found = "";
  for (let at = from; at < text.length; at++) {
    const char = text.charAt(at);
    if (QUOTES.has(char)) at = endOfString(text, at);
    else if ("([{".includes(char)) depth++;
    else if (depth === 0 && (char === "," || char === ")")) {
      const argument = text.slice(start, at).trim();
      if (argument !== "") found = argument;
      start = at + 1;
      if (char === ")") return found;
    } else if (")]}".includes(char)) depth--;
  }
  return found;
}

function endOfString(text: string, from: number): number {
  const quote = text.charAt(from);
  let at = from + 1;
  while (at < text.length && text.charAt(at) !== quote) at += text.charAt(at) === "\\" ? 2 : 1;
  return at;
}
