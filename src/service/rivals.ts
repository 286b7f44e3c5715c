/**
 * Waiting for the leases of other replicas. Whose lease runs out is dead or silent; who renews one
 * meanwhile is alive and has the database.
 */
import type { Clock } from "../../actors/runtime/clock.ts";
import type { Rival } from "../../db/placement.ts";
import type { Logger } from "../log/log.ts";

/** Another replica serves this database: the lease of its shards is alive. */
export class DatabaseInUse extends Error {
  override readonly name = "DatabaseInUse";
}

/** How much longer than a lease's end is waited for its owner to fall silent. */
export const LEASE_GRACE_MS = 1_000;
/** Between two looks: an owner may also give its shards up earlier. */
const LOOK_MS = 500;
/** Past the end of a lease, so that the next look finds it over. */
const PAST_MS = 50;

export interface RivalWait {
  readonly placement: { rivals(): Promise<readonly Rival[]> };
  readonly clock: Pick<Clock, "monotonic" | "after">;
  readonly log: Pick<Logger, "info">;
  readonly signal: AbortSignal;
}

/** Resolves when nobody else holds a shard; throws `DatabaseInUse`, or the signal's reason. */
export async function waitForRivals({ placement, clock, log, signal }: RivalWait): Promise<void> {
  let [rival] = await placement.rivals();
  if (rival === undefined) return;
  log.info({ waitMs: rival.waitMs }, "the lease of an earlier instance has not run out: waiting for it");
  const until = clock.monotonic() + rival.waitMs + LEASE_GRACE_MS;
  while (clock.monotonic() < until) {
    await pause(clock, Math.min(rival.waitMs + PAST_MS, LOOK_MS), signal);
    [rival] = await placement.rivals();
    if (rival === undefined) return;
  }
  throw new DatabaseInUse(`The database is in use by the instance at ${rival.address}. Stop it first.`);
}

function pause(clock: RivalWait["clock"], delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      cancel();
      reject(signal.reason as Error);
    };
    const cancel = clock.after(delayMs, () => {
      signal.removeEventListener("abort", leave);
      resolve();
    });
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
  });
}
