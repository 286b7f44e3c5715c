/**
 * Watches the free space of the file system that the embedded database is on. Below the reserve the runtime stores
 * nothing new (`storage_full`), and reads continue: PostgreSQL would crash on a full disk.
 *
 *   room ──free < reserve──▶ full ──free ≥ reserve + an eighth──▶ room
 */
import { statfs } from "node:fs/promises";
import type { Clock } from "../../actors/runtime/ports.ts";
import type { Logger } from "../log/log.ts";
import { MIB } from "../../actors/units.ts";

/** Between two checks: a fast disk writes some hundred MiB in this time, so a reserve should not be much smaller. */
export const DISK_LOOK_MS = 1_000;

export interface DiskWatchParts {
  /** A folder of the file system. */
  readonly path: string;
  /** 0: no watching. */
  readonly reserveMib: number;
  readonly clock: Pick<Clock, "after">;
  readonly log: Pick<Logger, "warn" | "info">;
  /** Measures the free bytes there; for tests. */
  readonly freeBytes?: (path: string) => Promise<number>;
}

export interface DiskWatch {
  hasRoom(): boolean;
  stop(): void;
}

/** Resolves after the first check. */
export async function watchDisk(parts: DiskWatchParts): Promise<DiskWatch> {
  const { path, reserveMib, clock, log, freeBytes = freeBytesOf } = parts;
  if (reserveMib === 0) return { hasRoom: () => true, stop: () => {} };
  const reserve = reserveMib * MIB;
  let isFull = false;
  let isStopped = false;
  let cancel = (): void => {};
  const look = async (): Promise<void> => {
    const free = await freeBytes(path);
    const wasFull = isFull;
    // The extra eighth is hysteresis: without it the state could flip with each commit.
    isFull = free < (wasFull ? reserve + reserve / 8 : reserve);
    const freeMib = Math.floor(free / MIB);
    if (isFull && !wasFull) log.warn({ path, freeMib, reserveMib }, "the disk is nearly full: writes are refused");
    if (wasFull && !isFull) log.info({ path, freeMib, reserveMib }, "the disk has room again: writes are accepted");
  };
  const next = (): void => {
    if (isStopped) return;
    cancel = clock.after(DISK_LOOK_MS, () => {
      look()
        .catch((err: unknown) => log.warn({ err, path }, "the free space of the disk could not be read"))
        .finally(next);
    });
  };
  await look();
  next();
  return {
    hasRoom: () => !isFull,
    stop() {
      isStopped = true;
      cancel();
    },
  };
}

/** What an unprivileged process may still use; the file system's reserve for root counts as used. */
export async function freeBytesOf(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}
