/** A clock that stands still until a test moves it; the `Timers` of `src/runner`. */
import type { Timers } from "../../src/runner/watchdog.ts";

export interface FakeTimers extends Timers {
  /** Moves the clock and runs what is due on the way, in order. */
  advance(ms: number): void;
  /** Timers that are armed now. */
  pending(): number;
}

export function fakeTimers(): FakeTimers {
  let now = 0;
  let armed: { readonly at: number; readonly run: () => void }[] = [];
  return {
    now: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run };
      armed.push(timer);
      return () => {
        armed = armed.filter((other) => other !== timer);
      };
    },
    advance(ms) {
      const end = now + ms;
      for (;;) {
        const next = armed.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        armed = armed.filter((other) => other !== next);
        now = next.at;
        next.run();
      }
      now = end;
    },
    pending: () => armed.length,
  };
}
