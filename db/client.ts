/**
 * Connections to PostgreSQL. Three small pools, because they must not wait for each other: the flush
 * (one connection for each lane), reads, and placement (the lease must be renewed however busy the
 * rest is). Time-outs are set on the server's side too, so that no statement outlives its caller for
 * long and raising an epoch never waits for ever behind a dead client.
 */
import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import postgres from "postgres";

export type Sql = postgres.Sql;

/** The flush is one statement of a few ms; one that takes this long is stuck. */
export const STATEMENT_TIMEOUT_MS = 10_000;
/** Longest wait for a row lock, that is for somebody who raises an epoch. */
export const LOCK_TIMEOUT_MS = 5_000;
/** The client's own limit, later than the server's. */
const ANSWER_LIMIT_MS = 15_000;
/** How long the server waits before it gives up on a client that is gone without a word. */
const TCP_USER_TIMEOUT_MS = 15_000;
const CONNECT_TIMEOUT_SECONDS = 5;
/**
 * Between two tries to connect, at most. The driver's own bound of 20 s would keep a replica away for
 * two leases after the database has come back.
 */
const RECONNECT_MAX_SECONDS = 0.5;
/** Connections for reads: loads of cold actors, lists, pages of events. */
const READ_CONNECTIONS = 6;

export interface Database {
  /** For the flush only. As the others another pool after a silence, so it is not to be kept. */
  readonly flush: Sql;
  readonly read: Sql;
  readonly placement: Sql;
  /** Drizzle over the pool for reads. */
  readonly query: PostgresJsDatabase;
  /**
   * Waits for the answer, but not for ever: PostgreSQL ends every statement in time, so whoever hears
   * nothing for longer is cut off from it without a word. Then every connection is given up, because
   * all go the same way, and what waits on them is rejected.
   */
  answered<T>(answer: PromiseLike<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * The flush's statements touch up to six tables, and planning one takes longer than running it. So
 * each is planned once, whatever the tables hold at that moment: by their indexes. (A plan of
 * PostgreSQL's own choice could scan a table that was empty then and is not any more.)
 */
const FLUSH_PLANS = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
};

function pool(url: string, name: string, max: number, settings: Readonly<Record<string, string>> = {}): Sql {
  return postgres(url, {
    max,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    backoff: (retries) => Math.min(2 ** retries / 100, RECONNECT_MAX_SECONDS) * (0.5 + Math.random() / 2),
    // Notices are PostgreSQL's small talk; errors arrive as rejections.
    onnotice: () => {},
    connection: {
      application_name: `troupe ${name}`,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      lock_timeout: LOCK_TIMEOUT_MS,
      idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
      tcp_user_timeout: TCP_USER_TIMEOUT_MS,
      ...settings,
    },
  });
}

interface Pools {
  readonly flush: Sql;
  readonly read: Sql;
  readonly placement: Sql;
  readonly query: PostgresJsDatabase;
}

export interface DatabaseOptions {
  readonly lanes?: number;
  /** How long an answer may take. */
  readonly answerMs?: number;
}

/** Opens the pools; connections are made at first use. */
export function openDatabase(url: string, { lanes = 1, answerMs = ANSWER_LIMIT_MS }: DatabaseOptions = {}): Database {
  const open = (): Pools => {
    const read = pool(url, "read", READ_CONNECTIONS);
    return {
      flush: pool(url, "flush", lanes, FLUSH_PLANS),
      read,
      placement: pool(url, "placement", 1),
      query: drizzle(read),
    };
  };
  const end = ({ flush, read, placement }: Pools, timeout: number): Promise<unknown> =>
    Promise.all([flush, read, placement].map((sql) => sql.end({ timeout })));
  let pools = open();
  return {
    get flush() {
      return pools.flush;
    },
    get read() {
      return pools.read;
    },
    get placement() {
      return pools.placement;
    },
    get query() {
      return pools.query;
    },
    answered(answer) {
      const asked = pools;
      const silence = Promise.withResolvers<never>();
      const timer = setTimeout(() => {
        silence.reject(new Error("the database gave no answer in time"));
        if (pools !== asked) return;
        pools = open();
        void end(asked, 0);
      }, answerMs);
      return Promise.race([answer, silence.promise]).finally(() => clearTimeout(timer));
    },
    close: async () => void (await end(pools, 5)),
  };
}
