/**
 * How a person signs in (AUTH-13 to AUTH-16, AUTH-21, AUTH-22): the credentials of an account, and the counts of attempts. Which
 * organizations the person belongs to, and with which role, is nowhere here: that is what the organizations' own
 * member records say, and only they are asked.
 */
import { type ActorRef, table } from "../runtime/actor.ts";
import { Nullable, RecordBase, type Static, Timestamp, Type } from "../schema.ts";

/** A link that sets a password once. Only the SHA-256 of its key is here. */
export const PasswordLink = Type.Object({ hash: Type.String(), expiresAt: Timestamp });
export type PasswordLink = Static<typeof PasswordLink>;

/** Who a person is at the operator's OpenID provider (AUTH-21): `subject` never names anybody else there. */
export const Identity = Type.Object({ issuer: Type.String(), subject: Type.String(), linkedAt: Timestamp });
export type Identity = Static<typeof Identity>;

/** A key pair that only a person's device or password manager has the other half of (AUTH-22). */
export const Passkey = Type.Object({
  /** The credential's own id, and its COSE public key: base64url. */
  id: Type.String(),
  publicKey: Type.String(),
  /** What its authenticator has counted last; 0 where it does not count. */
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
  /** At most one of an issuer. */
  identities: Type.Optional(Type.Array(Identity)),
  passkeys: Type.Optional(Type.Array(Passkey)),
});
export type Account = Static<typeof Account>;

/** Attempts to sign in at one account or from one address, since the last good one. */
export const SignInAttempts = Type.Object({ ...RecordBase, attempts: Type.Integer({ minimum: 0 }), lastAt: Timestamp });
export type SignInAttempts = Static<typeof SignInAttempts>;

/** A program that has registered itself (RFC 7591); its id is the client's. It has no secret: PKCE binds its codes. */
export const OAuthClient = Type.Object({
  ...RecordBase,
  name: Type.String(),
  redirectUris: Type.Array(Type.String()),
  /** Unused until then, it is forgotten. */
  expiresAt: Timestamp,
});
export type OAuthClient = Static<typeof OAuthClient>;

/**
 * A sign-in that goes on in another request (AUTH-21). Its id is the hash of a key that only the browser has, in a
 * cookie; what has to come back is derived from that key, so nothing here is of use to anybody.
 */
export const SignInFlow = Type.Object({
  ...RecordBase,
  /** Where the person goes then. */
  next: Nullable(Type.String()),
  expiresAt: Timestamp,
  /** It is taken once. */
  takenAt: Nullable(Timestamp),
});
export type SignInFlow = Static<typeof SignInFlow>;

/** Whose an identity at a provider is; its id is a hash of both. A hint: the person's account has the last word. */
export const IdentityOwner = Type.Object({ ...RecordBase, userId: Type.String() });
export type IdentityOwner = Static<typeof IdentityOwner>;

export const oauthClientTable = table<OAuthClient>("oauth_client");
export const accountTable = table<Account>("account");
export const signInAttemptsTable = table<SignInAttempts>("sign_in_attempts");
export const signInFlowTable = table<SignInFlow>("sign_in_flow");
export const identityOwnerTable = table<IdentityOwner>("identity_owner");

/** A person's account. It belongs to no organization, so it is placed by its user. */
export const accountRef = (userId: string): ActorRef<"account"> => ({
  kind: "account",
  organizationId: userId,
  id: "account",
});

/** A program that has registered itself; it belongs to no organization either. */
export const clientRef = (clientId: string): ActorRef<"account"> => ({
  kind: "account",
  organizationId: clientId,
  id: "client",
});

/** Where attempts are counted. `key` is a hash of an e-mail address or of a remote address, whether anybody has it or not. */
export const attemptsRef = (key: string): ActorRef<"account"> => ({
  kind: "account",
  organizationId: key,
  id: "attempts",
});

/** A sign-in under way; `key` is the hash of the browser's. */
export const flowRef = (key: string): ActorRef<"account"> => ({ kind: "account", organizationId: key, id: "flow" });

/** Where it is found whose an identity is; `key` is a hash of issuer and subject. */
export const identityRef = (key: string): ActorRef<"account"> => ({
  kind: "account",
  organizationId: key,
  id: "identity",
});
