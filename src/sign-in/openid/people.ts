/**
 * Maps an identity that the provider has proven to one of our people (AUTH-21): by the provider's subject, which never
 * belongs to anybody else; the first time, by the verified e-mail address. Being known to the provider is not enough: a
 * person must be a member, or hold the link of an invitation to their own address.
 */
import { accountRef, identityRef } from "../../../actors/account/schema.ts";
import { type Fault, ok, type Outcome } from "../../../actors/fault.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import type { TroupeSystem } from "../../../actors/troupe.ts";
import type { Accounts, SignInSender, StartedSession } from "../accounts.ts";
import { type InvitationParts, join, invitationLinkIn, newPerson, openInvitation } from "../invitations.ts";
import { INVITATION_PATH } from "../../http/contract/paths.ts";
import { keyHash } from "../../http/admission/token.ts";
import type { ProvenPerson } from "./provider.ts";

export type PeopleParts = InvitationParts & { readonly accounts: Accounts; readonly system: TroupeSystem };

/**
 * `unverified`: the provider has not verified the address. `other`: the account is connected with another identity of
 * the provider.
 */
export type PersonEntry =
  | {
      readonly kind: "entered";
      readonly started: StartedSession;
      /** Whether the person has joined by the invitation, which is then used up. */
      readonly hasJoined: boolean;
    }
  | { readonly kind: "unverified" | "unknown" | "other"; readonly email: string | null }
  | { readonly kind: "failed"; readonly fault: Fault };

interface Arrival {
  readonly proven: ProvenPerson;
  readonly sender: SignInSender;
  /** Where the person wants to go; the link of an invitation admits a new person. */
  readonly next: string | null;
}

export async function enterPerson(parts: PeopleParts, arrival: Arrival): Promise<PersonEntry> {
  const { proven, sender } = arrival;
  const known = await linkedPerson(parts, proven);
  if (!known.ok) return failedEntry(known.fault);
  if (known.value !== null) return startSession(parts, known.value, sender);
  const { email } = proven;
  if (email === null || !proven.isEmailVerified) return { kind: "unverified", email };
  const members = await parts.accounts.byEmail(email);
  if (!members.ok) return failedEntry(members.fault);
  const people = [...new Set(members.value.map(({ id }) => id))];
  const [userId] = people;
  if (userId === undefined) return enterInvited(parts, { ...arrival, email });
  // An address that two people share does not identify either.
  if (people.length > 1) return { kind: "unknown", email };
  const linked = await link(parts, userId, arrival);
  if (!linked.ok) return failedEntry(linked.fault);
  if (linked.value === "other") return { kind: "other", email };
  const noted = linked.value === "new" ? await noteLinked(parts, userId, arrival) : ok(null);
  return noted.ok ? startSession(parts, userId, sender) : failedEntry(noted.fault);
}

/** The person already connected with this identity, if they are still a member of any organization. */
async function linkedPerson({ system, accounts }: PeopleParts, proven: ProvenPerson): Promise<Outcome<string | null>> {
  const owner = await system.dispatch(ownerRef(proven), { kind: "find_owner" });
  if (!owner.ok || owner.value === null) return owner;
  const userId = owner.value;
  const ways = await system.dispatch(accountRef(userId), { kind: "read_ways_in" });
  if (!ways.ok) return ways;
  const isTheirs = ways.value.identities.some(
    ({ issuer, subject }) => issuer === proven.issuer && subject === proven.subject,
  );
  if (!isTheirs) return ok(null);
  const memberships = await accounts.memberships(userId);
  return memberships.ok ? ok(memberships.value.length > 0 ? userId : null) : memberships;
}

/**
 * Connects this identity with this person. The first time, all their other credentials end: an unverified address may
 * have been set by somebody else.
 */
async function link(
  { system, accounts }: PeopleParts,
  userId: string,
  { proven, sender }: Arrival,
): Promise<Outcome<"new" | "present" | "other">> {
  const { issuer, subject } = proven;
  const linked = await system.dispatch(accountRef(userId), {
    kind: "link_identity",
    issuer,
    subject,
    keepsOthers: false,
  });
  if (!linked.ok || linked.value === "other") return linked;
  const named = await system.dispatch(ownerRef(proven), { kind: "name_owner", userId });
  if (!named.ok) return named;
  if (linked.value === "present") return linked;
  const ended = await accounts.endAll(userId, { userId, tokenId: null, address: sender.address }, null);
  return ended.ok ? linked : ended;
}

const noteLinked = ({ accounts }: PeopleParts, userId: string, { proven, sender }: Arrival): Promise<Outcome<null>> =>
  accounts.noteEverywhere(
    { action: "identity.linked", subjectId: userId, detail: proven.issuer },
    { userId, tokenId: null, address: sender.address },
    userId,
  );

/** `taken`: the identity belongs to another person here. `other`: the person is connected with another identity. */
export type ConnectedIdentity = "connected" | "taken" | "other";

/**
 * Connects the signed-in person with this identity, whatever its e-mail address: they have authenticated both here and
 * at the provider. Their other credentials stay.
 */
export async function connectIdentity(
  parts: PeopleParts,
  { userId, tokenId }: Pick<Principal, "userId" | "tokenId">,
  { proven, sender }: Pick<Arrival, "proven" | "sender">,
): Promise<Outcome<ConnectedIdentity>> {
  const { system, accounts } = parts;
  const { issuer, subject } = proven;
  const known = await linkedPerson(parts, proven);
  if (!known.ok) return known;
  if (known.value !== null && known.value !== userId) return ok("taken");
  const command = { kind: "link_identity", issuer, subject, keepsOthers: true } as const;
  const linked = await system.dispatch(accountRef(userId), command);
  if (!linked.ok) return linked;
  if (linked.value === "other") return ok("other");
  const named = await system.dispatch(ownerRef(proven), { kind: "name_owner", userId });
  if (!named.ok) return named;
  const entry = { action: "identity.linked", subjectId: userId, detail: issuer } as const;
  const origin = { userId, tokenId, address: sender.address };
  const noted = linked.value === "new" ? await accounts.noteEverywhere(entry, origin, userId) : ok(null);
  return noted.ok ? ok("connected") : noted;
}

/** Admits a new person who came from the link of an invitation to this address. */
async function enterInvited(parts: PeopleParts, arrival: Arrival & { readonly email: string }): Promise<PersonEntry> {
  const { email, proven, sender, next } = arrival;
  const unknown: PersonEntry = { kind: "unknown", email };
  const at = next === null ? null : new URL(next, "https://troupe.invalid");
  if (at === null || at.pathname !== INVITATION_PATH) return unknown;
  const invitation = invitationLinkIn(at.searchParams);
  const opened = await openInvitation(parts, invitation);
  if (!opened.ok) return opened.fault.kind === "not_found" ? unknown : failedEntry(opened.fault);
  if (opened.value.email.toLowerCase() !== email.toLowerCase()) return unknown;
  const userId = await newPerson(parts, opened.value.email, invitation.organizationId);
  if (!userId.ok) return failedEntry(userId.fault);
  if (userId.value === null) return unknown;
  const linked = await link(parts, userId.value, arrival);
  if (!linked.ok) return failedEntry(linked.fault);
  if (linked.value === "other") return { kind: "other", email };
  const person = { userId: userId.value, name: proven.name ?? email.split("@")[0] ?? email, email: opened.value.email };
  const joined = await join(parts, { link: invitation, person, address: sender.address }, null);
  if (!joined.ok) return failedEntry(joined.fault);
  const noted = await noteLinked(parts, person.userId, arrival);
  if (!noted.ok) return failedEntry(noted.fault);
  return enteredOrFailed(await parts.accounts.startIn(invitation.organizationId, userId.value, sender), true);
}

async function startSession(
  { accounts, system }: PeopleParts,
  userId: string,
  sender: SignInSender,
): Promise<PersonEntry> {
  const credentials = await system.dispatch(accountRef(userId), { kind: "read_credentials" });
  if (!credentials.ok) return failedEntry(credentials.fault);
  return enteredOrFailed(await accounts.start(userId, sender, credentials.value.chosenOrganizationId), false);
}

const enteredOrFailed = (begun: Outcome<StartedSession>, hasJoined: boolean): PersonEntry =>
  begun.ok ? { kind: "entered", started: begun.value, hasJoined } : failedEntry(begun.fault);

const failedEntry = (fault: Fault): PersonEntry => ({ kind: "failed", fault });

/** Issuers and subjects are external texts, so they are encoded unambiguously before hashing. */
const ownerRef = ({ issuer, subject }: ProvenPerson) =>
  identityRef(`idn_${keyHash(JSON.stringify([issuer, subject]))}`);
