/**
 * Notices a stream that has gone silent. Each call has one timer: activity only notes the time, and when the timer
 * fires early, it is set again for the rest. (A new timer for each piece of text, or an `AbortSignal.timeout`, would
 * cost more than the piece.)
 */

/** The clock and the timer; tests pass their own. Milliseconds. */
export interface Timers {
  now(): number;
  /** Runs `run` once after `ms`; the returned function cancels it. */
  after(ms: number, run: () => void): () => void;
}

export const realTimers: Timers = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** Calls `onSilence` once, as soon as `limitMs` have passed without a `touch`. */
export class Watchdog {
  readonly #timers: Timers;
  #limitMs: number;
  readonly #onSilence: () => void;
  #lastActivity: number;
  #cancel: () => void;

  constructor(timers: Timers, limitMs: number, onSilence: () => void) {
    this.#timers = timers;
    this.#limitMs = limitMs;
    this.#onSilence = onSilence;
    this.#lastActivity = timers.now();
    this.#cancel = timers.after(limitMs, () => this.#fire());
  }

  touch(): void {
    this.#lastActivity = this.#timers.now();
  }

  /** From now on the limit is this one, if it is shorter. */
  shorten(limitMs: number): void {
    if (limitMs >= this.#limitMs) return;
    this.#limitMs = limitMs;
    this.#cancel();
    this.#cancel = this.#timers.after(limitMs, () => this.#fire());
  }

  stop(): void {
    this.#cancel();
  }

  #fire(): void {
    const leftMs = this.#lastActivity + this.#limitMs - this.#timers.now();
    if (leftMs <= 0) this.#onSilence();
    else this.#cancel = this.#timers.after(leftMs, () => this.#fire());
  }
}
