/**
 * The `Idempotency-Key` of a request (IDEM-1): bare or quoted, 1 to 255 printable ASCII characters. Its scope is the
 * organization, the token, the method and the path; the token, because integrations that share a person choose their
 * keys independently. Only hashes under a key of the service are stored, so that nobody finds a guessable key or
 * body by trying.
 */
import { ok, type Outcome, refuse } from "../../../actors/fault.ts";
import { newId } from "../../../actors/ids.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import type { KeyClaim } from "../../../actors/traffic/protocol.ts";

const PRINTABLE = /^[\x20-\x7e]{1,255}$/;
/** A string of RFC 9651: within the quotes, a backslash escapes only a quote or a backslash. */
const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/;

/**
 * The key in a header; quoted and bare forms are equal. Two headers arrive joined by a comma, and it is unknown
 * which of them a proxy has read; so a key with a comma must be quoted.
 */
export function parseIdempotencyKey(header: string): Outcome<string> {
  const text = header.trim();
  const bare = text.includes(",") ? undefined : text;
  const key = text.startsWith('"') ? QUOTED.exec(text)?.[1]?.replace(/\\(.)/g, "$1") : bare;
  return key !== undefined && PRINTABLE.test(key) ? ok(key) : refuse({ kind: "invalid_idempotency_key" });
}

/** A request with a key. */
export interface KeyedInput {
  readonly key: string;
  readonly method: string;
  readonly path: string;
  /** Including its question mark; empty if there is no query. */
  readonly query: string;
  /** The headers that count, each as it was sent; those that were not sent are left out. */
  readonly headers?: readonly string[];
}

/**
 * Identifies the request in the organization's traffic actor; `secrets` are the service's, the present one first.
 * `digest` is that of the body.
 */
export function claimOf(
  { organizationId, tokenId }: Pick<Principal, "organizationId" | "tokenId">,
  { key, method, path, query, headers = [] }: KeyedInput,
  {
    digest,
    secrets: [present, ...others],
  }: { readonly digest: string; readonly secrets: readonly [Uint8Array, ...Uint8Array[]] },
): KeyClaim {
  const under = (secret: Uint8Array) => ({
    keyId: hash(secret, [organizationId, tokenId, method, path, key]),
    fingerprint: hash(secret, [method, path, query, digest, ...headers]),
  });
  const claim = { ...under(present), holder: newId("req") };
  return others.length === 0 ? claim : { ...claim, others: others.map(under) };
}

/** One hash of several texts; JSON keeps them apart. */
const hash = (secret: Uint8Array, texts: readonly string[]): string =>
  new Bun.CryptoHasher("sha256", secret).update(JSON.stringify(texts)).digest("hex");
