/**
 * A value that is there at once, or a promise of it. Most requests are answered from memory, and a
 * promise for each step on the way costs more than the step.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Goes on with a value: now when it is there, else when it comes. */
export const whenReady = <T, U>(value: MaybePromise<T>, step: (value: T) => MaybePromise<U>): MaybePromise<U> =>
  value instanceof Promise ? value.then(step) : step(value);
