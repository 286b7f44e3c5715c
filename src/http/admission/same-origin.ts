/**
 * Whether a page of this service sent the request (AUTH-15). A browser attaches its cookie to any page's requests,
 * but no page can set the headers in which the browser describes that page. `SameSite=Lax` alone would admit other
 * hosts of the same domain.
 */

/** Methods that change nothing, and that links from anywhere may use. */
const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

export const isSafe = (method: string): boolean => SAFE.has(method);

/** Whether the browser confirms it. A request with neither header is refused. */
export function isSameOrigin({ headers }: Pick<Request, "headers">, appUrl: string): boolean {
  // Browsers send it only to https and localhost.
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  const origin = headers.get("origin");
  if (origin === null || !URL.canParse(origin)) return false;
  const own = new URL(appUrl);
  // Over https the operator has configured the address. Over http the service may have more names than it knows.
  return origin === own.origin || (own.protocol === "http:" && new URL(origin).host === headers.get("host"));
}

/** Whether, as far as the browser says, no other site has led it here; for links, which send no origin. */
export function isOwnLink({ headers }: Pick<Request, "headers">): boolean {
  const site = headers.get("sec-fetch-site");
  return site === null || site === "same-origin" || site === "none";
}
