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
  /** For the flush only; another pool after `renewFlush`. */
  readonly flush: Sql;
  /** Drops the flush connections: one that has not answered must not hold up what follows. */
  renewFlush(): void;
  readonly read: Sql;
  readonly placement: Sql;
  /** Drizzle over the pool for reads. */
  readonly query: PostgresJsDatabase;
  close(): Promise<void>;
}

function pool(url: string, name: string, max: number): Sql {
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
    },
  });
}

/** Opens the pools; connections are made at first use. */
export function openDatabase(url: string, options: { readonly lanes?: number } = {}): Database {
  const openFlush = (): Sql => pool(url, "flush", options.lanes ?? 1);
  let flush = openFlush();
  const read = pool(url, "read", READ_CONNECTIONS);
  const placement = pool(url, "placement", 1);
  return {
    get flush() {
      return flush;
    },
    renewFlush() {
      void flush.end({ timeout: 0 });
      flush = openFlush();
    },
    read,
    placement,
    query: drizzle(read),
    async close() {
      await Promise.all([flush, read, placement].map((sql) => sql.end({ timeout: 5 })));
    },
  };
}
