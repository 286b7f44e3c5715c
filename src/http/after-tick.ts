/**
 * Runs what streams have to write after everything of this turn of the event loop has been said, so
 * that all of it goes out in one write for each reader, and the work of the actors comes first.
 */
let queue: (() => void)[] = [];

export function afterTick(run: () => void): void {
  queue.push(run);
  if (queue.length === 1) setImmediate(runAll);
}

function runAll(): void {
  const due = queue;
  queue = [];
  for (const run of due) run();
}
