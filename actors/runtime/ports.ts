/**
 * The ports for time, chance and the log. A test or the simulation controls time and chance. `now` is the wall clock (ms since the
 * epoch) and only names times; `monotonic` (ms, any origin) only measures durations.
 */
import type { RandomText } from "../ids.ts";

/**
 * The largest difference between the wall clocks of replicas and of the database, in ms. A stored time that is further
 * in the future was written by a wrong clock.
 */
export const CLOCK_SKEW_MS = 600_000;

export interface Clock {
  now(): number;
  monotonic(): number;
  /** Runs `run` once after `delayMs`; the returned function cancels it. Does not keep the process alive. */
  after(delayMs: number, run: () => void): () => void;
}

export interface Chance {
  readonly text: RandomText;
  /** In [0, 1). */
  fraction(): number;
}

/** The operator's log. Levels as in the log. */
export interface RuntimeLog {
  debug(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
