/**
 * File names that DuckDB would interpret: `a[1].csv` as a pattern, `~a.csv` as a path in the home folder, `a:b.csv` as
 * a URL. In the text of a query, their literals are replaced by ones that mean the file with this name.
 */

const SPECIAL = /^~|^[a-z][a-z0-9+.-]*:|[*?[]/i;

export const isSpecialName = (name: string): boolean => SPECIAL.test(name);

/** A file, where a query names it: the place of the literal, in bytes. */
export interface NamePlace {
  readonly at: number;
  readonly name: string;
}

/** The query with other literals at these places; null if the literal of a name is not in plain quotes. */
export function withPlainNames(query: string, places: readonly NamePlace[]): string | null {
  let text = Buffer.from(query);
  // From the end, so that the places before stay where they are.
  for (const { at, name } of places.toSorted((a, b) => b.at - a.at)) {
    const found = [`'`, `"`].find((quote) => text.subarray(at).indexOf(literalOf(name, quote)) === 0);
    if (found === undefined) return null;
    const end = at + Buffer.byteLength(literalOf(name, found));
    text = Buffer.concat([text.subarray(0, at), Buffer.from(literalOf(plainPath(name), found)), text.subarray(end)]);
  }
  return text.toString();
}

const literalOf = (name: string, quote: string): string => quote + name.replaceAll(quote, quote + quote) + quote;
const plainPath = (name: string): string => `./${name.replaceAll(/[*?[]/g, "[$&]")}`;
