/**
 * A sealed cookie of a sign-in by the provider: the person, and the ID token, which identifies them when they sign out
 * at the provider. It is in no record, so the service stores no tokens of the provider.
 */
import type { Sealing } from "../../../actors/sealing.ts";
import { cookieIn, cookieOf } from "../../http/admission/session-cookie.ts";
import { SESSION_MS } from "../accounts.ts";

const PROVIDER_COOKIE = "troupe_provider";
const CONTEXT = ["browser"];
/** Browsers keep 4,096 bytes of name, value and attributes; sealing makes a third more. */
const ID_TOKEN_CHARACTERS = 2_700;
/** How long after signing out here the person can sign out at the provider too. */
const AFTERWARDS_SECONDS = 600;

export interface ProviderCookieParts {
  readonly sealing: Pick<Sealing, "seal" | "open">;
  readonly appUrl: () => string;
}

export interface ProviderSession {
  readonly userId: string;
  /** Empty if it is too long for a cookie. */
  readonly idToken: string;
}

/** `Set-Cookie` that lasts as long as the session. */
export const providerCookie = (parts: ProviderCookieParts, session: ProviderSession): string =>
  keptFor(parts, session, SESSION_MS / 1_000);

/** `Set-Cookie` that lasts for the page after signing out. */
export const cookieAfterwards = (parts: ProviderCookieParts, session: ProviderSession): string =>
  keptFor(parts, session, AFTERWARDS_SECONDS);

export const noProviderCookie = ({ appUrl }: ProviderCookieParts): string => cookieOf(PROVIDER_COOKIE, "", appUrl(), 0);

/** The content of the browser's cookie, or null. */
export function providerSessionIn(request: Request, { sealing, appUrl }: ProviderCookieParts): ProviderSession | null {
  const sealed = cookieIn(PROVIDER_COOKIE, request.headers.get("cookie"), appUrl());
  const text = sealed === null ? null : sealing.open("provider_session", sealed, CONTEXT);
  return text === null ? null : (JSON.parse(text) as ProviderSession);
}

function keptFor(
  { sealing, appUrl }: ProviderCookieParts,
  { userId, idToken }: ProviderSession,
  seconds: number,
): string {
  const kept: ProviderSession = { userId, idToken: idToken.length > ID_TOKEN_CHARACTERS ? "" : idToken };
  return cookieOf(PROVIDER_COOKIE, sealing.seal("provider_session", JSON.stringify(kept), CONTEXT), appUrl(), seconds);
}
