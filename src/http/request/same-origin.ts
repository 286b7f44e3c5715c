/**
 * Whether a page of this service sent the request (AUTH-15). A browser attaches its cookie to whatever a page asks
 * for; what it says of the page cannot be set by the page. `SameSite=Lax` alone would leave the other hosts of the
 * same domain.
 */

/** Methods that change nothing and are open to links from anywhere. */
const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

export const isSafe = (method: string): boolean => SAFE.has(method);

/** Whether the browser vouches for it. A request that says nothing of its origin is refused with those that lie. */
export function isSameOrigin({ headers }: Pick<Request, "headers">, appUrl: string): boolean {
  // Browsers send it to https and to localhost only.
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  const origin = headers.get("origin");
  if (origin === null || !URL.canParse(origin)) return false;
  const own = new URL(appUrl);
  // Over https the operator has said where the service is. Over http it may be reached by more names than it knows.
  return origin === own.origin || (own.protocol === "http:" && new URL(origin).host === headers.get("host"));
}

/** Whether no other site has led the browser here, as far as it says so; for a link, which has no origin. */
export function isOwnLink({ headers }: Pick<Request, "headers">): boolean {
  const site = headers.get("sec-fetch-site");
  return site === null || site === "same-origin" || site === "none";
}
