/**
 * The cookies of a browser that signs in and has signed in (AUTH-13). Over https their names begin with `__Host-`: a browser keeps it
 * for exactly this host and scheme, and no page of another host of the domain can set one of such a name. Below a path
 * of a host that others use too they begin with `__Secure-` and go to that path alone: a `__Host-` cookie would be
 * sent to the others as well.
 */
import { pathPrefixOf } from "./path-prefix.ts";

const NAME = "troupe_session";
/** What the secret of a session begins with: no token of another kind is taken from a cookie, and no session from a header. */
export const SESSION_PREFIX = "ses_";

const isSecure = (appUrl: string): boolean => appUrl.startsWith("https:");
const nameFor = (name: string, appUrl: string): string => {
  if (!isSecure(appUrl)) return name;
  return `${pathPrefixOf(appUrl) === "" ? "__Host-" : "__Secure-"}${name}`;
};

/** The secret of the request's session, or null. */
export const sessionIn = (cookies: string | null, appUrl: string): string | null => cookieIn(NAME, cookies, appUrl);

/** The value of a cookie of ours, or null. */
export function cookieIn(name: string, cookies: string | null, appUrl: string): string | null {
  if (cookies === null) return null;
  const full = nameFor(name, appUrl);
  for (const part of cookies.split(";")) {
    const at = part.indexOf("=");
    if (at !== -1 && part.slice(0, at).trim() === full) return part.slice(at + 1).trim();
  }
  return null;
}

/** `Set-Cookie` for this secret; it lasts until the session's own end. */
export const sessionCookie = (secret: string, appUrl: string, seconds: number): string =>
  cookieOf(NAME, secret, appUrl, seconds);

/** `Set-Cookie` of ours: of this host alone, and for no script. */
export function cookieOf(name: string, value: string, appUrl: string, seconds: number): string {
  const secure = isSecure(appUrl) ? "; Secure" : "";
  return `${nameFor(name, appUrl)}=${value}; Path=${pathPrefixOf(appUrl) || "/"}; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`;
}

/** `Set-Cookie` that has the browser forget its session. */
export const noSessionCookie = (appUrl: string): string => sessionCookie("", appUrl, 0);
