/**
 * Measures how deep a JSON text is and how many values it has, without building any of them. `JSON.parse` accepts five
 * million nested arrays, but the recursive code behind it does not; so text from outside is measured first. Linear
 * time, no allocation, and it can be fed in pieces.
 */

import { NumberLimitError } from "./exact-json.ts";

export interface JsonLimits {
  /** Nested arrays and objects. */
  readonly depth: number;
  /** Arrays, objects and commas, which make a parser allocate. */
  readonly values: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

/** Measures one JSON text, in pieces of UTF-16 code units or of UTF-8 bytes: every character that matters is ASCII. */
export class JsonShape {
  /** The deepest level so far. */
  deepest = 0;
  values = 0;
  #depth = 0;
  #isString = false;
  #isEscaped = false;

  take(code: number): void {
    if (this.#isString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (code === BACKSLASH) this.#isEscaped = true;
      else if (code === QUOTE) this.#isString = false;
      return;
    }
    // 0x5b and 0x7b are `[` and `{`, 0x5d and 0x7d are `]` and `}`.
    if (code === QUOTE) this.#isString = true;
    else if (code === COMMA) this.values++;
    else if (code === 0x5b || code === 0x7b) {
      this.values++;
      if (++this.#depth > this.deepest) this.deepest = this.#depth;
    } else if (code === 0x5d || code === 0x7d) this.#depth--;
  }

  takeText(text: string): void {
    // Skips a string at once: most of a body is text.
    let at = this.#isString && text !== "" ? this.#endOfString(text, 0) + 1 : 0;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) at = this.#endOfString(text, at + 1);
      else this.take(code);
    }
  }

  /** Where the string that continues at `from` ends; the text's length if it continues in the next piece. */
  #endOfString(text: string, from: number): number {
    let at = this.#isEscaped ? from + 1 : from;
    for (;;) {
      const quote = text.indexOf('"', at);
      const end = quote === -1 ? text.length : quote;
      let slashes = 0;
      while (end - slashes > at && text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++;
      const isEscaped = slashes % 2 === 1;
      this.#isString = quote === -1 || isEscaped;
      this.#isEscaped = quote === -1 && isEscaped;
      if (quote === -1 || !isEscaped) return end;
      at = quote + 1;
    }
  }

  /** No JSON string continues past the end of a line. */
  endLine(): void {
    this.#isString = false;
    this.#isEscaped = false;
  }

  isWithin({ depth, values }: JsonLimits): boolean {
    return this.deepest <= depth && this.values <= values;
  }

  reset(): void {
    this.endLine();
    this.deepest = 0;
    this.values = 0;
    this.#depth = 0;
  }
}

/** Whether a JSON text nests deeper than `depth` levels. */
export function isDeeper(text: string, depth: number): boolean {
  // Each level needs a bracket.
  if (text.length <= depth) return false;
  const shape = new JsonShape();
  shape.takeText(text);
  return shape.deepest > depth;
}

/**
 * The value of a JSON text from outside; undefined if it is not JSON or exceeds the limits. `parse` is `parseExact`
 * where its values are passed on.
 */
export function parseWithin(text: string, limits: JsonLimits, parse: (text: string) => unknown = JSON.parse): unknown {
  const shape = new JsonShape();
  shape.takeText(text);
  if (!shape.isWithin(limits)) return undefined;
  try {
    return parse(text);
  } catch (cause) {
    if (cause instanceof NumberLimitError) throw cause;
    // Parsing is the only way to find out whether a text is JSON.
    return undefined;
  }
}
