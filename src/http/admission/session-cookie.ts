/**
 * The cookies of a browser during and after sign-in (AUTH-13). Over https their names begin with `__Host-`: the
 * browser restricts them to exactly this host and scheme, and no other host of the domain can set them. If the
 * service shares its host below a path, they begin with `__Secure-` and are restricted to that path: a `__Host-`
 * cookie would be sent to the host's other services too.
 */
import { pathPrefixOf } from "../request/path-prefix.ts";

const SESSION_COOKIE = "troupe_session";
/** Prefix of a session's secret: no other kind of token is accepted in a cookie, and no session in a header. */
export const SESSION_PREFIX = "ses_";

const isSecure = (appUrl: string): boolean => appUrl.startsWith("https:");
const nameFor = (name: string, appUrl: string): string => {
  if (!isSecure(appUrl)) return name;
  return `${pathPrefixOf(appUrl) === "" ? "__Host-" : "__Secure-"}${name}`;
};

/** The secret of the request's session, or null. */
export const sessionIn = (cookies: string | null, appUrl: string): string | null =>
  cookieIn(SESSION_COOKIE, cookies, appUrl);

/** The value of one of our cookies, or null. */
export function cookieIn(name: string, cookies: string | null, appUrl: string): string | null {
  if (cookies === null) return null;
  const full = nameFor(name, appUrl);
  for (const part of cookies.split(";")) {
    const at = part.indexOf("=");
    if (at !== -1 && part.slice(0, at).trim() === full) return part.slice(at + 1).trim();
  }
  return null;
}

/** `Set-Cookie` for this secret; it expires with the session. */
export const sessionCookie = (secret: string, appUrl: string, seconds: number): string =>
  cookieOf(SESSION_COOKIE, secret, appUrl, seconds);

/** `Set-Cookie` for one of our cookies: for this host alone, and not for scripts. */
export function cookieOf(name: string, value: string, appUrl: string, seconds: number): string {
  const secure = isSecure(appUrl) ? "; Secure" : "";
  return `${nameFor(name, appUrl)}=${value}; Path=${pathPrefixOf(appUrl) || "/"}; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`;
}

/** `Set-Cookie` that deletes the session cookie. */
export const noSessionCookie = (appUrl: string): string => sessionCookie("", appUrl, 0);
