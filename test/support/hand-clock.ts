import type { Clock } from "../../actors/runtime/ports.ts";

/** A clock whose timers run when the test says so. */
export class HandClock implements Clock {
  at = 0;
  private timers = new Set<{ due: number; run: () => void }>();
  now = () => this.at;
  monotonic = () => this.at;
  after = (delayMs: number, run: () => void) => {
    const timer = { due: this.at + delayMs, run };
    this.timers.add(timer);
    return () => void this.timers.delete(timer);
  };
  advance(ms: number): void {
    this.at += ms;
    for (const timer of [...this.timers].filter((t) => t.due <= this.at)) {
      this.timers.delete(timer);
      timer.run();
    }
  }
}
