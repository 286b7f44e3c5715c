/** The nouns that an organization's traffic actor owns: the rate windows of its identities, the idempotency keys, the sessions of MCP clients. */
import { soleRefTo, table } from "../runtime/actor.ts";
import { type JsonObject, RecordBase, type Static, Timestamp, Type } from "../schema.ts";

/**
 * The reserved part of an identity's budget; how much of it is used is volatile state. Its id is the identity's, such
 * as a token's.
 */
export const RateWindow = Type.Object({
  ...RecordBase,
  /** Windows since the epoch. */
  window: Type.Integer({ minimum: 0 }),
  /** Requests of this window that may have been admitted. */
  reserved: Type.Integer({ minimum: 0 }),
});
export type RateWindow = Static<typeof RateWindow>;

/** The result of a key's request. */
export const KeyEnding = Type.Union([
  Type.Object({
    kind: Type.Literal("answer"),
    status: Type.Integer(),
    contentType: Type.String(),
    body: Type.String(),
    /** Whether the body contains a one-time secret and is encrypted. */
    isSealed: Type.Boolean(),
  }),
  /** The work continues after its commit; this identifies it. */
  Type.Object({ kind: Type.Literal("work"), work: Type.Unsafe<JsonObject>({ type: "object" }) }),
]);
export type KeyEnding = Static<typeof KeyEnding>;
/** A request that commits more than once and is between two commits. */
const RunningKey = Type.Object({ kind: Type.Literal("running"), holder: Type.String() });
export type RunningKey = Static<typeof RunningKey>;

/** An idempotency key. Its id is a hash of the key within its scope; the key itself is not stored. */
export const IdempotencyKey = Type.Object({
  ...RecordBase,
  fingerprint: Type.String(),
  ending: Type.Union([KeyEnding, RunningKey]),
  expiresAt: Timestamp,
});
export type IdempotencyKey = Static<typeof IdempotencyKey>;

/** The stored state of one session of an MCP client. */
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

/** The sessions of one person's MCP clients that have stored state; its id is the user's. */
export const ClientSessions = Type.Object({
  ...RecordBase,
  /** The oldest session comes first. */
  sessions: Type.Array(ClientSession),
  /** Sessions that began up to this time are over, because entries had to be removed. Wall clock in ms. */
  overUpTo: Type.Integer(),
  /** When the whole record expires. */
  expiresAt: Timestamp,
});
export type ClientSessions = Static<typeof ClientSessions>;

export const clientSessionsTable = table<ClientSessions>("client_sessions");
export const idempotencyKeyTable = table<IdempotencyKey>("idempotency_key");
export const rateWindowTable = table<RateWindow>("rate_window");

/** One for each organization; its id differs from the organization's, which names the organization's own actor. */
export const trafficRef = soleRefTo("traffic");
