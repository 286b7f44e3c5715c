/**
 * A value that is available at once, or a promise of it. Most requests are answered from memory, and a promise for each
 * step would cost more than the step.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Runs the next step: now if the value is available, else when it arrives. */
export const whenReady = <T, U>(value: MaybePromise<T>, step: (value: T) => MaybePromise<U>): MaybePromise<U> =>
  value instanceof Promise ? value.then(step) : step(value);
