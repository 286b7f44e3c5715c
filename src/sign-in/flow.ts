/**
 * A sign-in that continues in another request (AUTH-21). The browser keeps a key in a cookie, and the values that go
 * out and must come back (a state, a nonce, a challenge) are derived from it. So the flow is bound to this browser, and
 * the service stores only the key's hash, which is enough to accept each flow once, within its time.
 */
import { flowRef } from "../../actors/account/schema.ts";
import type { Outcome } from "../../actors/fault.ts";
import type { Clock } from "../../actors/runtime/ports.ts";
import { isoTime } from "../../actors/schema.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import { cookieIn, cookieOf } from "../http/admission/session-cookie.ts";
import { keyHash, newKey } from "../http/admission/token.ts";

/** From the first request to the last. */
export const FLOW_MINUTES = 10;
const FLOW_MS = FLOW_MINUTES * 60_000;
const FLOW_COOKIE = "troupe_flow";
const KEY = /^[\w-]{43}$/;

export interface FlowParts {
  readonly system: Pick<TroupeSystem, "dispatch">;
  readonly clock: Pick<Clock, "now">;
  readonly appUrl: () => string;
}

/** The value for one purpose: 256 bits that can be derived only from the browser's key. */
export const deriveKey = (key: string, purpose: string): string =>
  Buffer.from(new Bun.CryptoHasher("sha256", key).update(purpose).digest()).toString("base64url");

/** Begins a flow; answers the key and the cookie that keeps it. */
export async function beginFlow(
  { system, clock, appUrl }: FlowParts,
  next: string | null,
): Promise<Outcome<{ readonly key: string; readonly cookie: string }>> {
  const key = newKey();
  const expiresAt = isoTime(clock.now() + FLOW_MS);
  const begun = await system.dispatch(flowRefOf(key), { kind: "begin_flow", next, expiresAt });
  if (!begun.ok) return begun;
  return { ok: true, value: { key, cookie: cookieOf(FLOW_COOKIE, key, appUrl(), FLOW_MS / 1_000) } };
}

/** The key of the browser's flow, or null. */
export function flowKeyIn(request: Request, appUrl: string): string | null {
  const key = cookieIn(FLOW_COOKIE, request.headers.get("cookie"), appUrl);
  return key !== null && KEY.test(key) ? key : null;
}

/** Ends the flow; refuses `not_found` if it has already ended. */
export const takeFlow = ({ system }: FlowParts, key: string): Promise<Outcome<{ readonly next: string | null }>> =>
  system.dispatch(flowRefOf(key), { kind: "take_flow" });

/** `Set-Cookie` that deletes the browser's flow. */
export const noFlowCookie = (appUrl: string): string => cookieOf(FLOW_COOKIE, "", appUrl, 0);

const flowRefOf = (key: string) => flowRef(`flw_${keyHash(key)}`);

/** A placeholder host, to test whether a text stays on the same host. */
const BASE = "https://troupe.invalid";
export const CONTROL_CHARACTER = /\p{Cc}/u;

/** Where a person goes after signing in: the path with its query; null if the text leads elsewhere: another host, a scheme, a backslash. */
export function nextPath(text: string | null): string | null {
  if (text === null || !text.startsWith("/") || CONTROL_CHARACTER.test(text) || !URL.canParse(text, BASE)) return null;
  const url = new URL(text, BASE);
  return url.origin === BASE && !url.pathname.startsWith("//") ? url.pathname + url.search : null;
}
