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
