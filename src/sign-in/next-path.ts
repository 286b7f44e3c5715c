/** Where a person goes after signing in: always a path of this service, whatever a link asks for. */

/** A placeholder host, to test whether a text stays on the same host. */
const BASE = "https://troupe.invalid";
export const CONTROL_CHARACTER = /\p{Cc}/u;

/** The path with its query; null if the text leads elsewhere: another host, a scheme, a backslash. */
export function nextPath(text: string | null): string | null {
  if (text === null || !text.startsWith("/") || CONTROL_CHARACTER.test(text) || !URL.canParse(text, BASE)) return null;
  const url = new URL(text, BASE);
  return url.origin === BASE && !url.pathname.startsWith("//") ? url.pathname + url.search : null;
}
