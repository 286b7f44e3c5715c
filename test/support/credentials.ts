/** Sessions and grants of a person, made through the actors where a test needs no browser for them. */
import { organizationRef } from "../../actors/organization/schema.ts";
import { makeToken } from "../../src/http/admission/token.ts";
import type { Caller, Service } from "./service.ts";

const HOUR_MS = 3_600_000;

/** The id of a session of this person. */
export async function sessionOf({ system }: Service, { organizationId, userId }: Caller): Promise<string> {
  const { hash, hint } = makeToken("session");
  const expiresAt = new Date(Date.now() + HOUR_MS).toISOString();
  const token = { kind: "session", name: "A browser", hash, hint, userId, scopes: ["*"], expiresAt } as const;
  const made = await system.dispatch(organizationRef(organizationId), { kind: "create_token", token, by: null });
  if (!made.ok) throw new Error(made.fault.kind);
  return made.value.id;
}

/** The id of what this person has granted to a program, which has not redeemed its code. */
export async function grantOf({ system }: Service, { organizationId, userId }: Caller): Promise<string> {
  const offered = await system.dispatch(organizationRef(organizationId), {
    kind: "offer_grant",
    grant: {
      clientId: "cli_none",
      clientName: "A program",
      userId,
      scopes: ["agents:read"],
      resource: "https://troupe.test",
      redirectUri: "http://127.0.0.1/",
      codeHash: "none",
      codeChallenge: "none",
    },
    origin: { userId, tokenId: null, address: null },
  });
  if (!offered.ok) throw new Error(offered.fault.kind);
  return offered.value.id;
}
