/**
 * Loaded before a program (`--preload`): its wall clock is ahead of the machine's by the milliseconds in the file that
 * TROUPE_TEST_CLOCK names, and steps when the file changes. Timers and the monotonic clock go on as they do.
 */
import { readFileSync, watchFile } from "node:fs";

const path = process.env["TROUPE_TEST_CLOCK"] ?? "";
const Machine = Date;
let aheadMs = 0;

const look = (): void => {
  try {
    aheadMs = Number(readFileSync(path, "utf8"));
  } catch {
    aheadMs = 0;
  }
};

class SteppedDate extends Machine {
  constructor(...given: readonly unknown[]) {
    super(...((given.length === 0 ? [SteppedDate.now()] : given) as [number]));
  }

  static override now(): number {
    return Machine.now() + aheadMs;
  }
}

look();
watchFile(path, { interval: 100, persistent: false }, look);
globalThis.Date = SteppedDate as DateConstructor;
