/** Serializes work among the processes that share the database, such as the first run. */
import type { Database } from "./client.ts";

/** Runs the work under a lock of the database. Rejects if the lock is not available within its time limit. */
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
