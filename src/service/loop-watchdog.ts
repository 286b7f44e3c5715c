/**
 * Ends a process whose event loop no longer turns: an endless loop, a regular expression, a read that
 * blocks. No timer of the loop can see that, so a thread of its own does (`loop-watchdog-thread.ts`):
 * the loop beats in memory that both share, and the thread looks whether it has. A signal that comes
 * while the loop hangs is not handled; the watchdog's limit is what ends it then.
 */
import { BEATS_OF_LIMIT, type WatchdogOrder } from "./loop-watchdog-thread.ts";

/**
 * Begins to watch; 0 seconds: nothing. It goes on until the process ends. `note` is the memory of a `LoopNote`; null
 * where the loop does no work for organizations.
 */
export function watchLoop(limitSeconds: number, note: Uint8Array<SharedArrayBuffer> | null = null): void {
  if (limitSeconds === 0) return;
  const limitMs = limitSeconds * 1_000;
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const beat = setInterval(() => Atomics.add(beats, 0, 1), limitMs / BEATS_OF_LIMIT / 2);
  const thread = new Worker(new URL("loop-watchdog-thread.ts", import.meta.url));
  thread.postMessage({ beats, note, limitMs, pid: process.pid } satisfies WatchdogOrder);
  // Neither keeps a process alive that has nothing else to do.
  beat.unref();
  thread.unref();
}
