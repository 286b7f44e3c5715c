/**
 * Codes and refresh tokens. Both name the grant that they belong to, so finding its actor needs no look-up. A code is
 * random. A refresh token is verifiable: the service recognizes its own, however old, and so detects a reused one
 * without storing the used ones.
 *
 *   oac_<organization>.<grant>.<43 random characters>
 *   ort_<organization>.<grant>.<generation>.<HMAC>
 */
import { isSameHash, type Sealing } from "../../../actors/sealing.ts";
import { keyHash } from "../../http/admission/token.ts";
import { isIdOf } from "../../../actors/ids.ts";

const CODE = /^oac_([\w-]{21})\.([\w-]{21})\.([\w-]{43})$/;
const REFRESH = /^ort_([\w-]{21})\.([\w-]{21})\.(\d{1,9})\.([\w-]{43})$/;

export interface GrantPlace {
  readonly organizationId: string;
  readonly grantId: string;
}

const bare = (id: string): string => id.slice(id.indexOf("_") + 1);

export const codeOf = ({ organizationId, grantId }: GrantPlace, secret: string): string =>
  `oac_${bare(organizationId)}.${bare(grantId)}.${secret}`;

export function readCode(code: string): (GrantPlace & { readonly codeHash: string }) | null {
  const [, organization = "", grant = "", secret = ""] = CODE.exec(code) ?? [];
  const place = grantPlace(organization, grant);
  return place === null ? null : { ...place, codeHash: keyHash(secret) };
}

export const refreshTokenOf = (sealing: Sealing, place: GrantPlace, generation: number): string => {
  const body = `${bare(place.organizationId)}.${bare(place.grantId)}.${generation}`;
  return `ort_${body}.${grantMac(sealing.key("refresh_token"), body)}`;
};

/**
 * The secret bits of the access token that this refresh issues: the same for each use of a refresh token, so that a
 * repeated one can be answered again.
 */
export const accessBitsOf = (sealing: Sealing, { organizationId, grantId }: GrantPlace, generation: number) =>
  new Bun.CryptoHasher("sha256", sealing.key("refresh_token"))
    .update(`access.${bare(organizationId)}.${bare(grantId)}.${generation}`)
    .digest();

/** Null if the service did not issue the token. */
export function readRefreshToken(
  sealing: Sealing,
  token: string,
): (GrantPlace & { readonly generation: number }) | null {
  const [, organization = "", grant = "", generation = "", mac = ""] = REFRESH.exec(token) ?? [];
  const place = grantPlace(organization, grant);
  const body = `${organization}.${grant}.${generation}`;
  const isOurs = sealing.keys("refresh_token").some((key) => isSameHash(grantMac(key, body), mac));
  if (place === null || !isOurs) return null;
  return { ...place, generation: Number(generation) };
}

function grantPlace(organization: string, grant: string): GrantPlace | null {
  const place = { organizationId: `org_${organization}`, grantId: `gra_${grant}` };
  return isIdOf("org", place.organizationId) && isIdOf("gra", place.grantId) ? place : null;
}

const grantMac = (key: Uint8Array, body: string): string =>
  new Bun.CryptoHasher("sha256", key).update(body).digest("base64url");

/** The challenge that belongs to a verifier (RFC 7636). */
export const verifierChallenge = (verifier: string): string =>
  new Bun.CryptoHasher("sha256").update(verifier).digest("base64url");
