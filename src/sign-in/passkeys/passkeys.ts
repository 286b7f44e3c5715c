/**
 * Passkeys (AUTH-22): builds requests to the browser, and verifies its answers. `@simplewebauthn/server`, which is
 * loaded on first use, does the checks of WebAuthn. A passkey identifies its person, so no address is typed, and it
 * always verifies its user: it is both factors at once.
 */
import { isIP } from "node:net";
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import type { Passkey } from "../../../actors/account/schema.ts";
import { isIdOf } from "../../../actors/ids.ts";
import type { HttpLog } from "../../log/port.ts";

/** The service's identity for authenticators. */
export interface Party {
  readonly id: string;
  readonly origin: string;
}

/** The person for whom a passkey is created. */
export interface Holder {
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly passkeys: readonly Passkey[];
}

const SERVICE = "Troupe";
const loadPasskeys = () => import("@simplewebauthn/server");

/** Null if browsers do not offer passkeys here: at an IP address, or over http except on this machine. */
export function partyAt(appUrl: string): Party | null {
  if (!URL.canParse(appUrl)) return null;
  const { hostname, origin, protocol } = new URL(appUrl);
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost");
  if (isIP(hostname.replace(/^\[(.*)\]$/, "$1")) !== 0 || (protocol !== "https:" && !isLocal)) return null;
  return { id: hostname, origin };
}

export async function creationOptions(
  { id }: Party,
  { userId, email, name, passkeys }: Holder,
  challenge: string,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await loadPasskeys();
  return generateRegistrationOptions({
    rpName: SERVICE,
    rpID: id,
    userID: new TextEncoder().encode(userId),
    userName: email,
    userDisplayName: name,
    challenge: base64Bytes(challenge),
    excludeCredentials: passkeys.map((passkey) => ({ id: passkey.id })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
}

export async function requestOptions({ id }: Party, challenge: string): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await loadPasskeys();
  return generateAuthenticationOptions({
    rpID: id,
    challenge: base64Bytes(challenge),
    allowCredentials: [],
    userVerification: "required",
  });
}

/** The new passkey in `answer`; null if it is not valid for this challenge and site. */
export async function madePasskey(
  party: Party,
  answer: string,
  challenge: string,
  log: HttpLog,
): Promise<Pick<Passkey, "id" | "publicKey" | "counter"> | null> {
  return proven(log, async () => {
    const { verifyRegistrationResponse } = await loadPasskeys();
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: JSON.parse(answer) as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
    });
    if (!verified) return null;
    const { id, publicKey, counter } = registrationInfo.credential;
    return { id, publicKey: Buffer.from(publicKey).toString("base64url"), counter };
  });
}

/** The unverified content of an assertion. */
export interface Claim {
  readonly passkeyId: string;
  readonly userId: string;
  readonly response: AuthenticationResponseJSON;
}

export function claimIn(answer: string): Claim | null {
  try {
    const response = JSON.parse(answer) as AuthenticationResponseJSON;
    const userId = Buffer.from(response.response.userHandle ?? "", "base64url").toString("utf8");
    return typeof response.id === "string" && isIdOf("usr", userId)
      ? { passkeyId: response.id, userId, response }
      : null;
  } catch {
    // Not JSON, or JSON of another shape: not a claim.
    return null;
  }
}

/** The passkey's new counter, if this claim proves its person; otherwise null. */
export async function provenCounter(
  party: Party,
  { response }: Claim,
  { passkey, challenge }: { readonly passkey: Passkey; readonly challenge: string },
  log: HttpLog,
): Promise<number | null> {
  return proven(log, async () => {
    const { verifyAuthenticationResponse } = await loadPasskeys();
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      credential: { id: passkey.id, publicKey: base64Bytes(passkey.publicKey), counter: passkey.counter },
      requireUserVerification: true,
    });
    return verified ? authenticationInfo.newCounter : null;
  });
}

/** The library throws for every failed check. The person sees only that it failed; the log has the cause. */
async function proven<T>(log: HttpLog, verify: () => Promise<T | null>): Promise<T | null> {
  try {
    return await verify();
  } catch (error) {
    log.info({ reason: error instanceof Error ? error.message : String(error) }, "a passkey was refused");
    return null;
  }
}

const base64Bytes = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, "base64url"));
