/**
 * The `Idempotency-Key` of a request (IDEM-1): bare or quoted, 1 to 255 printable ASCII characters. It
 * counts within its organization, its token, the method and the path; a token is the principal,
 * because integrations that share a person choose their keys by themselves. What is stored are hashes
 * under a key of the service: a key or a body that is easily guessed is not found by trying.
 */
import { ok, type Outcome, refuse } from "../../actors/fault.ts";
import { newId } from "../../actors/ids.ts";
import type { KeyClaim } from "../../actors/traffic/protocol.ts";
import { pathOf } from "./exchange.ts";
import type { Call } from "./surface.ts";

const PRINTABLE = /^[\x20-\x7e]{1,255}$/;
/** A string of RFC 9651: within the quotes, a backslash stands only before a quote or another one. */
const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/;

/** The key that a header names; quoted or not, it is the same one. */
export function parseIdempotencyKey(header: string): Outcome<string> {
  const text = header.trim();
  const key = text.startsWith('"') ? QUOTED.exec(text)?.[1]?.replace(/\\(.)/g, "$1") : text;
  return key !== undefined && PRINTABLE.test(key) ? ok(key) : refuse({ kind: "invalid_idempotency_key" });
}

/** A request under its key. */
export interface KeyedInput {
  readonly key: string;
  /** The body's text. */
  readonly body: string;
}

/** What the organization's traffic actor knows the request by; `secret` is the service's. */
export function claimOf(
  { request, principal }: Pick<Call, "request" | "principal">,
  { key, body }: KeyedInput,
  secret: Uint8Array,
): KeyClaim {
  const { method, url } = request;
  const path = pathOf(url);
  const at = url.indexOf("?");
  const query = at === -1 ? "" : url.slice(at);
  return {
    keyId: hash(secret, [principal.organizationId, principal.tokenId, method, path, key]),
    fingerprint: hash(secret, [method, path, query, body]),
    holder: newId("req"),
  };
}

/** One hash of several texts; as JSON they cannot run into each other. */
const hash = (secret: Uint8Array, texts: readonly string[]): string =>
  new Bun.CryptoHasher("sha256", secret).update(JSON.stringify(texts)).digest("hex");
