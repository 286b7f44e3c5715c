/**
 * A person's credentials (AUTH-13, AUTH-21, AUTH-22), and the brake on guessing them (AUTH-14). An attempt counts as
 * failed until it succeeds, so a thousand concurrent attempts count as a thousand. After the free attempts, each waits
 * twice as long as the one before, up to a quarter of an hour. An hour without an attempt resets the count.
 */
import { isSameHash } from "../sealing.ts";
import { notFound, ok, refuse } from "../fault.ts";
import type { ActorDefinition, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import type { AccountProtocol } from "./protocol.ts";
import {
  type Account,
  accountTable,
  identityOwnerTable,
  oauthClientTable,
  signInAttemptsTable,
  signInFlowTable,
} from "./schema.ts";

/** The wait after the first attempt that is not free. It doubles with each further attempt. */
export const FIRST_WAIT_MS = 2_000;
/** The longest wait. */
export const LONGEST_WAIT_MS = 900_000;
/** The count resets after this long without an attempt. */
export const FORGET_ATTEMPTS_MS = 3_600_000;
/** Doublings after which every wait is the longest; larger powers change nothing. */
const MOST_DOUBLINGS = 20;

/** A registered program that nobody has approved is deleted after this time. */
export const UNUSED_CLIENT_MS = 86_400_000;
/** An approved program is deleted this long after its last approval: longer than its grants live unused. */
export const USED_CLIENT_MS = 180 * 86_400_000;

/** Each passkey is one more credential to lose; nobody needs more than this many. */
export const PASSKEYS_MAX = 20;

const ACCOUNT_TABLES: Readonly<Record<string, string>> = {
  account: accountTable.name,
  client: oauthClientTable.name,
  flow: signInFlowTable.name,
  identity: identityOwnerTable.name,
};

export const accountActor: ActorDefinition<AccountProtocol> = {
  kind: "account",
  needs: (ref) => [{ table: ACCOUNT_TABLES[ref.id] ?? signInAttemptsTable.name, id: ref.organizationId }],
  handlers: {
    read_credentials(tx) {
      const account = accountOf(tx);
      return ok({
        passwordHash: account?.passwordHash ?? null,
        chosenOrganizationId: account?.chosenOrganizationId ?? null,
        sessionsEnded: account?.sessionsEnded ?? null,
      });
    },

    choose_organization(tx, { organizationId }) {
      const account = accountOf(tx);
      if (account?.chosenOrganizationId !== organizationId) keepAccount(tx, { chosenOrganizationId: organizationId });
      return ok(null);
    },

    forget_organization(tx, { organizationId }) {
      if (accountOf(tx)?.chosenOrganizationId === organizationId) keepAccount(tx, { chosenOrganizationId: null });
      return ok(null);
    },

    make_link(tx, { link }) {
      keepAccount(tx, { link });
      return ok(null);
    },

    check_link: (tx, { hash }) => (opens(tx, hash) ? ok(null) : notFound("token")),

    set_password(tx, { passwordHash, linkHash, keptId }) {
      if (linkHash !== null && !opens(tx, linkHash)) return notFound("token");
      const at = isoTime(tx.now);
      // However the password was lost, an unused link must not outlive the new password.
      keepAccount(tx, { passwordHash, passwordSetAt: at, link: null, sessionsEnded: { at, keptId } });
      return ok(null);
    },

    read_ways_in(tx) {
      const account = accountOf(tx);
      return ok({
        hasPassword: (account?.passwordHash ?? null) !== null,
        identities: account?.identities ?? [],
        passkeys: account?.passkeys ?? [],
      });
    },

    link_identity(tx, { issuer, subject, keepsOthers }) {
      const identities = accountOf(tx)?.identities ?? [];
      const present = identities.find((each) => each.issuer === issuer);
      if (present !== undefined) return ok(present.subject === subject ? "present" : "other");
      const at = isoTime(tx.now);
      const identity = { issuer, subject, linkedAt: at };
      const others = keepsOthers ? {} : { ...NO_CREDENTIALS, sessionsEnded: { at, keptId: null } };
      keepAccount(tx, { ...others, identities: [...identities, identity] });
      return ok("new");
    },

    unlink_identity(tx, { issuer }) {
      const identities = accountOf(tx)?.identities ?? [];
      const left = identities.filter((each) => each.issuer !== issuer);
      if (left.length < identities.length) keepAccount(tx, { identities: left });
      return ok(left.length < identities.length);
    },

    find_owner: (tx) => ok(tx.read(identityOwnerTable, tx.self.organizationId)?.userId ?? null),

    name_owner(tx, { userId }) {
      const present = tx.read(identityOwnerTable, tx.self.organizationId);
      if (present === null) tx.create(identityOwnerTable, { id: tx.self.organizationId, userId });
      else if (present.userId !== userId) tx.update(identityOwnerTable, { ...present, userId });
      return ok(null);
    },

    add_passkey(tx, { passkey }) {
      const passkeys = accountOf(tx)?.passkeys ?? [];
      if (passkeys.some(({ id }) => id === passkey.id)) return forbidden("This passkey already exists.");
      if (passkeys.length >= PASSKEYS_MAX) return forbidden(`An account has at most ${PASSKEYS_MAX} passkeys.`);
      keepAccount(tx, { passkeys: [...passkeys, { ...passkey, createdAt: isoTime(tx.now), lastUsedAt: null }] });
      return ok(null);
    },

    use_passkey(tx, { id, counter }) {
      const passkeys = accountOf(tx)?.passkeys ?? [];
      const passkey = passkeys.find((each) => each.id === id);
      // A counter that does not rise means that the passkey was copied.
      const isCopy = passkey !== undefined && (counter > 0 || passkey.counter > 0) && counter <= passkey.counter;
      if (passkey === undefined || isCopy) return notFound("token");
      const used = { ...passkey, counter, lastUsedAt: isoTime(tx.now) };
      keepAccount(tx, { passkeys: passkeys.map((each) => (each === passkey ? used : each)) });
      return ok(null);
    },

    remove_passkey(tx, { id }) {
      const account = accountOf(tx);
      const passkeys = account?.passkeys ?? [];
      const passkey = passkeys.find((each) => each.id === id);
      if (passkey === undefined) return notFound("token");
      const others =
        passkeys.length - 1 + (account?.identities ?? []).length + (account?.passwordHash === null ? 0 : 1);
      if (others === 0) return forbidden("This passkey is your only way to sign in.");
      keepAccount(tx, { passkeys: passkeys.filter((each) => each !== passkey) });
      return ok(passkey.name);
    },

    begin_flow(tx, { next, expiresAt }) {
      tx.create(signInFlowTable, { id: tx.self.organizationId, next, expiresAt, takenAt: null });
      return ok(null);
    },

    take_flow(tx) {
      const flow = tx.read(signInFlowTable, tx.self.organizationId);
      const now = isoTime(tx.now);
      if (flow === null || flow.takenAt !== null || flow.expiresAt <= now) return notFound("session");
      tx.update(signInFlowTable, { ...flow, takenAt: now });
      return ok({ next: flow.next });
    },

    register_client(tx, { client }) {
      const expiresAt = isoTime(tx.now + UNUSED_CLIENT_MS);
      return ok(tx.create(oauthClientTable, { id: tx.self.organizationId, ...client, expiresAt }));
    },

    read_client(tx) {
      const client = tx.read(oauthClientTable, tx.self.organizationId);
      return client === null || client.expiresAt <= isoTime(tx.now) ? notFound("oauth_client") : ok(client);
    },

    keep_client(tx) {
      const client = tx.read(oauthClientTable, tx.self.organizationId);
      if (client === null) return notFound("oauth_client");
      tx.update(oauthClientTable, { ...client, expiresAt: isoTime(tx.now + USED_CLIENT_MS) });
      return ok(null);
    },

    admit_attempt(tx, { free }) {
      const id = tx.self.organizationId;
      const present = tx.read(signInAttemptsTable, id);
      const lastAt = present === null ? 0 : Date.parse(present.lastAt);
      const attempts = present === null || tx.now - lastAt >= FORGET_ATTEMPTS_MS ? 0 : present.attempts;
      // An attempt in the future was stamped by a wrong clock: it delays nobody, and this one's time takes its place.
      const waitMs = lastAt > tx.now ? 0 : lastAt + attemptWaitMs(attempts - free) - tx.now;
      if (waitMs > 0) return refuse({ kind: "rate_limited", retryAfterMs: waitMs });
      const counted = { attempts: attempts + 1, lastAt: isoTime(tx.now) };
      if (present === null) tx.create(signInAttemptsTable, { id, ...counted });
      else tx.update(signInAttemptsTable, { ...present, ...counted });
      return ok(null);
    },

    clear_attempts(tx, { all }) {
      const present = tx.read(signInAttemptsTable, tx.self.organizationId);
      if (present === null || present.attempts === 0) return ok(null);
      tx.update(signInAttemptsTable, { ...present, attempts: all ? 0 : present.attempts - 1 });
      return ok(null);
    },
  },
};

/** How long the next attempt waits after this many attempts past the free ones. */
const attemptWaitMs = (more: number): number =>
  more < 0 ? 0 : Math.min(FIRST_WAIT_MS * 2 ** Math.min(more, MOST_DOUBLINGS), LONGEST_WAIT_MS);

const forbidden = (message: string) => refuse({ kind: "forbidden", message });

const accountOf = (tx: Tx): Account | null => tx.read(accountTable, tx.self.organizationId);

function opens(tx: Tx, hash: string): boolean {
  const link = accountOf(tx)?.link ?? null;
  return link !== null && isSameHash(link.hash, hash) && link.expiresAt > isoTime(tx.now);
}

type Changes = Partial<
  Pick<
    Account,
    "passwordHash" | "passwordSetAt" | "link" | "chosenOrganizationId" | "identities" | "passkeys" | "sessionsEnded"
  >
>;
const NO_PASSWORD = { passwordHash: null, passwordSetAt: null, link: null } as const;
const NO_CREDENTIALS = { ...NO_PASSWORD, passkeys: [] };

function keepAccount(tx: Tx, changes: Changes): void {
  const account = accountOf(tx);
  if (account === null)
    tx.create(accountTable, { ...NO_PASSWORD, chosenOrganizationId: null, ...changes, id: tx.self.organizationId });
  else tx.update(accountTable, { ...account, ...changes });
}
