/**
 * Ends the service in good order before the system would end it without one: a process that takes all memory of its
 * machine or container is killed in the middle of everything, and takes its PostgreSQL with it.
 *
 *   below ──over──▶ over, collected ──still over twice──▶ drain, exit
 *     ▲                  │ below again
 *     └──────────────────┘
 */
import type { Clock } from "../../actors/runtime/clock.ts";
import type { Logger } from "../log/log.ts";

/** Between two looks. */
export const MEMORY_LOOK_MS = 2_000;
/** Looks in a row that find too much: one alone may be a peak that is over already. */
const LOOKS = 3;
const MIB = 1_048_576;

export interface MemoryWatchParts {
  /** 0: nothing is watched. */
  readonly limitMib: number;
  readonly clock: Pick<Clock, "after">;
  readonly log: Pick<Logger, "warn" | "info">;
  /** Called once, when it must end. */
  readonly onFull: (reason: string) => void;
  /** Bytes of memory that the process has; for tests. */
  readonly usedBytes?: () => number;
  /** Gives back what is not used; for tests. */
  readonly collect?: () => void;
}

/** Begins to watch; answers what ends it. */
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
