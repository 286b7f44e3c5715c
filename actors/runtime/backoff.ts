/**
 * Pauses between retries: the first is short, and each next one twice as long, up to a bound. Jitter shortens each, so
 * that callers that failed together do not retry together. All pauses between retries in the service are made here.
 */
import { isPassing, type Outcome } from "../fault.ts";
import type { Chance, Clock } from "./ports.ts";

export interface BackoffParts {
  readonly clock: Pick<Clock, "after" | "monotonic">;
  readonly chance: Pick<Chance, "fraction">;
}

export interface BackoffBounds {
  readonly firstMs: number;
  readonly lastMs: number;
  /** The largest part of a pause that jitter can remove: from 0 to 1. */
  readonly jitter?: number;
}

const JITTER = 0.2;

/** The pause in ms after this many retries. Never shorter than the other side's `Retry-After`. */
export function pauseMs(
  { firstMs, lastMs, jitter = JITTER }: BackoffBounds,
  retries: number,
  { fraction }: Pick<Chance, "fraction">,
  retryAfterMs = 0,
): number {
  const longest = Math.min(lastMs, firstMs * 2 ** retries);
  return Math.round(Math.max(longest * (1 - jitter + jitter * fraction()), retryAfterMs));
}

export class Backoff {
  private readonly parts: BackoffParts;
  private readonly bounds: BackoffBounds;
  private retries = 0;

  constructor(parts: BackoffParts, bounds: BackoffBounds) {
    this.parts = parts;
    this.bounds = bounds;
  }

  /** The next pause in ms. */
  next(retryAfterMs = 0): number {
    return pauseMs(this.bounds, this.retries++, this.parts.chance, retryAfterMs);
  }

  /** Starts again with the first pause. */
  reset(): void {
    this.retries = 0;
  }

  /** Waits for the next pause, or until the signal aborts. */
  pause(signal?: AbortSignal, retryAfterMs = 0): Promise<void> {
    if (signal?.aborted === true) return Promise.resolve();
    return sleep(this.next(retryAfterMs), this.parts.clock, signal);
  }
}

/** Resolves after the time, or as soon as the signal aborts. */
export function sleep(ms: number, clock: Pick<Clock, "after">, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const end = (): void => {
      cancel();
      resolve();
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener("abort", end);
      resolve();
    });
    signal?.addEventListener("abort", end, { once: true });
  });
}

/** The first decided outcome, for calls that may be repeated; null once the signal has aborted. */
export async function decidedUnlessAborted<T>(
  parts: BackoffParts,
  bounds: BackoffBounds,
  signal: AbortSignal,
  ask: () => Promise<Outcome<T>>,
): Promise<Outcome<T> | null> {
  const backoff = new Backoff(parts, bounds);
  while (!signal.aborted) {
    const outcome = await ask();
    if (outcome.ok || !isPassing(outcome.fault)) return outcome;
    await backoff.pause(signal);
  }
  return null;
}

export interface RetryPatience extends BackoffBounds {
  /** After this time the last refusal is the result. */
  readonly limitMs: number;
}

/**
 * The first decided outcome, for calls that may be repeated: retries after each passing refusal. Returns the last
 * refusal when `limitMs` have passed or the signal has aborted.
 */
export async function untilDecided<T>(
  parts: BackoffParts,
  { limitMs, ...bounds }: RetryPatience,
  signal: AbortSignal,
  ask: () => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const backoff = new Backoff(parts, bounds);
  const until = parts.clock.monotonic() + limitMs;
  for (;;) {
    const outcome = await ask();
    if (outcome.ok || !isPassing(outcome.fault) || signal.aborted || parts.clock.monotonic() >= until) return outcome;
    await backoff.pause(signal);
  }
}
