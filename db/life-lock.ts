/**
 * A lock in PostgreSQL that a replica holds for as long as it lives (REP-6): an advisory lock of a session of its
 * own. The server drops it with the connection, so a lock that is free is the first of the two witnesses of a
 * death (`src/peers/liveness.ts` is the other). It needs a session of its own: a pooler in transaction mode
 * would hand the lock to somebody else.
 */
import postgres from "postgres";

const RETRY_MS = 500;
/** What a key of a lock stands for: other programs of the database may have locks of their own. */
export const lockName = (replicaId: string): string => `troupe replica ${replicaId}`;

export interface LifeLock {
  release(): Promise<void>;
}

/** Takes the lock, and takes it again on another connection when this one is lost. Rejects where the first one cannot be had. */
export async function holdLifeLock(url: string, replicaId: string): Promise<LifeLock> {
  let isOver = false;
  let timer: Timer | undefined;
  const sql = postgres(url, {
    max: 1,
    // The driver renews connections after a while unless it is told not to.
    max_lifetime: null,
    connect_timeout: 5,
    onnotice: () => {},
    connection: { application_name: "troupe life" },
    onclose: () => again(),
  });
  const take = async (): Promise<void> => {
    await sql`select pg_advisory_lock(hashtextextended(${lockName(replicaId)}, 0))`;
  };
  const again = (): void => {
    if (isOver) return;
    clearTimeout(timer);
    timer = setTimeout(() => void take().catch(again), RETRY_MS);
  };
  await take();
  return {
    async release() {
      isOver = true;
      clearTimeout(timer);
      await sql.end({ timeout: 1 });
    },
  };
}
