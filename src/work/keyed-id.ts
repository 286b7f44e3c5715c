/** Derives ids from a key, so that each attempt of the same work names the same chat and the same job. */

/** Characters of the random part of an id (GEN-2). */
const KEYED_ID_CHARACTERS = 21;

/**
 * The id for this key. `purpose` keeps the keys of different callers apart (`delegation`, `mission`); it
 * must never change, because retries after an upgrade compute the id again.
 */
export function keyedId(
  prefix: "job" | "cht" | "msg" | "mtk",
  { purpose, key }: { readonly purpose: string; readonly key: string },
): string {
  const digest = new Bun.CryptoHasher("sha256").update(`${purpose}\n${prefix}\n${key}`).digest("base64url");
  return `${prefix}_${digest.slice(0, KEYED_ID_CHARACTERS)}`;
}
