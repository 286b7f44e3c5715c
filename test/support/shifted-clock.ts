/** A clock that runs, and whose wall time a test moves: leases and timers go on as they do. */
import type { Clock } from "../../actors/runtime/clock.ts";
import { systemClock } from "../../src/wiring/clock.ts";

export class ShiftedClock implements Clock {
  private shiftMs = 0;
  private heldAt: number | null = null;
  now = (): number => (this.heldAt ?? systemClock.now()) + this.shiftMs;
  monotonic = (): number => systemClock.monotonic();
  after = (delayMs: number, run: () => void): (() => void) => systemClock.after(delayMs, run);

  /** From now on only `shift` moves the wall time. */
  hold(): void {
    this.heldAt = systemClock.now();
  }

  shift(ms: number): void {
    this.shiftMs += ms;
  }
}
