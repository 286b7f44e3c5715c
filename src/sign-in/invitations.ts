/**
 * Joining an organization by a link (AUTH-18). An owner passes it on; the person who opens it joins with
 * the account that they are signed in to, or with a new one. An e-mail address that is already in use cannot get a new
 * account; otherwise an owner could take over the account of another organization's member by inviting them.
 */
import { accountRef } from "../../actors/account/schema.ts";
import { ok, type Outcome, refuse } from "../../actors/fault.ts";
import { newId } from "../../actors/ids.ts";
import type { Directory } from "../../actors/organization/directory.ts";
import { type Invitation, organizationRef } from "../../actors/organization/schema.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import { keyHash } from "../http/admission/token.ts";
import { lookUp } from "../log/look-up.ts";
import type { HttpLog } from "../log/port.ts";
import type { Passwords } from "./passwords.ts";

export interface InvitationParts {
  readonly system: TroupeSystem;
  readonly directory: Directory;
  readonly log: HttpLog;
  readonly passwords: Passwords;
}

/** The content of a link. */
export interface InvitationLink {
  readonly organizationId: string;
  readonly invitationId: string;
  readonly key: string;
}

export const invitationLinkIn = (given: URLSearchParams): InvitationLink => ({
  organizationId: given.get("organization") ?? "",
  invitationId: given.get("invitation") ?? "",
  key: given.get("key") ?? "",
});

export const openInvitation = (
  { system }: InvitationParts,
  { organizationId, invitationId, key }: InvitationLink,
): Promise<Outcome<Invitation>> =>
  system.dispatch(organizationRef(organizationId), { kind: "check_invitation", invitationId, hash: keyHash(key) });

/** A user id for a new person with this address; null if an existing person has the address, who must sign in. */
export async function newPerson(
  { directory, log }: InvitationParts,
  email: string,
  organizationId: string,
): Promise<Outcome<string | null>> {
  const known = await lookUp(log, directory.findMembers(email));
  if (!known.ok) return known;
  const [first] = known.value;
  if (first === undefined) return ok(newId("usr"));
  // A removed member of this organization gets their old user id back. A person whom other organizations know too must
  // sign in instead.
  const isOurs = known.value.every((member) => member.organizationId === organizationId && member.status === "removed");
  return ok(isOurs ? first.id : null);
}

interface JoiningPerson {
  readonly link: InvitationLink;
  readonly person: { readonly userId: string; readonly name: string; readonly email: string };
  readonly address: string;
}

/** Makes the person a member; a given password becomes theirs. */
export async function join(
  { system, passwords }: InvitationParts,
  { link, person, address }: JoiningPerson,
  password: string | null,
): Promise<Outcome<null>> {
  if (password !== null) {
    const passwordHash = await passwords.hash(password);
    if (!passwordHash.ok) return passwordHash;
    const command = { kind: "set_password", passwordHash: passwordHash.value, linkHash: null, keptId: null } as const;
    const set = await system.dispatch(accountRef(person.userId), command);
    if (!set.ok) return set;
  }
  const joined = await system.dispatch(organizationRef(link.organizationId), {
    kind: "accept_invitation",
    invitationId: link.invitationId,
    hash: keyHash(link.key),
    person,
    origin: { userId: person.userId, tokenId: null, address },
  });
  return joined.ok ? ok(null) : refuse(joined.fault);
}
