/**
 * The secrets of tokens (AUTH-1): a prefix for the kind, 43 base64url characters of 256 random bits, and 6 base62
 * characters of a CRC-32 over both. The checksum catches typos without a lookup. Only the SHA-256 of the whole is
 * ever stored.
 */
import type { NewToken } from "../../../actors/organization/protocol.ts";
import type { CredentialKind } from "../../../actors/organization/schema.ts";
import { SESSION_PREFIX } from "./session-cookie.ts";

const PREFIXES: Readonly<Record<CredentialKind, string>> = {
  personal: "pat_",
  service: "svc_",
  session: SESSION_PREFIX,
  oauth: "oat_",
};
const TOKEN_SECRET_BYTES = 32;
const BODY_CHARACTERS = 4 + 43;
const CHECKSUM_CHARACTERS = 6;
const TOKEN_CHARACTERS = BODY_CHARACTERS + CHECKSUM_CHARACTERS;
const SHAPE = /^(?:pat|svc|ses|oat)_[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}$/;
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

export interface MintedToken {
  /** Shown once and never stored. */
  readonly secret: string;
  /** SHA-256 of the secret, in hex. */
  readonly hash: string;
  /** The last four characters, so that its owner recognises it. */
  readonly hint: string;
}

/** Makes a token, of random bits unless 256 secret bits are given. */
export function makeToken(
  kind: CredentialKind,
  bits: Uint8Array = crypto.getRandomValues(new Uint8Array(TOKEN_SECRET_BYTES)),
): MintedToken {
  const body = PREFIXES[kind] + Buffer.from(bits).toString("base64url");
  const secret = body + checksum(body);
  return { secret, hash: secretHash(secret), hint: secret.slice(-4) };
}

/** A token and its secret; only the token, with the secret's hash, goes to the actors. */
export function newToken(
  kind: CredentialKind,
  of: Omit<NewToken, "kind" | "hash" | "hint">,
): { readonly token: NewToken; readonly secret: string } {
  const { secret, hash, hint } = makeToken(kind);
  return { token: { ...of, kind, hash, hint }, secret };
}

/** The hash for finding the token, or null if the text cannot be one of our tokens. */
export const checkToken = (text: string): string | null => (isToken(text) ? secretHash(text) : null);

/**
 * The hash for the cache; null if the text has the wrong length. Cached tokens were checked when they were found,
 * and no other text has the same hash, so only uncached tokens need `isToken`.
 */
export const hashToFind = (text: string): string | null => (text.length === TOKEN_CHARACTERS ? secretHash(text) : null);

/** Whether the text can be one of our tokens: its form and its checksum. */
export const isToken = (text: string): boolean =>
  text.length === TOKEN_CHARACTERS && SHAPE.test(text) && text.endsWith(checksum(text.slice(0, BODY_CHARACTERS)));

const secretHash = (secret: string): string => Bun.SHA256.hash(secret, "hex");

function checksum(body: string): string {
  let left = Bun.hash.crc32(body);
  let text = "";
  for (let i = 0; i < CHECKSUM_CHARACTERS; i++) {
    text = BASE62[left % 62]! + text;
    left = Math.floor(left / 62);
  }
  return text;
}

/** A key in a link that is passed to a person, or in a code of OAuth: shown once, and stored only as `keyHash`. */
export const newKey = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(TOKEN_SECRET_BYTES))).toString("base64url");
export const keyHash = (key: string): string => secretHash(key);
