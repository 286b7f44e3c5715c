/** Keys of links that are passed on to a person: long, random, shown once. Only the hash of one is stored. */

const KEY_BYTES = 32;

/** What a link is opened with, and what is stored of it. */
export const newKey = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES))).toString("base64url");
export const keyHash = (key: string): string => Bun.SHA256.hash(key, "hex");
