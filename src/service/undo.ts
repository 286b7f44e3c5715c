/** The undo steps of what has been started. */
export class Undo {
  private readonly steps: (() => Promise<void> | void)[] = [];

  /** `step` will run before those that were added earlier. */
  add(step: () => Promise<void> | void): void {
    this.steps.push(step);
  }

  /** Runs each step once, the last one first. All steps run even if one fails; its error is thrown at the end. */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (const step of this.steps.splice(0).reverse()) {
      try {
        await step();
      } catch (cause) {
        failures.push(cause);
      }
    }
    if (failures.length > 1) throw new AggregateError(failures, "several things could not be ended");
    if (failures.length === 1) throw failures[0];
  }
}

/** A stop that two steps of the shutdown share: the first of them performs it. */
export class StopOnce {
  private readonly run: () => Promise<void>;
  private stopped: Promise<void> | null = null;

  constructor(run: () => Promise<void>) {
    this.run = run;
  }

  stop(): Promise<void> {
    this.stopped ??= this.run();
    return this.stopped;
  }
}

/** The start was cancelled: the process was asked to end before it had started. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

/**
 * Resolves with `work`, or rejects with the signal's reason as soon as it aborts; the work then continues unobserved.
 */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason as Error);
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
}
