/**
 * The key of the service: the secret of the data folder, or TROUPE_SECRET. It seals nothing itself: for each purpose
 * HKDF-SHA-256 derives keys from it, and AES-256-GCM seals with those.
 *
 *   v1.<base64url of nonce (12 bytes), ciphertext, tag (16 bytes)>
 *
 * A nonce is random, so some 2³² texts may be sealed under one key; no purpose here comes near that.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { Sealing, SealingContext, SealingPurpose } from "../../actors/sealing.ts";
import { claimServiceKey } from "../../db/key-rotation.ts";
import type { Database } from "../../db/client.ts";

const KEY_VERSION = "v1.";
const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The database's sealed values were sealed under another key. */
export class WrongServiceKey extends Error {
  override readonly name = "WrongServiceKey";
}

/** Seals under this key, of at least 32 bytes; also opens values sealed under one of the `others`. */
export function createSealing(serviceKey: Uint8Array, others: readonly Uint8Array[] = []): Sealing {
  const present = sealingUnder(serviceKey);
  const ring = [present, ...others.map(sealingUnder)];
  return {
    seal: (...given) => present.seal(...given),
    open(...given) {
      for (const each of ring) {
        const plain = each.open(...given);
        if (plain !== null) return plain;
      }
      return null;
    },
    key: (purpose) => present.key(purpose),
    keys: (purpose) => [present.key(purpose), ...ring.slice(1).map((each) => each.key(purpose))],
    isPresent: (purpose, sealed, context) => present.open(purpose, sealed, context) !== null,
  };
}

type OneKey = Pick<Sealing, "seal" | "open" | "key">;

function sealingUnder(serviceKey: Uint8Array): OneKey {
  const keys = new Map<string, Uint8Array>();
  const derived = (use: "seal" | "key", purpose: SealingPurpose): Uint8Array => {
    const info = `troupe ${KEY_VERSION}${use} ${purpose}`;
    const known = keys.get(info);
    if (known !== undefined) return known;
    const made = new Uint8Array(hkdfSync("sha256", serviceKey, "", info, KEY_BYTES));
    keys.set(info, made);
    return made;
  };
  const sealingKey = (purpose: SealingPurpose, under: string | undefined): Uint8Array => {
    const key = derived("seal", purpose);
    return under === undefined
      ? key
      : new Uint8Array(hkdfSync("sha256", key, under, `troupe ${KEY_VERSION}under`, KEY_BYTES));
  };
  return {
    seal(purpose, plain, context, under) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, sealingKey(purpose, under), nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(boundData(context));
      const parts = [nonce, cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()];
      return KEY_VERSION + Buffer.concat(parts).toString("base64url");
    },

    open(purpose, sealed, context, under) {
      const bytes = Buffer.from(sealed.slice(KEY_VERSION.length), "base64url");
      if (!sealed.startsWith(KEY_VERSION) || bytes.length < NONCE_BYTES + TAG_BYTES) return null;
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const cipher = createDecipheriv(CIPHER, sealingKey(purpose, under), nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(boundData(context));
      cipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      const plain = cipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
      try {
        return Buffer.concat([plain, cipher.final()]).toString("utf8");
      } catch {
        // Failed authentication is how a text that was not sealed under this key shows.
        return null;
      }
    },

    // A copy, so that callers cannot change the cached key.
    key: (purpose) => derived("key", purpose).slice(),
  };
}

/** The parts encoded unambiguously as bytes. */
const boundData = (context: SealingContext): Buffer => Buffer.from(JSON.stringify(context));

/** A value that is unique to the key but does not reveal it. */
export const keyCheckOf = (sealing: Sealing): string => Buffer.from(sealing.key("key_check")).toString("hex");

/** Whether a check value belongs to one of the keys. */
export const isCheckOf = (sealing: Sealing, check: string): boolean =>
  sealing.keys("key_check").some((key) => Buffer.from(key).toString("hex") === check);

/**
 * Makes sure that the database's values were sealed under this key. The first start stores a check value, which does
 * not reveal the key. Throws `WrongServiceKey`.
 */
export async function checkServiceKey(database: Database, sealing: Sealing): Promise<void> {
  if (isCheckOf(sealing, await claimServiceKey(database, keyCheckOf(sealing)))) return;
  throw new WrongServiceKey(
    "This database belongs to another key: its secrets were encrypted under another one than this start has. " +
      "Set TROUPE_SECRET to the key that it was made with, which is in the file `secret` of that data folder; " +
      "where the key is being changed, name the former one in TROUPE_OTHER_SECRETS. " +
      "Where that key is lost, docs/operations.md says how to go on without what was encrypted.",
  );
}

/** Further keys of the service, for key rotation: they open values that were sealed under them, and seal nothing. */
export const otherSecretsOf = ({ troupeOtherSecrets = [] }: { readonly troupeOtherSecrets?: readonly string[] }) =>
  troupeOtherSecrets.map((text) => new Uint8Array(Buffer.from(text, "base64")));
