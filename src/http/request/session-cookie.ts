/**
 * The cookie of a browser that has signed in (AUTH-13). Over https its name begins with `__Host-`: a browser keeps it
 * for exactly this host and scheme, and no page of another host of the domain can set one of that name.
 */

const NAME = "troupe_session";
/** What the secret of a session begins with: no token of another kind is taken from a cookie, and no session from a header. */
export const SESSION_PREFIX = "ses_";

const isSecure = (appUrl: string): boolean => appUrl.startsWith("https:");
const nameFor = (appUrl: string): string => (isSecure(appUrl) ? `__Host-${NAME}` : NAME);

/** The secret of the request's session, or null. */
export function sessionIn(cookies: string | null, appUrl: string): string | null {
  if (cookies === null) return null;
  const name = nameFor(appUrl);
  for (const part of cookies.split(";")) {
    const at = part.indexOf("=");
    if (at !== -1 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return null;
}

/** `Set-Cookie` for this secret; it lasts until the session's own end. */
export function sessionCookie(secret: string, appUrl: string, seconds: number): string {
  const secure = isSecure(appUrl) ? "; Secure" : "";
  return `${nameFor(appUrl)}=${secret}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`;
}

/** `Set-Cookie` that has the browser forget its session. */
export const noSessionCookie = (appUrl: string): string => sessionCookie("", appUrl, 0);
