/**
 * Runs the writes of streams at the end of this turn of the event loop, so that each reader gets them in one write,
 * and the actors' work comes first. An exception stops no other write; it becomes uncaught, as it would be without
 * the queue.
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
