/**
 * How a person signs in (AUTH-13 to AUTH-16, AUTH-21, AUTH-22): an account's credentials and its counts of attempts.
 * Membership and roles are not here: only the organizations' own member records have them.
 */
import { type ActorRef, table } from "../runtime/actor.ts";
import { Nullable, RecordBase, type Static, Timestamp, Type } from "../schema.ts";

/** A link that sets a password once. Only the SHA-256 of its key is here. */
export const PasswordLink = Type.Object({ hash: Type.String(), expiresAt: Timestamp });
export type PasswordLink = Static<typeof PasswordLink>;

/** A person's identity at the operator's OpenID provider (AUTH-21): a `subject` never names another person there. */
export const Identity = Type.Object({ issuer: Type.String(), subject: Type.String(), linkedAt: Timestamp });
export type Identity = Static<typeof Identity>;

/** A key pair whose private half only a person's device or password manager has (AUTH-22). */
export const Passkey = Type.Object({
  /** The credential's own id, and its COSE public key: base64url. */
  id: Type.String(),
  publicKey: Type.String(),
  /** The authenticator's last counter; 0 if it does not count. */
  counter: Type.Integer({ minimum: 0 }),
  name: Type.String(),
  createdAt: Timestamp,
  lastUsedAt: Nullable(Timestamp),
});
export type Passkey = Static<typeof Passkey>;

/** Credentials of a person; its id is the user's. */
export const Account = Type.Object({
  ...RecordBase,
  /** argon2id in its own text form, with salt and parameters; null: no password. */
  passwordHash: Nullable(Type.String()),
  passwordSetAt: Nullable(Timestamp),
  link: Nullable(PasswordLink),
  /** The organization that the person has worked in last (AUTH-7). */
  chosenOrganizationId: Nullable(Type.String()),
  /** At most one per issuer. */
  identities: Type.Optional(Type.Array(Identity)),
  /** When a new credential last ended the person's sessions, and the session that it left. Absent: never. */
  sessionsEnded: Type.Optional(Type.Object({ at: Timestamp, keptId: Nullable(Type.String()) })),
  passkeys: Type.Optional(Type.Array(Passkey)),
});
export type Account = Static<typeof Account>;

/** Attempts to sign in at one account or from one address, since the last one that succeeded. */
export const SignInAttempts = Type.Object({ ...RecordBase, attempts: Type.Integer({ minimum: 0 }), lastAt: Timestamp });
export type SignInAttempts = Static<typeof SignInAttempts>;

/** A program that has registered itself (RFC 7591); its id is the client's. It has no secret: PKCE binds its codes. */
export const OAuthClient = Type.Object({
  ...RecordBase,
  name: Type.String(),
  redirectUris: Type.Array(Type.String()),
  /** Deleted at this time if unused until then. */
  expiresAt: Timestamp,
});
export type OAuthClient = Static<typeof OAuthClient>;

/**
 * A sign-in that continues in a later request (AUTH-21). Its id is the hash of a key that only the browser has, in a
 * cookie. The values that must come back are derived from that key, so this record alone lets nobody sign in.
 */
export const SignInFlow = Type.Object({
  ...RecordBase,
  /** Where the person goes after signing in. */
  next: Nullable(Type.String()),
  expiresAt: Timestamp,
  /** A flow is taken only once. */
  takenAt: Nullable(Timestamp),
});
export type SignInFlow = Static<typeof SignInFlow>;

/** The owner of an identity at a provider; its id is a hash of both. It is a hint: the person's account decides. */
export const IdentityOwner = Type.Object({ ...RecordBase, userId: Type.String() });
export type IdentityOwner = Static<typeof IdentityOwner>;

export const oauthClientTable = table<OAuthClient>("oauth_client");
export const accountTable = table<Account>("account");
export const signInAttemptsTable = table<SignInAttempts>("sign_in_attempts");
export const signInFlowTable = table<SignInFlow>("sign_in_flow");
export const identityOwnerTable = table<IdentityOwner>("identity_owner");

/** Accounts belong to no organization. In a reference to one, `organizationId` is the key that places it. */
const refAt =
  (id: "account" | "client" | "attempts" | "flow" | "identity") =>
  (organizationId: string): ActorRef<"account"> => ({ kind: "account", organizationId, id });

/** A person's account, placed by its user. */
export const accountRef = refAt("account");
/** A registered program. */
export const clientRef = refAt("client");
/** Where attempts are counted, by a hash of an e-mail address or a remote address, whether or not an account has it. */
export const attemptsRef = refAt("attempts");
/** A sign-in in progress, by the hash of the browser's key. */
export const flowRef = refAt("flow");
/** Where the owner of an identity is looked up, by a hash of issuer and subject. */
export const identityRef = refAt("identity");
