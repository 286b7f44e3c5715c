/**
 * The secret of a client that was registered by hand (ACC-14). Only its name is kept with a connection: its value is
 * looked up for each request to the authorization server, so a new value counts at once, and a deleted one ends its use.
 */
import type { Outcome } from "../../actors/fault.ts";
import { AuthorizationFault } from "./oauth/fault.ts";
import type { KnownClient } from "./sealed-grant.ts";

export interface SecretReader {
  /** The value; `not_found` if there is no readable secret. */
  read(organizationId: string, name: string): Promise<Outcome<string>>;
}

/** The present value. Throws `AuthorizationFault`. */
export async function readClientSecret(secrets: SecretReader, organizationId: string, name: string): Promise<string> {
  const value = await secrets.read(organizationId, name);
  if (value.ok) return value.value;
  throw value.fault.kind === "not_found"
    ? new AuthorizationFault(
        "unsupported",
        `The secret ${name}, which the client of this server needs, does not exist.`,
      )
    : new AuthorizationFault("away", `The secret ${name} cannot be read now. Try again in a moment.`);
}

/** The client as it is used. Throws `AuthorizationFault`. */
export async function withClientSecret<K extends KnownClient>(
  secrets: SecretReader,
  organizationId: string,
  known: K,
): Promise<K> {
  if (known.secretName === undefined) return known;
  const clientSecret = await readClientSecret(secrets, organizationId, known.secretName);
  return { ...known, client: { ...known.client, clientSecret } };
}

/**
 * Whether the authorization server refused the client because of a secret that an owner keeps: it may be mistyped, or
 * replaced on one side only. The access itself is not refused, so people keep what they have.
 */
export const isOwnersToMend = ({ secretName }: KnownClient, { oauthError }: AuthorizationFault): boolean =>
  secretName !== undefined && oauthError === "invalid_client";

/** The client as it is kept. A secret that the authorization server itself has issued stays. */
export function withoutClientSecret(known: KnownClient): KnownClient {
  if (known.secretName === undefined) return known;
  const { clientSecret: _, ...client } = known.client;
  return { ...known, client };
}
