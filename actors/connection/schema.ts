/**
 * A connection: the access to one tool server that a person, or the organization by an owner, has given the service by
 * OAuth (ACC-6). There is one connection for each combination of an owner, a server's address, and a client that was
 * registered by hand for it. Its id is derived from these three, so a run and a person find it without a look-up.
 *
 *   required ──consent──▶ connected ──refused, expired, rejected──▶ ended ──consent──▶ connected
 *       │                     └── removed by its owner ──▶ forgotten      (removed: nothing sealed is left)
 *       └── denied: the jobs that wait go on without it
 *
 * Tokens are sealed under the service's key before a command holds them: this actor and the tables never know them.
 */
import { refTo, table } from "../runtime/actor.ts";
import {
  Nullable,
  NullableText,
  NullableTime,
  OneOf,
  RecordBase,
  SECRET_NAME_RULE,
  type Static,
  Timestamp,
  Type,
  WEB_ADDRESS,
} from "../schema.ts";

export const CONNECTION_STATUSES = ["required", "connected", "ended"] as const;

/** Whose connection an agent's server uses: that of the person for whom a job acts, or the organization's. */
export const CONNECTION_OWNERS = ["person", "organization"] as const;
export type ConnectionOwner = (typeof CONNECTION_OWNERS)[number];

/** Why a connection ended by itself. */
export const CONNECTION_ENDS = [
  /** The authorization server refused to renew the access. */
  "refused",
  /** It refused after a renewal whose outcome was lost: it had replaced the refresh token already. */
  "refresh_lost",
  /** The access has expired, and the server gave no way to renew it. */
  "expired",
  /** The tool server does not accept the token, although it was just renewed. */
  "rejected",
] as const;
export type ConnectionEnd = (typeof CONNECTION_ENDS)[number];

/** The tokens, sealed. */
const ConnectionTokens = Type.Object({
  sealed: Type.String(),
  generation: Type.Integer({ minimum: 1 }),
  obtainedAt: Timestamp,
  /** When the access token expires; null: the server did not say. */
  expiresAt: NullableTime,
  /** Whether there is a refresh token. */
  isRefreshable: Type.Boolean(),
});
export type ConnectionTokens = Static<typeof ConnectionTokens>;

/** A refresh that is under way: stored before its request is sent (ACC-11). */
const ConnectionRefresh = Type.Object({
  effectId: Type.String(),
  startedAt: Timestamp,
});

/** A consent that was begun. The state is known to one browser; its hash is enough to recognize it. */
const Consent = Type.Object({
  stateHash: Type.String(),
  /** The verifier, the server and the client, sealed. */
  sealed: Type.String(),
  /** Only this person can finish it. */
  userId: Type.String(),
  expiresAt: Timestamp,
  /** Whether its code has been sent to the server: it is never sent twice. */
  isRedeemed: Type.Boolean(),
});

/**
 * A client that was registered by hand at an authorization server which registers none by itself (ACC-14). It is for that
 * server only. The secret's value is looked up for each request and never stored.
 */
export const AuthClient = Type.Object(
  {
    issuer: Type.String({
      pattern: "^https?://[\\x21-\\x7e]{1,2000}$",
      form: WEB_ADDRESS,
      description: "The authorization server that knows the client, to the letter of its metadata",
      examples: ["https://auth.example"],
    }),
    id: Type.String({
      pattern: "^[\\x21-\\x7e]{1,512}$",
      form: "1 to 512 printable characters of ASCII without spaces",
      description: "The client id",
      examples: ["troupe-4711"],
    }),
    secret: Type.Optional(
      Type.String({
        pattern: "^[A-Za-z0-9_.-]{1,64}$",
        form: SECRET_NAME_RULE,
        description: "Name of the secret with the client's secret; omitted: it has none",
        examples: ["CRM_CLIENT_SECRET"],
      }),
    ),
  },
  { $id: "AuthClient", description: "An OAuth client that was registered by hand" },
);
export type AuthClient = Static<typeof AuthClient>;

export const Connection = Type.Object({
  ...RecordBase,
  /** A user's id, or `organization`. */
  ownerId: Type.String(),
  /** The address that the tokens are for. */
  resource: Type.String(),
  status: OneOf(CONNECTION_STATUSES),
  /** The authorization server; null before the first consent. */
  issuer: NullableText,
  /** Granted with the tokens. */
  scopes: Type.Array(Type.String()),
  /** To be asked for at the next consent. */
  askedScopes: Type.Array(Type.String()),
  /** How the server announced its authorization server (RFC 9728); null: at the usual address. */
  resourceMetadata: NullableText,
  /** The client that was registered by hand; absent: the service registers itself. */
  client: Type.Optional(AuthClient),
  connectedBy: NullableText,
  connectedAt: NullableTime,
  /** Of the newest tokens that it has had. It never falls, so a late report about earlier ones is recognized. */
  generation: Type.Integer({ minimum: 0 }),
  tokens: Nullable(ConnectionTokens),
  /** The server and the client that the tokens were issued to, sealed. It outlives them: the next consent reuses it. */
  sealedClient: NullableText,
  refresh: Nullable(ConnectionRefresh),
  /** Refreshes in a row whose outcome is unknown: each may have replaced the refresh token. */
  lostRefreshes: Type.Integer({ minimum: 0 }),
  /** After a refresh that failed for a passing reason: when the next may begin, and how many have failed. */
  refreshAfter: NullableTime,
  refreshFailures: Type.Integer({ minimum: 0 }),
  consent: Nullable(Consent),
  /** The state of the consent that gave the tokens: its repetition is answered, and asks the server nothing. */
  finishedState: NullableText,
  end: Nullable(Type.Object({ reason: OneOf(CONNECTION_ENDS), message: Type.String(), at: Timestamp })),
  /** Jobs that go on when it is connected. */
  waiting: Type.Array(Type.String()),
  /** The effect that revokes former tokens at the server; null: none. */
  revocation: NullableText,
  removedAt: NullableTime,
});
export type Connection = Static<typeof Connection>;

export const connectionTable = table<Connection>("connection");
export const connectionRef = refTo("connection");

/** The `ownerId` of an organization's connections. No user has this id. */
export const OF_ORGANIZATION = "organization";

/** Whose connection a job of this user uses. */
export const ownerIdOf = (owner: ConnectionOwner, userId: string): string =>
  owner === "organization" ? OF_ORGANIZATION : userId;

/** The context of everything that is sealed for a connection. */
export const connectionContext = (organizationId: string, id: string): readonly string[] => [organizationId, id];

/** Jobs that may wait for one connection. Beyond that, the one that has waited longest is refused. */
export const MAX_CONNECTION_JOBS = 1_000;
/** Scopes that are remembered for the next consent: the newest. */
export const MAX_ASKED_SCOPES = 200;
/** Connections of one person in an organization, and of the organization itself. */
export const MAX_CONNECTIONS = 200;
/** How long a person has from the beginning of a consent to its end. */
export const CONSENT_MS = 15 * 60_000;
