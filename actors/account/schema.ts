/**
 * How a person signs in (AUTH-13 to AUTH-16): the credentials of an account, and the counts of attempts. Which
 * organizations the person belongs to, and with which role, is nowhere here: that is what the organizations' own
 * member records say, and only they are asked.
 */
import { type ActorRef, table } from "../runtime/actor.ts";
import { Nullable, RecordBase, type Static, Timestamp, Type } from "../schema.ts";

/** A link that sets a password once. Only the SHA-256 of its key is here. */
export const PasswordLink = Type.Object({ hash: Type.String(), expiresAt: Timestamp });
export type PasswordLink = Static<typeof PasswordLink>;

/** Credentials of a person; its id is the user's. */
export const Account = Type.Object({
  ...RecordBase,
  /** argon2id in its own text form, with salt and parameters; null: no password. */
  passwordHash: Nullable(Type.String()),
  passwordSetAt: Nullable(Timestamp),
  link: Nullable(PasswordLink),
  /** The organization that the person has worked in last (AUTH-7). */
  chosenOrganizationId: Nullable(Type.String()),
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

export const oauthClientTable = table<OAuthClient>("oauth_client");
export const accountTable = table<Account>("account");
export const signInAttemptsTable = table<SignInAttempts>("sign_in_attempts");

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
