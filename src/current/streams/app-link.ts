/**
 * The signed address of a job's stream for pages that hold no token (SSE-9). Whoever may read the job
 * is given one; for five minutes it opens the stream of that job, and nothing else. `sub` names who it was
 * given to: organization, user and token, so that a revocation of the token closes the stream too.
 */
import { hasScope, type Principal } from "../../../actors/organization/principal.ts";
import type { Clock } from "../../../actors/runtime/clock.ts";
import type { Sealing } from "../../../actors/sealing.ts";

/** How long an address opens a stream, in seconds. */
export const APP_LINK_SECONDS = 5 * 60;
const SUBJECT = /^(org_[A-Za-z0-9_-]{21})\.(usr_[A-Za-z0-9_-]{21})\.(tok_[A-Za-z0-9_-]{21})$/;
const SIGNATURE = /^[0-9a-f]{64}$/;
const EXPIRY = /^\d{1,12}$/;

interface AppLinkParts {
  readonly sealing: Sealing;
  readonly clock: Clock;
}

/** Who an address was given to. */
export type Subject = Pick<Principal, "organizationId" | "userId" | "tokenId">;

const pathOf = (jobId: string): string => `/mcp-app/jobs/${jobId}/events`;

/** A fresh address, or null for who may not read jobs. */
export function appLink({ sealing, clock }: AppLinkParts, jobId: string, by: Principal): string | null {
  if (!hasScope(by.scopes, "jobs:read")) return null;
  const { organizationId, userId, tokenId } = by;
  const sub = `${organizationId}.${userId}.${tokenId}`;
  const exp = String(Math.floor(clock.now() / 1_000) + APP_LINK_SECONDS);
  const path = pathOf(jobId);
  const sig = signatureOf(sealing, { path, exp, organizationId, sub });
  return `${path}?sub=${sub}&exp=${exp}&sig=${sig}`;
}

/** Who the address was given to; null where it opens nothing. */
export function subjectOf({ sealing, clock }: AppLinkParts, jobId: string, query: URLSearchParams): Subject | null {
  const [sub, exp, sig] = [query.get("sub") ?? "", query.get("exp") ?? "", query.get("sig") ?? ""];
  const [, organizationId = "", userId = "", tokenId = ""] = SUBJECT.exec(sub) ?? [];
  if (organizationId === "" || !EXPIRY.test(exp) || !SIGNATURE.test(sig)) return null;
  const expected = signatureOf(sealing, { path: pathOf(jobId), exp, organizationId, sub });
  if (!isSameSignature(expected, sig)) return null;
  return Number(exp) * 1_000 > clock.now() ? { organizationId, userId, tokenId } : null;
}

function signatureOf(
  sealing: Sealing,
  of: { readonly path: string; readonly exp: string; readonly organizationId: string; readonly sub: string },
): string {
  const text = ["GET", of.path, of.exp, of.organizationId, of.sub].join("\n");
  return new Bun.CryptoHasher("sha256", sealing.key("app_stream")).update(text).digest("hex");
}

/** Compares in a time that does not depend on where two signatures differ. */
function isSameSignature(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}
