/**
 * One limiter for each provider (and key), shared by all jobs of the process. If a provider refuses a call by its rate
 * limit (429), all calls to it slow down, not only that one:
 *
 *   refused ─▶ pause for all; the window of calls in flight is halved
 *   success ─▶ the window grows by one, until it is fully open
 *
 * So the calls resume one by one instead of all at once. Calls wait in the order in which they arrived.
 */
import type { Clock } from "../../runtime/clock.ts";

/** A window of this many calls limits nothing any more. */
export const OPEN_WINDOW = 128;
/** The pause after a refusal that names none, in ms. */
export const REFUSED_PAUSE_MS = 1_000;

/** How a call ended, for the limiter. `pauseMs`: the provider accepts no call for this long. */
export type CallEnd =
  | { readonly kind: "limited"; readonly pauseMs: number | null }
  | { readonly kind: "answered"; readonly pauseMs: number | null }
  /** Failed for another reason, or was not made. */
  | { readonly kind: "other" };

/** Permission for one call. `end` must be called once, whatever the outcome. */
export interface Pass {
  readonly end: (how: CallEnd) => void;
}

export class ProviderLimits {
  private readonly clock: Clock;
  private readonly limiters = new Map<string, Limiter>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  of(provider: string): Limiter {
    const known = this.limiters.get(provider) ?? new Limiter(this.clock);
    this.limiters.set(provider, known);
    return known;
  }
}

export class Limiter {
  private readonly clock: Clock;
  private readonly waiting: (() => void)[] = [];
  private window = Infinity;
  private inFlight = 0;
  /** Monotonic time until which no call is made. */
  private pausedUntil = 0;
  private cancelTimer: (() => void) | null = null;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Ms until the pause is over; 0 without a pause. */
  get pauseMs(): number {
    return Math.max(0, this.pausedUntil - this.clock.monotonic());
  }

  /** Resolves with a pass, or with null if the signal aborts first. Resolves at once if nothing limits. */
  enter(signal: AbortSignal): Promise<Pass | null> {
    if (signal.aborted) return Promise.resolve(null);
    if (this.waiting.length === 0 && this.isOpen) return Promise.resolve(this.pass());
    return new Promise((resolve) => {
      const leave = (): void => {
        this.waiting.splice(this.waiting.indexOf(grant), 1);
        resolve(null);
      };
      const grant = (): void => {
        signal.removeEventListener("abort", leave);
        resolve(this.pass());
      };
      signal.addEventListener("abort", leave, { once: true });
      this.waiting.push(grant);
      this.wake();
    });
  }

  private get isOpen(): boolean {
    return this.inFlight < this.window && this.pauseMs === 0;
  }

  private pass(): Pass {
    this.inFlight++;
    let isOver = false;
    return {
      end: (how) => {
        if (isOver) return;
        isOver = true;
        this.end(how);
      },
    };
  }

  private end(how: CallEnd): void {
    if (how.kind === "limited") {
      this.window = Math.max(1, Math.floor(Math.min(this.window, this.inFlight) / 2));
      this.pause(how.pauseMs ?? REFUSED_PAUSE_MS);
    } else if (how.kind === "answered") {
      this.window = this.window + 1 >= OPEN_WINDOW ? Infinity : this.window + 1;
      if (how.pauseMs !== null) this.pause(how.pauseMs);
    }
    this.inFlight--;
    this.wake();
  }

  private pause(ms: number): void {
    this.pausedUntil = Math.max(this.pausedUntil, this.clock.monotonic() + ms);
  }

  /** Lets through the calls that may go now; during a pause, a timer does so at its end. */
  private wake(): void {
    while (this.waiting.length > 0 && this.isOpen) this.waiting.shift()?.();
    this.cancelTimer?.();
    this.cancelTimer = null;
    if (this.waiting.length > 0 && this.pauseMs > 0) {
      this.cancelTimer = this.clock.after(this.pauseMs, () => this.wake());
    }
  }
}
