/** Port: the public keys with which receivers verify who acts (ACC-13). */
import { OneOf, Type, type Static } from "../../actors/schema.ts";
import { noun, Text } from "../http/contract/noun.ts";

const COORDINATE = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU";

export const IdentityKey = noun("IdentityKey", "A public key that verifies who acts, as a JSON Web Key", {
  kty: OneOf(["EC"] as const, { description: "Kind of the key" }),
  crv: OneOf(["P-256"] as const, { description: "Its curve" }),
  x: Text("The x coordinate of its point", COORDINATE),
  y: Text("The y coordinate of its point", COORDINATE),
  kid: Text("Id of the key, which tokens name: its thumbprint (RFC 7638)", COORDINATE),
  alg: OneOf(["ES256"] as const, { description: "Algorithm of the signatures" }),
  use: OneOf(["sig"] as const, { description: "What it is for" }),
});
export type PublicIdentityKey = Static<typeof IdentityKey>;

export const IdentityKeySet = noun("IdentityKeySet", "The keys that verify who acts (RFC 7517)", {
  keys: Type.Array(IdentityKey, { description: "The keys of the former, the present and the next period" }),
});

export interface PublishedKeys {
  /** The same array until the keys change. */
  published(): readonly PublicIdentityKey[];
}
