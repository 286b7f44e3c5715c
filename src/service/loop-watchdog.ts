/**
 * Ends a process whose event loop no longer turns because of an endless loop, a regular expression, or a blocking read.
 * A timer of the loop cannot notice that, so a separate thread does (`loop-watchdog-thread.ts`): the loop writes
 * heartbeats to shared memory, and the thread checks them. While the loop hangs, signals are not handled; only the
 * watchdog ends the process.
 *
 * The runtime has a few threads for files; they write the log and load modules. If they stand still, the loop turns but
 * the log is mute, so they have a heartbeat too.
 */
import { stat } from "node:fs";
import { Beat, BEATS_OF_LIMIT, type WatchdogOrder } from "./loop-watchdog-thread.ts";

/**
 * Starts the watchdog, which runs until the process ends; 0 seconds: none. `note` is the memory of a `LoopNote`; null
 * if the loop does no work for organizations.
 */
export function watchLoop(limitSeconds: number, note: Uint8Array<SharedArrayBuffer> | null = null): void {
  if (limitSeconds === 0) return;
  const limitMs = limitSeconds * 1_000;
  const beats = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  let isAsked = false;
  const beat = setInterval(
    () => {
      Atomics.add(beats, Beat.loop, 1);
      if (isAsked) return;
      isAsked = true;
      stat("/", () => {
        isAsked = false;
        Atomics.add(beats, Beat.files, 1);
      });
    },
    limitMs / BEATS_OF_LIMIT / 2,
  );
  const thread = new Worker(new URL("loop-watchdog-thread.ts", import.meta.url));
  thread.postMessage({ beats, note, limitMs, pid: process.pid } satisfies WatchdogOrder);
  // Neither of the two keeps an otherwise finished process alive.
  beat.unref();
  thread.unref();
}
