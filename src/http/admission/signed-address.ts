/**
 * Signed addresses: each opens one stream for pages without a token (SSE-9). The signature is an HMAC-SHA256, with a
 * separate key, over method, path, expiry, organization and subject. `sub` names the subject that the address was
 * given to (organization, user and token), so that revoking the token closes the stream too.
 */
import { isSameHash, type Sealing } from "../../../actors/sealing.ts";
import { isIdOf } from "../../../actors/ids.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import type { Clock } from "../../../actors/runtime/ports.ts";

/** Lifetime of an address in seconds. */
export const SIGNED_ADDRESS_SECONDS = 5 * 60;
const SIGNATURE = /^[0-9a-f]{64}$/;
const EXPIRY = /^\d{1,12}$/;

export interface SigningParts {
  readonly sealing: Sealing;
  readonly clock: Pick<Clock, "now">;
}

/** The subject that an address was given to. */
export type Subject = Pick<Principal, "organizationId" | "userId" | "tokenId">;

/** A fresh address for this path. */
export function signedAddress({ sealing, clock }: SigningParts, path: string, subject: Subject): string {
  const { organizationId, userId, tokenId } = subject;
  const sub = `${organizationId}.${userId}.${tokenId}`;
  const exp = String(Math.floor(clock.now() / 1_000) + SIGNED_ADDRESS_SECONDS);
  return `${path}?sub=${sub}&exp=${exp}&sig=${addressSignature(sealing.key("app_stream"), { path, exp, organizationId, sub })}`;
}

/** The subject of the address; null if it is invalid. */
export function subjectOf({ sealing, clock }: SigningParts, path: string, search: string): Subject | null {
  const query = new URLSearchParams(search);
  const [sub = "", exp = "", sig = ""] = ["sub", "exp", "sig"].map((name) => query.get(name) ?? "");
  const [organizationId = "", userId = "", tokenId = "", ...more] = sub.split(".", 4);
  if (!isIdOf("org", organizationId) || !isIdOf("usr", userId) || !isIdOf("tok", tokenId)) return null;
  if (more.length > 0 || !EXPIRY.test(exp) || !SIGNATURE.test(sig)) return null;
  const signed = { path, exp, organizationId, sub };
  if (!sealing.keys("app_stream").some((key) => isSameHash(addressSignature(key, signed), sig))) return null;
  return Number(exp) * 1_000 > clock.now() ? { organizationId, userId, tokenId } : null;
}

interface Signed {
  readonly path: string;
  readonly exp: string;
  readonly organizationId: string;
  readonly sub: string;
}

function addressSignature(key: Uint8Array, { path, exp, organizationId, sub }: Signed): string {
  const text = ["GET", path, exp, organizationId, sub].join("\n");
  return new Bun.CryptoHasher("sha256", key).update(text).digest("hex");
}
