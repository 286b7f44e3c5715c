/** The real clock and real chance (ports: `actors/runtime/ports.ts`). */
import { randomText } from "../../actors/ids.ts";
import type { Chance, Clock } from "../../actors/runtime/ports.ts";

/** The longest delay of a timer; a longer wait is split. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, run) {
    if (delayMs > LONGEST_TIMER_MS) {
      let cancel = systemClock.after(LONGEST_TIMER_MS, () => {
        cancel = systemClock.after(delayMs - LONGEST_TIMER_MS, run);
      });
      return () => cancel();
    }
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

export const systemChance: Chance = { text: randomText, fraction: Math.random };
