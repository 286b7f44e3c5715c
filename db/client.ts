/**
 * Connections to PostgreSQL. There are three small pools, because they must not wait for each other: the flush (two
 * connections for each lane), placement (the lease must be renewed however busy the rest is), and reads, whose
 * connections are divided by purpose and fairly between organizations (`fair-gate.ts`). Timeouts are also set on the
 * server, so that no statement outlives its caller for long, and raising an epoch never waits forever for a dead
 * client.
 */
import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { parseStored } from "../actors/exact-json.ts";
import { AT_ONCE, type Bulk } from "../actors/runtime/fairness/bulk-work.ts";
import type { SlotBounds } from "../actors/fair-slots.ts";
import { FairGate } from "./fair-gate.ts";

export type Sql = postgres.Sql;

/** The flush is one statement of a few ms; one that takes this long is stuck. */
export const STATEMENT_TIMEOUT_MS = 10_000;
/** Longest wait for a row lock, such as one held by a replica that raises an epoch. */
export const LOCK_TIMEOUT_MS = 5_000;
/** The client's own limit, later than the server's. */
const ANSWER_LIMIT_MS = 15_000;
/** How long the server waits before it gives up on a client that has vanished. */
const TCP_USER_TIMEOUT_MS = 15_000;
const CONNECT_TIMEOUT_SECONDS = 5;
/** How long reads in flight or waiting for a slot may take before the connections are closed. */
const CLOSING_MS = 1_000;
/** How long statements may take while the connections are being closed. */
export const CLOSE_SECONDS = 2;
/**
 * The longest pause between two attempts to connect. The driver's own bound of 20 s would keep a replica away for two
 * leases after the database has come back.
 */
const RECONNECT_MAX_SECONDS = 0.5;
/** Small groups and large ones have statements of their own (`actors/runtime/commit/flush.ts`). */
const STATEMENTS_OF_LANE = 2;
/**
 * Bounds of placement's concurrent statements by kind. A lease must not wait behind statements that wait for a shard's
 * row, and neither may wait behind requests that look for an owner, so each has a connection of its own.
 */
const PLACEMENT_BOUNDS = {
  lease: { slots: 1, each: 1 },
  shards: { slots: 1, each: 1 },
  look: { slots: 1, each: 1 },
} as const satisfies Record<string, SlotBounds>;

export type PlacementKind = keyof typeof PLACEMENT_BOUNDS;
const PLACEMENT_KINDS = Object.keys(PLACEMENT_BOUNDS) as PlacementKind[];
const PLACEMENT_CONNECTIONS = PLACEMENT_KINDS.length;

/**
 * Connections for reads by purpose, and how many of each one organization may use. A page or a list may take PostgreSQL
 * and this process a few milliseconds, so one organization never gets two at once.
 */
export const READ_BOUNDS = {
  /** Records of cold actors: turns wait for them. */
  load: { slots: 4, each: 2 },
  /** Pages of an event stream. */
  page: { slots: 3, each: 1 },
  /** Lists and reports. */
  list: { slots: 3, each: 1 },
  /** Look-ups without an organization, before the caller is known: tokens and agents. */
  lookup: { slots: 2, each: 2 },
  /** Reads of the runtime itself: take-over, alarms, sweeps, administration. */
  own: { slots: 2, each: 2 },
} as const satisfies Record<string, SlotBounds>;

export type ReadKind = keyof typeof READ_BOUNDS;
const READ_KINDS = Object.keys(READ_BOUNDS) as ReadKind[];
const READ_CONNECTIONS = READ_KINDS.reduce((all, kind) => all + READ_BOUNDS[kind].slots, 0);

/** Reads without an organization share this one's bounds. */
export const NO_ORGANIZATION = "";

export interface ReadPool {
  readonly sql: Sql;
  /** Drizzle over the same connections. */
  readonly query: PostgresJsDatabase;
}

/**
 * Each of the three methods waits for the answer, but not forever. PostgreSQL ends every statement in time, so a
 * connection that is silent for longer has been cut off without notice. The connections of that pool are then replaced,
 * and whatever waits on them is rejected; the other pools find out by themselves. The clock starts when the statement
 * is sent, not when its caller begins to wait for a connection.
 */
export interface Database {
  /** The flush: two statements for each lane at a time. */
  flushing<T>(ask: (sql: Sql) => PromiseLike<T>): Promise<T>;
  /** Waits only behind others of its kind (`PLACEMENT_BOUNDS`); rejects with `GateTimeout`. */
  placing<T>(kind: PlacementKind, ask: (sql: Sql) => PromiseLike<T>): Promise<T>;
  /** First waits for a slot of this kind, fairly between organizations (`READ_BOUNDS`); rejects with `GateTimeout`. */
  reading<T>(kind: ReadKind, organizationId: string, ask: (pool: ReadPool) => PromiseLike<T>): Promise<T>;
  /**
   * Like `reading`, but keeps the slot until the answer is `used`, so that an organization has only one page in memory.
   */
  readingInto<T, U>(
    kind: ReadKind,
    organizationId: string,
    ask: (pool: ReadPool) => PromiseLike<T>,
    used: (answer: T) => Promise<U>,
  ): Promise<U>;
  /** The pools themselves, without a time limit. A silent pool is replaced, so do not keep a reference. */
  readonly flush: Sql;
  readonly read: Sql;
  readonly placement: Sql;
  /** Parses pages in its slices. */
  readonly bulk: Bulk;
  /**
   * Opens the connections for a take-over, and for the first requests that look for an owner, as far as the server
   * allows: the first statements then wait for no connection. Other connections open on demand, because a server may
   * allow few.
   */
  connect(): Promise<void>;
  /** First waits up to a second for reads. */
  close(): Promise<void>;
}

/** A port that is kept over the connections. */
export abstract class OverDatabase {
  protected readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }
}

/**
 * The flush's statements touch up to six tables, and planning one takes longer than running it. So each is planned
 * once, by the indexes, whatever the tables contain at that moment. (A plan of PostgreSQL's own choice could scan a
 * table that was empty then but is not any more.)
 */
const FLUSH_PLANS = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
};

/** `json` and `jsonb`, with the numbers that the driver's own parser would round. */
export const EXACT_JSON = { to: 114, from: [114, 3802], serialize: JSON.stringify, parse: parseStored };

/** A parameter as the text of a PostgreSQL array; one that is text already stays as it is. */
const arrayText = (values: string | readonly (string | number | bigint)[]): string =>
  typeof values === "string"
    ? values
    : `{${values.map((value) => `"${String(value).replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(",")}}`;

/** A type of arrays that are given as parameters; no statement returns one. */
const arrayType = (oid: number) => ({ to: oid, from: [], serialize: arrayText, parse: String });

/**
 * All that statements use. Otherwise the driver would ask for PostgreSQL's types on each new connection, before its first
 * statement: this takes as long as connecting.
 */
const ARRAYS = { bigints: arrayType(1016), ints: arrayType(1007), texts: arrayType(1009) };

/** Connections with the limits of the service; opened on first use. */
export function poolOf(url: string, name: string, max: number, settings: Readonly<Record<string, string>> = {}): Sql {
  return postgres(url, {
    max,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    backoff: (retries) => Math.min(2 ** retries / 100, RECONNECT_MAX_SECONDS) * (0.5 + Math.random() / 2),
    // Notices are of no interest; errors arrive as rejections.
    onnotice: () => {},
    types: { json: EXACT_JSON, ...ARRAYS },
    fetch_types: false,
    connection: {
      application_name: `troupe ${name}`,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      lock_timeout: LOCK_TIMEOUT_MS,
      idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
      tcp_user_timeout: TCP_USER_TIMEOUT_MS,
      // Compiling takes longer than any statement of the service; the embedded server turns it off as well.
      jit: "off",
      ...settings,
    },
  });
}

export interface DatabaseOptions {
  readonly lanes?: number;
  /** The time limit of an answer. */
  readonly answerMs?: number;
  /** Omitted: pages are parsed at once. */
  readonly bulk?: Bulk;
  /** Whether an organization's reads wait behind those of others (FAIR-4). Omitted: never. */
  readonly isOverShare?: (organizationId: string) => boolean;
}

/** A pool whose connections are replaced when they are silent. */
class Pool {
  private current: Sql;
  private readonly open: () => Sql;
  private readonly answerMs: number;

  constructor(open: () => Sql, answerMs: number) {
    this.open = open;
    this.answerMs = answerMs;
    this.current = open();
  }

  get sql(): Sql {
    return this.current;
  }

  /** Rejects if the question throws, or has no answer in time. */
  async ask<T>(question: (sql: Sql) => PromiseLike<T>): Promise<T> {
    const asked = this.current;
    const silence = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      silence.reject(new Error("the database gave no answer in time"));
      if (this.current !== asked) return;
      this.current = this.open();
      void asked.end({ timeout: 0 });
    }, this.answerMs);
    try {
      return await Promise.race([question(asked), silence.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  close(): Promise<void> {
    return this.current.end({ timeout: CLOSE_SECONDS });
  }
}

/** Opens the pools; connections open on first use. */
export function openDatabase(
  url: string,
  { lanes = 1, answerMs = ANSWER_LIMIT_MS, bulk = AT_ONCE, isOverShare = () => false }: DatabaseOptions = {},
): Database {
  const flush = new Pool(() => poolOf(url, "flush", lanes * STATEMENTS_OF_LANE, FLUSH_PLANS), answerMs);
  const read = new Pool(() => poolOf(url, "read", READ_CONNECTIONS), answerMs);
  const placement = new Pool(() => poolOf(url, "placement", PLACEMENT_CONNECTIONS), answerMs);
  const placing = Object.fromEntries(
    PLACEMENT_KINDS.map((kind) => [kind, new FairGate(PLACEMENT_BOUNDS[kind])]),
  ) as Record<PlacementKind, FairGate>;
  const gates = Object.fromEntries(
    READ_KINDS.map((kind) => [kind, new FairGate(READ_BOUNDS[kind], { isOverShare })]),
  ) as Record<ReadKind, FairGate>;
  let queried: ReadPool = { sql: read.sql, query: drizzle(read.sql) };
  const readPool = (sql: Sql): ReadPool => (queried.sql === sql ? queried : (queried = { sql, query: drizzle(sql) }));
  return {
    flushing: (ask) => flush.ask(ask),
    placing: (kind, ask) => placing[kind].run(NO_ORGANIZATION, () => placement.ask(ask)),
    reading: (kind, organizationId, ask) =>
      gates[kind].run(organizationId, () => read.ask((sql) => ask(readPool(sql)))),
    readingInto: (kind, organizationId, ask, used) =>
      gates[kind].run(organizationId, async () => used(await read.ask((sql) => ask(readPool(sql))))),
    bulk,
    get flush() {
      return flush.sql;
    },
    get read() {
      return read.sql;
    },
    get placement() {
      return placement.sql;
    },
    async connect() {
      const pools = [
        [flush, lanes * STATEMENTS_OF_LANE],
        [read, READ_BOUNDS.own.slots + READ_BOUNDS.lookup.slots],
        [placement, PLACEMENT_CONNECTIONS],
      ] as const;
      // Several concurrent statements open a connection each.
      const all = pools.flatMap(([pool, count]) => Array.from({ length: count }, () => pool.ask((sql) => sql`select`)));
      await Promise.allSettled(all);
    },
    async close() {
      // Reads that wait for a slot would run on closed connections.
      const patience = Promise.withResolvers<void>();
      const timer = setTimeout(patience.resolve, CLOSING_MS);
      await Promise.race([Promise.all(READ_KINDS.map((kind) => gates[kind].rest())), patience.promise]);
      clearTimeout(timer);
      await Promise.all([flush, read, placement].map((each) => each.close()));
    },
  };
}

/**
 * Runs work, such as the first run, under a lock of the database: one process at a time. Rejects if the lock is not
 * available within its time limit.
 */
export async function oneAtATime<T>(database: Pick<Database, "placement">, work: () => Promise<T>): Promise<T> {
  const connection = await database.placement.reserve();
  try {
    await connection`select pg_advisory_lock(hashtextextended('troupe first run', 0))`;
    return await work();
  } finally {
    // If the lock's own session is gone, this fails, but then the lock is gone too.
    await connection`select pg_advisory_unlock_all()`.catch(() => {});
    connection.release();
  }
}
