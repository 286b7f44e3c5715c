/**
 * Waits for the leases of other replicas to expire. A replica whose lease expires is dead or silent; one that renews
 * its lease is alive and keeps the database.
 */
import { sleep } from "../../actors/runtime/backoff.ts";
import type { Clock } from "../../actors/runtime/ports.ts";
import type { Rival } from "../../db/placement.ts";
import type { Logger } from "../log/log.ts";

/** Another replica serves this database: the lease of its shards is alive. */
export class DatabaseInUse extends Error {
  override readonly name = "DatabaseInUse";
}

/** Grace period after the lease expires, before its owner counts as alive. */
export const LEASE_GRACE_MS = 1_000;
/** Between two checks: an owner may also release its shards earlier. */
const RIVALS_LOOK_MS = 500;
/** Added to a lease's remaining time, so that the next check finds it expired. */
const PAST_MS = 50;

export interface RivalWait {
  readonly placement: { rivals(): Promise<readonly Rival[]> };
  readonly clock: Pick<Clock, "monotonic" | "after">;
  readonly log: Pick<Logger, "info">;
  readonly signal: AbortSignal;
}

/** Resolves when no other replica holds a shard. Throws `DatabaseInUse`, or the signal's reason. */
export async function waitForRivals({ placement, clock, log, signal }: RivalWait): Promise<void> {
  let [rival] = await placement.rivals();
  if (rival === undefined) return;
  log.info({ waitMs: rival.waitMs }, "the lease of an earlier instance has not run out: waiting for it");
  const until = clock.monotonic() + rival.waitMs + LEASE_GRACE_MS;
  while (clock.monotonic() < until) {
    await sleep(Math.min(rival.waitMs + PAST_MS, RIVALS_LOOK_MS), clock, signal);
    signal.throwIfAborted();
    [rival] = await placement.rivals();
    if (rival === undefined) return;
  }
  throw new DatabaseInUse(`The database is in use by the instance at ${rival.address}. Stop it first.`);
}
