/** Where a person goes after signing in: a path of this service, whatever a link has asked for. */

/** Some host, to see whether a text stays on it. */
const BASE = "https://troupe.invalid";
const CONTROL = /\p{Cc}/u;

/** The path with its query, or null where the text leads anywhere else: to another host, a scheme, a backslash. */
export function nextPath(text: string | null): string | null {
  if (text === null || !text.startsWith("/") || CONTROL.test(text) || !URL.canParse(text, BASE)) return null;
  const url = new URL(text, BASE);
  return url.origin === BASE && !url.pathname.startsWith("//") ? url.pathname + url.search : null;
}
