/** The charset that a `Content-Type` names; web pages may name one in their text too. */

/** The name in `text`, such as `text/plain; charset=iso-8859-1`; undefined if there is none. */
export const charsetIn = (text: string): string | undefined => /charset\s*=\s*["']?([\w.:-]+)/i.exec(text)?.[1];

/** A decoder for this charset; UTF-8 where it is not known. Invalid bytes become U+FFFD. */
export function decoderOf(charset: string | undefined): TextDecoder {
  try {
    return new TextDecoder((charset ?? "utf-8") as Bun.Encoding);
  } catch {
    // Catching the error is the only way to test for an unknown encoding.
    return new TextDecoder();
  }
}
