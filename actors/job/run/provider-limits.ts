/**
 * One limiter for each provider (and key), shared by all jobs of the process. If a provider refuses a call by its rate
 * limit (429), all calls to it slow down, not only that one:
 *
 *   refused ─▶ pause for all; the window of calls in flight is halved
 *   success ─▶ the window grows by one, until it is fully open: unlimited, or the operator's limit for the provider
 *
 * So the calls resume one by one instead of all at once. Of the calls that wait, organizations take turns, and those of
 * one organization go in the order in which they arrived.
 *
 * - PL-1: when no call runs, no pass is held. Otherwise a window of one would stay shut for good.
 * - PL-2: a limiter that limits nothing, or was idle for `FORGET_MS`, is forgotten: there is one for each organization
 *   with a key of its own.
 */
import { assert } from "../../assert.ts";
import { Rounds } from "../../rounds.ts";
import type { Clock } from "../../runtime/ports.ts";

/** A window of this many calls limits nothing any more. */
export const OPEN_WINDOW = 128;
/** The pause after a refusal without one, in ms. */
export const REFUSED_PAUSE_MS = 1_000;
/** A window is forgotten when no call was made for this long: rate limits of providers count minutes. */
export const FORGET_MS = 600_000;

/** How a call ended, for the limiter. `pauseMs`: the provider accepts no call for this long. */
export type CallEnd =
  | { readonly kind: "limited"; readonly pauseMs: number | null }
  | { readonly kind: "answered"; readonly pauseMs: number | null }
  /** Failed for another reason, or was not made. */
  | { readonly kind: "other" };

/** Permission for one call, held with `using`: a call that does not say how it ended was not made. */
export interface CallPass extends Disposable {
  /** Idempotent: the first end counts. */
  readonly end: (how: CallEnd) => void;
}

export class ProviderLimits {
  private readonly clock: Clock;
  private readonly limiters = new Map<string, Limiter>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /**
   * The limiter of a provider (and key), which never lets through more than `most` calls at once. Enter it at once: an
   * idle one is forgotten.
   */
  of(provider: string, most = Infinity): Limiter {
    const known = this.limiters.get(provider);
    if (known !== undefined) return known;
    const limiter = new Limiter(this.clock, () => this.limiters.delete(provider), most);
    this.limiters.set(provider, limiter);
    return limiter;
  }

  /** Limiters in memory. */
  get size(): number {
    return this.limiters.size;
  }

  /** Calls that hold a pass, of all providers. */
  get callsInFlight(): number {
    return [...this.limiters.values()].reduce((sum, { callsInFlight }) => sum + callsInFlight, 0);
  }
}

export class Limiter {
  private readonly clock: Clock;
  private readonly waiting = new Rounds<() => void>();
  private window: number;
  private inFlight = 0;
  /** Monotonic time until which no call is made. */
  private pausedUntil = 0;
  /** The timer of a pause for which calls wait, or of `FORGET_MS` for which there are none. */
  private cancelTimer: (() => void) | null = null;
  private readonly forget: () => void;
  /** The window when it is fully open. */
  private readonly most: number;

  /** `forget`: nothing is lost if the next call gets a new limiter. */
  constructor(clock: Clock, forget: () => void, most: number) {
    this.clock = clock;
    this.forget = forget;
    this.most = most;
    this.window = most;
  }

  /** Ms until the pause is over; 0 without a pause. */
  get pauseMs(): number {
    return Math.max(0, this.pausedUntil - this.clock.monotonic());
  }

  /** Calls that hold a pass. */
  get callsInFlight(): number {
    return this.inFlight;
  }

  /** Resolves with a pass, or with null if the signal aborts first. Resolves at once if nothing limits. */
  enter(signal: AbortSignal, organizationId: string): Promise<CallPass | null> {
    if (signal.aborted) return Promise.resolve(null);
    if (this.waiting.isEmpty && this.isOpen) return Promise.resolve(this.pass());
    return new Promise((resolve) => {
      const leave = (): void => {
        this.waiting.remove(organizationId, grant);
        this.rest();
        resolve(null);
      };
      const grant = (): void => {
        signal.removeEventListener("abort", leave);
        resolve(this.pass());
      };
      signal.addEventListener("abort", leave, { once: true });
      this.waiting.add(organizationId, grant);
      this.wake();
    });
  }

  private get isOpen(): boolean {
    return this.inFlight < this.window && this.pauseMs === 0;
  }

  private pass(): CallPass {
    this.inFlight++;
    if (this.waiting.isEmpty) this.stopTimer();
    let isOver = false;
    const end = (how: CallEnd): void => {
      if (isOver) return;
      isOver = true;
      this.end(how);
    };
    return { end, [Symbol.dispose]: () => end({ kind: "other" }) };
  }

  private end(how: CallEnd): void {
    if (how.kind === "limited") {
      this.window = Math.max(1, Math.floor(Math.min(this.window, this.inFlight) / 2));
      this.pause(how.pauseMs ?? REFUSED_PAUSE_MS);
    } else if (how.kind === "answered") {
      this.window = this.window + 1 >= OPEN_WINDOW ? this.most : Math.min(this.most, this.window + 1);
      if (how.pauseMs !== null) this.pause(how.pauseMs);
    }
    this.inFlight--;
    assert(this.inFlight >= 0, "each call that ends held a pass");
    this.wake();
    this.rest();
  }

  /** Without calls: forgets a limiter that limits nothing at once, and another one later. */
  private rest(): void {
    if (this.inFlight > 0 || !this.waiting.isEmpty) return;
    if (this.window === this.most && this.pauseMs === 0) return this.forget();
    this.stopTimer();
    this.cancelTimer = this.clock.after(this.pauseMs + FORGET_MS, this.forget);
  }

  private pause(ms: number): void {
    this.pausedUntil = Math.max(this.pausedUntil, this.clock.monotonic() + ms);
  }

  /** Lets through the calls that may go now; during a pause, a timer does so at its end. */
  private wake(): void {
    // Read once: if the pause ended between two looks, the calls would wait without a timer, for good.
    const { pauseMs } = this;
    for (const organizationId of this.waiting.organizations) {
      if (pauseMs > 0 || this.inFlight >= this.window) break;
      this.waiting.take(organizationId)();
    }
    this.stopTimer();
    if (!this.waiting.isEmpty && pauseMs > 0) this.cancelTimer = this.clock.after(pauseMs, () => this.wake());
  }

  private stopTimer(): void {
    this.cancelTimer?.();
    this.cancelTimer = null;
  }
}
