/**
 * The real clock in a hurry: timers come sooner, and time that is measured passes faster, by the same
 * factor. A replica with it renews sooner and stops serving sooner than it must, which is the safe
 * side, so that a fault that costs seconds in production costs a fraction of one in a test.
 */
import type { Clock } from "../../actors/runtime/ports.ts";
import { systemClock } from "../../src/wiring/clock.ts";

export const hurriedClock = (factor: number): Clock => ({
  now: () => systemClock.now(),
  monotonic: () => systemClock.monotonic() * factor,
  after: (delayMs, run) => systemClock.after(delayMs / factor, run),
});
