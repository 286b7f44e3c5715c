/**
 * Runs what streams have to write at the end of this turn of the event loop, so
 * that all of it goes out in one write for each reader, and the work of the actors comes first. One that
 * throws stops no other; its exception is uncaught, as it would be without the queue.
 */
import { isolate, uncaught } from "../../../actors/runtime/isolate.ts";

let queue: (() => void)[] = [];

export function afterTick(run: () => void): void {
  queue.push(run);
  if (queue.length === 1) setImmediate(runAll);
}

function runAll(): void {
  const due = queue;
  queue = [];
  for (const run of due) isolate(run, uncaught);
}
