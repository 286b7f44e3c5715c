/**
 * Drains and ends the service before the system kills it: a process that uses up the memory of its machine or container
 * is killed abruptly, along with its PostgreSQL.
 *
 *   below ──over──▶ over, collected ──still over twice──▶ drain, exit
 *     ▲                  │ below again
 *     └──────────────────┘
 */
import type { Clock } from "../../actors/runtime/ports.ts";
import type { Logger } from "../log/log.ts";
import { MIB } from "../../actors/units.ts";

/** Between two checks. */
export const MEMORY_LOOK_MS = 2_000;
/** Consecutive checks over the limit: a single one may be a short peak. */
const LOOKS = 3;

export interface MemoryWatchParts {
  /** 0: no watching. */
  readonly limitMib: number;
  readonly clock: Pick<Clock, "after">;
  readonly log: Pick<Logger, "warn" | "info">;
  /** Called once, when the service must end. */
  readonly onFull: (reason: string) => void;
  /** Measures the memory of the process in bytes; for tests. */
  readonly usedBytes?: () => number;
  /** Collects garbage; for tests. */
  readonly collect?: () => void;
}

/** Starts watching; answers a function that stops it. */
export function watchMemory(parts: MemoryWatchParts): () => void {
  const { limitMib, clock, log, onFull } = parts;
  const { usedBytes = () => process.memoryUsage.rss(), collect = () => Bun.gc(true) } = parts;
  if (limitMib === 0) return () => {};
  let over = 0;
  let cancel = (): void => {};
  const look = (): void => {
    const usedMib = Math.ceil(usedBytes() / MIB);
    if (usedMib <= limitMib) {
      if (over > 0) log.info({ usedMib, limitMib }, "memory is below its limit again");
      over = 0;
    } else if (++over >= LOOKS) {
      return onFull(`the process has ${usedMib} MiB of memory, more than MEMORY_LIMIT_MIB (${limitMib})`);
    } else if (over === 1) {
      log.warn({ usedMib, limitMib }, "memory is over its limit: collecting garbage");
      collect();
    }
    next();
  };
  const next = (): void => {
    cancel = clock.after(MEMORY_LOOK_MS, look);
  };
  next();
  return () => cancel();
}
