/**
 * Reading TypeScript as text, exactly enough for the checks of tidy.ts: which characters are code,
 * which are comments, strings or regular expressions. Bun's transpiler is no help, because it
 * drops `import type` before one could look at it, and TypeScript 7 has no compiler API.
 *
 * `codeOf` keeps every offset and line of the text: what is no code becomes spaces, quotes stay.
 */

/** What may stand before a `/` that begins a regular expression and not a division. */
const BEFORE_REGEX = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|do|else|void|yield|await))\s*$/;
const STRING_QUOTES = new Set(['"', "'"]);

class Scanner {
  private readonly out: string[] = [];
  private at = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** The code of the text up to its end or to the `}` that closes a `${`. */
  code(isInTemplate: boolean): void {
    let depth = 0;
    while (this.at < this.text.length) {
      const char = this.text[this.at] ?? "";
      if (this.text.startsWith("//", this.at)) this.blankUntil("\n", 0);
      else if (this.text.startsWith("/*", this.at)) this.blankUntil("*/", 2);
      else if (STRING_QUOTES.has(char)) this.quoted(char);
      else if (char === "`") this.template();
      else if (char === "/" && BEFORE_REGEX.test(this.out.slice(-40).join(""))) this.regex();
      else {
        if (char === "{") depth += 1;
        if (char === "}") depth -= 1;
        if (isInTemplate && depth < 0) return;
        this.keep();
      }
    }
  }

  result(): string {
    return this.out.join("");
  }

  private keep(): void {
    this.out.push(this.text[this.at] ?? "");
    this.at += 1;
  }

  private blank(): void {
    this.out.push(this.text[this.at] === "\n" ? "\n" : " ");
    this.at += 1;
  }

  private blankUntil(end: string, width: number): void {
    const found = this.text.indexOf(end, this.at + width);
    const stop = found === -1 ? this.text.length : found + width;
    while (this.at < stop) this.blank();
  }

  private quoted(quote: string): void {
    this.keep();
    while (this.at < this.text.length && this.text[this.at] !== quote && this.text[this.at] !== "\n")
      this.blankEscaped();
    this.keep();
  }

  private blankEscaped(): void {
    if (this.text[this.at] === "\\") this.blank();
    if (this.at < this.text.length) this.blank();
  }

  private template(): void {
    this.keep();
    while (this.at < this.text.length && this.text[this.at] !== "`") {
      if (this.text.startsWith("${", this.at)) {
        this.keep();
        this.keep();
        this.code(true);
        this.keep();
      } else this.blankEscaped();
    }
    this.keep();
  }

  private regex(): void {
    let isInClass = false;
    this.blank();
    while (this.at < this.text.length && this.text[this.at] !== "\n") {
      const char = this.text[this.at];
      if (char === "/" && !isInClass) break;
      if (char === "[") isInClass = true;
      if (char === "]") isInClass = false;
      this.blankEscaped();
    }
    this.blank();
  }
}

/** The text with everything that is no code as spaces; offsets and lines are those of the text. */
export function codeOf(text: string): string {
  const scanner = new Scanner(text);
  scanner.code(false);
  return scanner.result();
}

/** The contents of the strings that begin where `pattern` ends in the code, such as `from "…"`. */
export function stringsAfter(text: string, code: string, pattern: RegExp): string[] {
  return [...code.matchAll(pattern)].flatMap((match) => {
    const start = match.index + match[0].length;
    const quote = text[start] ?? "";
    const end = code.indexOf(quote, start + 1);
    return "\"'`".includes(quote) && quote !== "" && end !== -1 ? [text.slice(start + 1, end)] : [];
  });
}

/** The modules that a file names, in any form: import, export … from, import(), require(). */
export function importsOf({ text }: { readonly text: string }): string[] {
  return stringsAfter(
    text,
    codeOf(text),
    /\bfrom\s*(?=["'])|\bimport\s*(?=["'])|\b(?:import|require)\s*\(\s*(?=["'`])/g,
  );
}
