/**
 * The runtime's tables besides records: events of streams, promises of commits (messages, effects, alarms), and the
 * owners of shards. `shard` is stored in rows that a shard's new owner must find.
 */
import {
  bigint,
  boolean,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
} from "drizzle-orm/pg-core";

/** Durable events. `seq` is consecutive for each stream, starting at 1 (SSE-2). */
export const event = pgTable(
  "event",
  {
    organizationId: text("organization_id").notNull(),
    stream: text("stream").notNull(),
    seq: integer("seq").notNull(),
    type: text("type").notNull(),
    at: text("at").notNull(),
    data: json("data").notNull(),
  },
  (t) => [primaryKey({ columns: [t.organizationId, t.stream, t.seq] })],
);

const actorColumns = {
  shard: smallint("shard").notNull(),
  organizationId: text("organization_id").notNull(),
  actorKind: text("actor_kind").notNull(),
  actorId: text("actor_id").notNull(),
};

/** Messages between actors that their receiver has not answered yet. */
export const actorMessage = pgTable(
  "actor_message",
  {
    ...actorColumns,
    id: text("id").primaryKey(),
    /** The order in which messages were written, for their delivery after a take-over. */
    position: bigint("position", { mode: "number" }).generatedAlwaysAsIdentity(),
    command: json("command").notNull(),
  },
  (t) => [index("actor_message_shard").on(t.shard, t.position)],
);

/** I/O that a commit intends and that is not settled yet. */
export const effect = pgTable(
  "effect",
  { ...actorColumns, id: text("id").primaryKey(), kind: text("kind").notNull(), intent: json("intent").notNull() },
  (t) => [index("effect_shard").on(t.shard, t.id)],
);

export const alarm = pgTable(
  "alarm",
  {
    ...actorColumns,
    name: text("name").notNull(),
    dueAtMs: bigint("due_at_ms", { mode: "number" }).notNull(),
    command: json("command").notNull(),
  },
  (t) => [primaryKey({ columns: [t.organizationId, t.actorId, t.name] }), index("alarm_due").on(t.shard, t.dueAtMs)],
);

/** A process that serves or has served. `dead` is final: its shards may be claimed. */
export const replica = pgTable("replica", {
  id: text("id").primaryKey(),
  address: text("address").notNull(),
  build: text("build").notNull(),
  /** Where other replicas reach it; null if it runs alone. */
  peerUrl: text("peer_url"),
  /** The check value of the key with which it seals; null for versions that did not store it. */
  keyCheck: text("key_check"),
  /** The data folder whose lock its process holds; null with a database of its own. */
  folder: text("folder"),
  startedAt: timestamp("started_at", { withTimezone: true }).notNull().defaultNow(),
  leaseUntil: timestamp("lease_until", { withTimezone: true }).notNull(),
  dead: boolean("dead").notNull().default(false),
});

/** The virtual shards. `epoch` is the fencing token: every flush names it, and one with another epoch is refused. */
export const shard = pgTable("shard", {
  id: integer("id").primaryKey(),
  owner: text("owner"),
  epoch: bigint("epoch", { mode: "number" }).notNull().default(0),
  /** The replica that should get it next, if one has been chosen. */
  wanted: text("wanted"),
});

/**
 * Organizations that were erased, or are being erased: nothing is ever stored for one again. Only this row remains of
 * it. Every owner of a shard reads the rows of that shard before it serves; the commit that begins an erasure raises
 * the epoch.
 */
export const erasure = pgTable(
  "erasure",
  {
    organizationId: text("organization_id").primaryKey(),
    shard: smallint("shard").notNull(),
    begunAt: timestamp("begun_at", { withTimezone: true }).notNull().defaultNow(),
    /** Null: the erasure is not complete yet. */
    finishedAt: timestamp("finished_at", { withTimezone: true }),
  },
  (t) => [index("erasure_shard").on(t.shard)],
);

/** The key of the service to which the database belongs, by a value that does not reveal the key. */
export const serviceKey = pgTable("service_key", {
  /** Always 1: there is one row. */
  id: integer("id").primaryKey(),
  checkValue: text("check_value").notNull(),
});

/** The position of a sweep that visits records in the order of their end; empty texts at the beginning. */
export const sweepPosition = pgTable("sweep_position", {
  sweep: text("sweep").primaryKey(),
  atRestSince: text("at_rest_since").notNull(),
  organizationId: text("organization_id").notNull(),
  id: text("id").notNull(),
});
