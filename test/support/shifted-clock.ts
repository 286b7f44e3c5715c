/** A clock that runs, and whose wall time a test moves: timers go on as they do, and leases are renewed. */
import type { Clock } from "../../actors/runtime/ports.ts";
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

  /** What runs by this clock: a lease that the shift has ended is renewed at once. */
  readonly systems = new Set<{ readonly isReady: boolean }>();

  /** Resolves when what runs by this clock serves again. */
  async shift(ms: number): Promise<void> {
    this.shiftMs += ms;
    await until("the lease is renewed", () => [...this.systems].every(({ isReady }) => isReady));
  }

  /** Moves the wall time to this much after the real one. */
  skip = (ms: number): Promise<void> => this.shift(ms - this.shiftMs);

  /** Moves the wall time to this one; it is held there. */
  set(ms: number): Promise<void> {
    this.hold();
    return this.shift(ms - this.now());
  }
}
