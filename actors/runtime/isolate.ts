/**
 * Runs registered callbacks, so that a bug in one of them stops neither the others nor the caller. The bug is reported,
 * never swallowed.
 */

/** Reports a bug that was isolated. Must not throw. */
export type OnBug = (cause: unknown) => void;

/** The default report: an uncaught exception, which ends the process. */
export const uncaught: OnBug = (cause) =>
  queueMicrotask(() => {
    throw cause;
  });

/** Runs `run`; an exception in it goes to `onBug`. */
export function isolate(run: () => void, onBug: OnBug): void {
  try {
    run();
  } catch (cause) {
    onBug(cause);
  }
}
