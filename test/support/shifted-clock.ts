/** A clock that runs, and whose wall time a test moves: timers go on as they do, and leases are renewed. */
import type { Clock } from "../../actors/runtime/clock.ts";
import { until } from "./condition.ts";
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

  /** Of what runs by this clock: a lease that the shift has ended is renewed at once. */
  isServing = (): boolean => true;

  /** Resolves when what runs by this clock serves again. */
  async shift(ms: number): Promise<void> {
    this.shiftMs += ms;
    await until("the lease is renewed", () => this.isServing());
  }
}
