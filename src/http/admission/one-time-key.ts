/** Keys in links that are passed to a person: long, random, shown once. Only their hashes are stored. */

const KEY_BYTES = 32;

/** The key for the link, and the hash for storage. */
export const newKey = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES))).toString("base64url");
export const keyHash = (key: string): string => Bun.SHA256.hash(key, "hex");
