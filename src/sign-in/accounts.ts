/**
 * Signing in (AUTH-13, AUTH-14). The member records of organizations say who a person is, where they are a member, and
 * in which role; an account holds only the credentials. A session is a token of the organization's actor, so everything
 * that ends a token ends it: a revocation, a removed member, a suspended organization.
 *
 *   e-mail ─▶ attempts counted ─▶ member records ─▶ password checked ─▶ session in the organization chosen last
 */
import { type Fault, ok, type Outcome, refuse } from "../../actors/fault.ts";
import type { AccountCredentials } from "../../actors/account/protocol.ts";
import { accountRef, attemptsRef } from "../../actors/account/schema.ts";
import type { Directory } from "../../actors/organization/directory.ts";
import type { Principal } from "../../actors/organization/principal.ts";
import type { NewAuditEntry, Origin } from "../../actors/organization/people-protocol.ts";
import { type Member, organizationRef, type Token } from "../../actors/organization/schema.ts";
import type { Clock } from "../../actors/runtime/ports.ts";
import { isoTime } from "../../actors/schema.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import { activeSessions } from "../http/admission/active-sessions.ts";
import { keyHash, newToken } from "../http/admission/token.ts";
import { lookUp } from "../log/look-up.ts";
import type { HttpLog } from "../log/port.ts";
import type { Passwords } from "./passwords.ts";

/** A session ends this long after its sign-in, however much it is used. */
export const SESSION_MS = 30 * 86_400_000;
/** Attempts for one account, and from one address, before further ones must wait. */
const FREE_OF_ACCOUNT = 10;
const FREE_OF_ADDRESS = 50;
const ATTEMPT_HASH_CHARACTERS = 32;

export interface AccountParts {
  readonly system: TroupeSystem;
  readonly directory: Directory;
  readonly passwords: Passwords;
  readonly clock: Pick<Clock, "now">;
  readonly log: HttpLog;
  /** Called when a credential is revoked, to close its open streams. */
  readonly onRevoked: (tokenId: string) => void;
}

/** From where a person signs in. */
export interface SignInSender {
  readonly address: string;
  /** The session's name in lists. */
  readonly browser: string;
}

export interface StartedSession {
  /** For the cookie; never shown. */
  readonly secret: string;
  readonly userId: string;
  readonly organizationId: string;
  readonly tokenId: string;
}

/** The e-mail address and the password do not match; the answer does not say which of them is wrong. */
const NO_MATCH: Fault = { kind: "unauthenticated", reason: "e-mail address and password do not match" };
/** A new credential has ended the session. */
const ENDED: Fault = { kind: "not_found", noun: "session" };

export class Accounts {
  private readonly parts: AccountParts;

  constructor(parts: AccountParts) {
    this.parts = parts;
  }

  /** Refuses `unauthenticated`, or `rate_limited` after too many attempts. */
  async signIn(email: string, password: string, sender: SignInSender): Promise<Outcome<StartedSession>> {
    const ofAccount = attemptsRef(`eml_${attemptHash(email.trim().toLowerCase())}`);
    const ofAddress = attemptsRef(`adr_${attemptHash(sender.address)}`);
    const { system } = this.parts;
    for (const [ref, free] of [[ofAddress, FREE_OF_ADDRESS] as const, [ofAccount, FREE_OF_ACCOUNT] as const]) {
      const admitted = await system.dispatch(ref, { kind: "admit_attempt", free });
      if (!admitted.ok) return admitted;
    }
    const members = await this.byEmail(email.trim());
    if (!members.ok) return members;
    const active = members.value;
    // If nobody has the address, the same steps run for a nonexistent person, so that the answer takes as long.
    const userId = active[0]?.id ?? `usr_${attemptHash(email)}`;
    const credentials = await system.dispatch(accountRef(userId), { kind: "read_credentials" });
    if (!credentials.ok) return credentials;
    const isGood = await this.parts.passwords.verify(password, credentials.value.passwordHash);
    if (!isGood.ok) return isGood;
    if (!isGood.value || active.length === 0) {
      this.noteRefusal(active, sender);
      return refuse(NO_MATCH);
    }
    const started = await this.start(userId, sender, credentials.value.chosenOrganizationId);
    if (!started.ok) return started;
    // A new password ends the existing sessions. A session that was begun with the former password may be stored after
    // that.
    const present = await system.dispatch(accountRef(userId), { kind: "read_credentials" });
    if (!present.ok) return present;
    if (present.value.passwordHash !== credentials.value.passwordHash) {
      const ended = await this.takeBack(started.value, sender);
      return ended.ok ? refuse(NO_MATCH) : ended;
    }
    // Signing in to one account must not reset the limit on guesses at others from the same address.
    for (const [ref, all] of [[ofAccount, true] as const, [ofAddress, false] as const]) {
      const cleared = await system.dispatch(ref, { kind: "clear_attempts", all });
      if (!cleared.ok) return cleared;
    }
    return started;
  }

  /** A session for an authenticated person, in the organization where they worked last, if they are still a member. */
  async start(userId: string, sender: SignInSender, chosenId: string | null): Promise<Outcome<StartedSession>> {
    const memberships = await this.memberships(userId);
    if (!memberships.ok) return memberships;
    const chosen = memberships.value.find(({ organizationId }) => organizationId === chosenId) ?? memberships.value[0];
    return chosen === undefined ? refuse(NO_MATCH) : this.startIn(chosen.organizationId, userId, sender);
  }

  /**
   * Switches to another of the person's organizations: a session there replaces the one here. `endAll` visits one
   * organization after the other, so a session that it ends must not escape into one that was already visited: it may
   * no longer move, and a move in progress is undone.
   */
  async move(principal: Principal, organizationId: string, sender: SignInSender): Promise<Outcome<StartedSession>> {
    const { system } = this.parts;
    const account = accountRef(principal.userId);
    const sessions = await activeSessions(this.parts, principal.organizationId, principal.userId);
    if (!sessions.ok) return sessions;
    const session = sessions.value.find(({ id }) => id === principal.tokenId);
    const before = await system.dispatch(account, { kind: "read_credentials" });
    if (!before.ok) return before;
    if (session === undefined || isEnding(session, before.value)) return refuse(ENDED);
    const started = await this.startIn(organizationId, principal.userId, sender);
    if (!started.ok) return started;
    const after = await system.dispatch(account, { kind: "read_credentials" });
    if (!after.ok) return after;
    if (after.value.sessionsEnded?.at !== before.value.sessionsEnded?.at) {
      const ended = await this.takeBack(started.value, sender);
      return ended.ok ? refuse(ENDED) : ended;
    }
    const chosen = await system.dispatch(account, { kind: "choose_organization", organizationId });
    if (!chosen.ok) return chosen;
    const ended = await this.end(principal, principal.tokenId, sender);
    return ended.ok ? started : ended;
  }

  /** A session in this organization, for one of its members. */
  async startIn(organizationId: string, userId: string, sender: SignInSender): Promise<Outcome<StartedSession>> {
    const { system, clock } = this.parts;
    const expiresAt = isoTime(clock.now() + SESSION_MS);
    const { token, secret } = newToken("session", { name: sender.browser, userId, scopes: ["*"], expiresAt });
    const origin: Origin = { userId, tokenId: null, address: sender.address };
    const made = await system.dispatch(organizationRef(organizationId), {
      kind: "create_token",
      token,
      by: null,
      origin,
    });
    return made.ok ? ok({ secret, userId, organizationId, tokenId: made.value.id }) : made;
  }

  /** Ends a session whose secret was never sent to anybody. */
  private takeBack({ organizationId, userId, tokenId }: StartedSession, { address }: SignInSender) {
    return this.revoke(organizationId, tokenId, { userId, tokenId: null, address });
  }

  /** Ends a session in whatever organization; `by`: only if it is one of this person. */
  private async revoke(
    organizationId: string,
    tokenId: string,
    origin: Origin,
    by: Principal | null = null,
  ): Promise<Outcome<null>> {
    const of = by === null ? null : ({ kind: "session", userId: by.userId } as const);
    const command = { kind: "revoke_token", tokenId, of, by, origin } as const;
    const ended = await this.parts.system.dispatch(organizationRef(organizationId), command);
    if (!ended.ok) return ended;
    this.parts.onRevoked(tokenId);
    return ok(null);
  }

  /** Ends one of the person's sessions in the organization of the present session. */
  end(by: Principal, tokenId: string, { address }: Pick<SignInSender, "address">): Promise<Outcome<null>> {
    return this.revoke(by.organizationId, tokenId, { userId: by.userId, tokenId: by.tokenId, address }, by);
  }

  /** Ends all sessions of a person in all organizations, except one. */
  async endAll(userId: string, origin: Origin, but: string | null): Promise<Outcome<null>> {
    const memberships = await this.memberships(userId);
    if (!memberships.ok) return memberships;
    for (const { organizationId } of memberships.value) {
      // Idle ones too: how long a session may be idle can change.
      const isOver = ({ revokedAt, expiresAt }: Token, now: number) => revokedAt !== null || expiresAt <= isoTime(now);
      const sessions = await activeSessions(this.parts, organizationId, userId, isOver);
      if (!sessions.ok) return sessions;
      for (const { id } of sessions.value.filter((session) => session.id !== but)) {
        const ended = await this.revoke(organizationId, id, origin);
        if (!ended.ok) return ended;
      }
    }
    return ok(null);
  }

  /** The members with this address, in each organization. */
  async byEmail(email: string): Promise<Outcome<readonly Member[]>> {
    const members = await lookUp(this.parts.log, this.parts.directory.findMembers(email));
    return members.ok ? ok(members.value.filter(({ status }) => status === "active")) : members;
  }

  /** Where the person is a member now. */
  async memberships(userId: string): Promise<Outcome<readonly Member[]>> {
    const members = await lookUp(this.parts.log, this.parts.directory.membershipsOf(userId));
    return members.ok ? ok(members.value.filter(({ status }) => status === "active")) : members;
  }

  /** The member whom a valid link belongs to; otherwise refuses `not_found`. */
  async ofLink(userId: string, key: string): Promise<Outcome<Member>> {
    const opens = await this.parts.system.dispatch(accountRef(userId), { kind: "check_link", hash: keyHash(key) });
    if (!opens.ok) return opens;
    const memberships = await this.memberships(userId);
    if (!memberships.ok) return memberships;
    const [member] = memberships.value;
    return member === undefined ? refuse({ kind: "not_found", noun: "user" }) : ok(member);
  }

  /** Sets a password by a link, which is then used up; ends all sessions and begins a new one. */
  async setByLink(
    userId: string,
    given: { key: string; password: string },
    sender: SignInSender,
  ): Promise<Outcome<StartedSession>> {
    const linkHash = keyHash(given.key);
    const set = await this.setPassword(userId, given.password, { linkHash, keptId: null });
    if (!set.ok) return set;
    const origin: Origin = { userId, tokenId: null, address: sender.address };
    const ended = await this.endAll(userId, origin, null);
    if (!ended.ok) return ended;
    const noted = await this.notePassword(userId, origin);
    return noted.ok ? this.start(userId, sender, null) : noted;
  }

  /** Changes the password; the person's other sessions end. */
  async changePassword(
    by: Principal,
    given: { present: string; next: string },
    sender: SignInSender,
  ): Promise<Outcome<null>> {
    const { userId, tokenId } = by;
    const { system } = this.parts;
    const admitted = await system.dispatch(attemptsRef(`pwd_${attemptHash(userId)}`), {
      kind: "admit_attempt",
      free: FREE_OF_ACCOUNT,
    });
    if (!admitted.ok) return admitted;
    const credentials = await system.dispatch(accountRef(userId), { kind: "read_credentials" });
    if (!credentials.ok) return credentials;
    const isGood = await this.parts.passwords.verify(given.present, credentials.value.passwordHash);
    if (!isGood.ok) return isGood;
    if (!isGood.value) return refuse(NO_MATCH);
    const set = await this.setPassword(userId, given.next, { linkHash: null, keptId: tokenId });
    if (!set.ok) return set;
    const origin: Origin = { userId, tokenId, address: sender.address };
    const noted = await this.notePassword(userId, origin);
    return noted.ok ? this.endAll(userId, origin, tokenId) : noted;
  }

  private async setPassword(
    userId: string,
    password: string,
    terms: { readonly linkHash: string | null; readonly keptId: string | null },
  ): Promise<Outcome<null>> {
    const passwordHash = await this.parts.passwords.hash(password);
    if (!passwordHash.ok) return passwordHash;
    const command = { kind: "set_password", passwordHash: passwordHash.value, ...terms } as const;
    return this.parts.system.dispatch(accountRef(userId), command);
  }

  private notePassword(userId: string, origin: Origin): Promise<Outcome<null>> {
    return this.noteEverywhere({ action: "password.set", subjectId: userId, detail: null }, origin, userId);
  }

  /** Writes the entry to the audit log of every organization of the person. */
  async noteEverywhere(entry: NewAuditEntry, origin: Origin, userId: string): Promise<Outcome<null>> {
    const memberships = await this.memberships(userId);
    if (!memberships.ok) return memberships;
    for (const { organizationId } of memberships.value) {
      const noted = await this.parts.system.dispatch(organizationRef(organizationId), { kind: "note", entry, origin });
      if (!noted.ok) return noted;
    }
    return ok(null);
  }

  /**
   * Records a wrong password or passkey as an event for the owners, without a person, because it is unknown who tried.
   * The answer does not wait for it: for an unknown address there is nothing to write, and the time would reveal that.
   */
  noteRefusal(members: readonly Member[], { address, browser }: SignInSender): void {
    const [member] = members;
    if (member === undefined) return;
    const entry = { action: "session.refused", subjectId: member.id, detail: browser } as const;
    const origin: Origin = { userId: null, tokenId: null, address };
    this.parts.system
      .dispatch(organizationRef(member.organizationId), { kind: "note", entry, origin })
      .catch((err: unknown) => this.parts.log.error({ err }, "a refused sign-in could not be recorded"));
  }
}

/** Whether the session is one of those that a new credential of its person ends. */
const isEnding = ({ id, createdAt }: Token, { sessionsEnded }: AccountCredentials): boolean =>
  sessionsEnded !== null && id !== sessionsEnded.keptId && createdAt < sessionsEnded.at;

/** Keys under which attempts to sign in as this person, or to change their password, are counted. */
export const attemptKeysOf = (person: { readonly id: string; readonly email: string }): readonly string[] => [
  `eml_${attemptHash(person.email.trim().toLowerCase())}`,
  `pwd_${attemptHash(person.id)}`,
];

const attemptHash = (text: string): string => Bun.SHA256.hash(text, "hex").slice(0, ATTEMPT_HASH_CHARACTERS);
