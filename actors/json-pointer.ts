/** JSON pointers (RFC 6901): where an error is in a value, and what a reference within a document leads to. */

/** A name as a part of a pointer. */
export const pointerPart = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");

/** A text without its percent-encoding; one that is not encoded correctly stays as it is. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What a reference such as `#/$defs/address` leads to; undefined if there is nothing, or if it is none of this form. */
export function referredValue(root: unknown, ref: string): unknown {
  if (ref === "#") return root;
  if (!ref.startsWith("#/")) return undefined;
  let at = root;
  for (const part of ref.slice(2).split("/")) {
    const name = percentDecoded(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[name];
  }
  return at;
}
