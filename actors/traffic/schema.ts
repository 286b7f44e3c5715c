/** The nouns that an organization's traffic actor owns: the rate windows of its identities, the idempotency keys, the sessions of MCP clients. */
import { type ActorRef, table } from "../runtime/actor.ts";
import { type JsonObject, RecordBase, type Static, Timestamp, Type } from "../schema.ts";

/** What is reserved of an identity's budget; how much of that is spent is volatile state. Its id is the identity's: a token's, for example. */
export const RateWindow = Type.Object({
  ...RecordBase,
  /** Windows since the epoch. */
  window: Type.Integer({ minimum: 0 }),
  /** Requests of this window that may have been admitted. */
  reserved: Type.Integer({ minimum: 0 }),
});
export type RateWindow = Static<typeof RateWindow>;

/** What the request of a key has come to. */
export const KeyEnding = Type.Union([
  Type.Object({
    kind: Type.Literal("answer"),
    status: Type.Integer(),
    contentType: Type.String(),
    body: Type.String(),
    /** Whether the body has a secret that is shown once, and is encrypted. */
    isSealed: Type.Boolean(),
  }),
  /** It goes on after its commit; this is what it is found by. */
  Type.Object({ kind: Type.Literal("work"), work: Type.Unsafe<JsonObject>({ type: "object" }) }),
]);
export type KeyEnding = Static<typeof KeyEnding>;
/** A request that commits more than once and is between two commits. */
const RunningKey = Type.Object({ kind: Type.Literal("running"), holder: Type.String() });
export type RunningKey = Static<typeof RunningKey>;

/** An idempotency key. Its id is a hash of the key within its scope; the key itself is nowhere. */
export const IdempotencyKey = Type.Object({
  ...RecordBase,
  fingerprint: Type.String(),
  ending: Type.Union([KeyEnding, RunningKey]),
  expiresAt: Timestamp,
});
export type IdempotencyKey = Static<typeof IdempotencyKey>;

/** What is kept of one session of an MCP client. */
export const ClientSession = Type.Object({
  /** A hash of its id. */
  key: Type.String(),
  /** Wall clock in ms. */
  openedAt: Type.Integer(),
  isOver: Type.Boolean(),
  /** URIs of resources; empty once it is over. */
  subscriptions: Type.Array(Type.String()),
});
export type ClientSession = Static<typeof ClientSession>;

/** The sessions of one person's MCP clients of which something has to be known; its id is the user's. */
export const ClientSessions = Type.Object({
  ...RecordBase,
  /** The one that began first comes first. */
  sessions: Type.Array(ClientSession),
  /** Sessions that began up to then are over: what was known of some of them had to make room. Wall clock in ms. */
  overUpTo: Type.Integer(),
  /** When nothing in it has a meaning any more. */
  expiresAt: Timestamp,
});
export type ClientSessions = Static<typeof ClientSessions>;

export const clientSessionsTable = table<ClientSessions>("client_sessions");
export const idempotencyKeyTable = table<IdempotencyKey>("idempotency_key");
export const rateWindowTable = table<RateWindow>("rate_window");

/** An organization has one; its id differs from the organization's, whose actor has that one. */
export const trafficRef = (organizationId: string): ActorRef<"traffic"> => ({
  kind: "traffic",
  organizationId,
  id: "traffic",
});
