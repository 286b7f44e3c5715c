/**
 * The id of a connection, which follows from its owner, the address of its server and a client that was registered by
 * hand: nobody has to look it up, and another client never gets the tokens of the former one.
 */
import type { AuthClient } from "../../actors/connection/schema.ts";

/** Characters of an id after its prefix (`actors/ids.ts`). */
const DERIVED_LENGTH = 21;

/** `ownerId`: a user's id, or `organization`. 126 bits of a hash, so two servers never share an id. */
export function connectionIdOf(
  organizationId: string,
  ownerId: string,
  resource: string,
  client: AuthClient | null = null,
): string {
  const ofClient = client === null ? [] : [client.issuer, client.id, client.secret ?? null];
  const hash = new Bun.CryptoHasher("sha256").update(JSON.stringify([organizationId, ownerId, resource, ...ofClient]));
  return `con_${hash.digest("base64url").slice(0, DERIVED_LENGTH)}`;
}
