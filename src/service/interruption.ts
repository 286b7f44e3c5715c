/** A start that was called off: somebody wanted the end before it was through. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

/** `work`, or the signal's reason as soon as it is aborted; the work is then left to itself. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason as Error);
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
}
