/** One timer for everything that one request does, joined with the caller's own signal. */

/** Longer than any request; the longest time of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export class Deadline {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #callers: AbortSignal | undefined;
  readonly #onAbort = (): void => this.end("aborted");
  #reason: "timeout" | "aborted" | null = null;
  #onOver: (() => void) | null = null;

  constructor(timeoutMs: number, callers?: AbortSignal) {
    this.#timer = setTimeout(() => this.end("timeout"), Math.min(timeoutMs, MAX_TIMER_MS));
    this.#callers = callers;
    if (callers?.aborted) this.end("aborted");
    else callers?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Aborts a request in flight: closes its connection. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the request is over; null while it is not. */
  get reason(): "timeout" | "aborted" | null {
    return this.#reason;
  }

  /** Ends the request now; the first reason counts. */
  end(reason: "timeout" | "aborted"): void {
    this.#reason ??= reason;
    this.release();
    this.#controller.abort();
    this.#onOver?.();
  }

  /** The request is over: removes the timer and the listener without aborting anything. */
  release(): void {
    clearTimeout(this.#timer);
    this.#callers?.removeEventListener("abort", this.#onAbort);
  }

  /** The promise's value, or null once the deadline has ended. For work that takes no signal; one at a time. */
  race<T>(promise: Promise<T>): Promise<T | null> {
    if (this.#reason !== null) return Promise.resolve(null);
    return new Promise((resolve, reject) => {
      this.#onOver = () => resolve(null);
      promise.then(resolve, reject);
    });
  }
}
