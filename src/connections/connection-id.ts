/** The id of a connection, which follows from its owner and the address of its server: nobody has to look it up. */

/** Characters of an id after its prefix (`actors/ids.ts`). */
const DERIVED_LENGTH = 21;

/** `ownerId`: a user's id, or `organization`. 126 bits of a hash, so two servers never share an id. */
export function connectionIdOf(organizationId: string, ownerId: string, resource: string): string {
  const hash = new Bun.CryptoHasher("sha256").update(JSON.stringify([organizationId, ownerId, resource]));
  return `con_${hash.digest("base64url").slice(0, DERIVED_LENGTH)}`;
}
