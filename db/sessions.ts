/**
 * Checks that the connections to a server are sessions of this process alone. Locks, prepared statements and time
 * limits belong to a session. A pooler such as pgbouncer lends sessions to others between two transactions, or does not
 * pass on their settings: the locks of a replica would then prove nothing, and statements would have no time limit.
 */
import postgres from "postgres";
import { poolOf, type Sql, STATEMENT_TIMEOUT_MS } from "./client.ts";

/** A pooler is between this process and the server, and does not give the process its own sessions. */
export class SessionsShared extends Error {
  override readonly name = "SessionsShared";
}

const REMEDY =
  "DATABASE_URL leads to a pooler that shares sessions, such as pgbouncer. Connect to PostgreSQL itself: " +
  "each process has its own pool of at most 20 connections.";
/** The server has no such parameter, or a pooler does not pass it through. */
const PROTOCOL_VIOLATION = "08P01";

/** Throws `SessionsShared`, or the driver's error. */
export async function checkSessions(url: string): Promise<void> {
  const first = poolOf(url, "check", 1);
  const second = poolOf(url, "check", 1);
  try {
    const [settings] = await first<{ timeout: string; pid: number }[]>`
      select current_setting('statement_timeout') as timeout, pg_backend_pid() as pid`;
    if (settings?.timeout !== `${STATEMENT_TIMEOUT_MS / 1_000}s`)
      throw new SessionsShared(`${REMEDY} (statement_timeout does not arrive there)`);
    // A transaction that begins while the first session is idle gets another session, unless the first one is lent out.
    const lent = await heldBeside(second, () => pidOf(first));
    if (lent.beside !== settings.pid || lent.held === settings.pid)
      throw new SessionsShared(`${REMEDY} (a session changed between two transactions)`);
  } catch (cause) {
    if (cause instanceof postgres.PostgresError && cause.code === PROTOCOL_VIOLATION)
      throw new SessionsShared(`${REMEDY} (it says: ${cause.message})`, { cause });
    throw cause;
  } finally {
    await Promise.all([first.end({ timeout: 1 }), second.end({ timeout: 1 })]);
  }
}

/** The session of a transaction, and the result of `ask` while it is open. */
async function heldBeside(sql: Sql, ask: () => Promise<number>): Promise<{ held: number; beside: number }> {
  const connection = await sql.reserve();
  try {
    await connection`begin`;
    const held = await pidOf(connection);
    const beside = await ask();
    await connection`rollback`;
    return { held, beside };
  } finally {
    connection.release();
  }
}

async function pidOf(sql: Pick<Sql, "unsafe">): Promise<number> {
  const [row] = await sql.unsafe<{ pid: number }[]>("select pg_backend_pid() as pid");
  return row?.pid ?? 0;
}
