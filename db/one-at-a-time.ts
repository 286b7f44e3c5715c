/** What only one process of those that share the database may do at a time, such as the first run. */
import type { Database } from "./client.ts";

/** Runs the work under a lock of the database. Rejects when the lock cannot be had within its time limit. */
export async function oneAtATime<T>(database: Pick<Database, "placement">, work: () => Promise<T>): Promise<T> {
  const connection = await database.placement.reserve();
  try {
    await connection`select pg_advisory_lock(hashtextextended('troupe first run', 0))`;
    return await work();
  } finally {
    // Not in the lock's own session, if that is gone: then the lock is gone too.
    await connection`select pg_advisory_unlock_all()`.catch(() => {});
    connection.release();
  }
}
