/**
 * A lock in PostgreSQL that a replica holds for as long as it lives (REP-6): an advisory lock in a session of its own.
 * The server releases it with the connection, so a free lock is one of the two proofs of a death
 * (`src/peers/liveness.ts` is the other). It needs a session of its own, because a pooler in transaction mode would
 * give the lock to another client.
 */
import postgres from "postgres";

const LIFE_LOCK_RETRY_MS = 500;
/** The text from which a lock's key is derived; other programs may have locks of their own in the database. */
export const lockName = (replicaId: string): string => `troupe replica ${replicaId}`;

export interface LifeLock {
  release(): Promise<void>;
}

/** Takes the lock, and takes it again on another connection if this one is lost. Rejects if the first attempt fails. */
export async function holdLifeLock(url: string, replicaId: string): Promise<LifeLock> {
  let isOver = false;
  let timer: Timer | undefined;
  const sql = postgres(url, {
    max: 1,
    // By default the driver renews connections after a while.
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
    timer = setTimeout(() => void take().catch(again), LIFE_LOCK_RETRY_MS);
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
