/** Bounds how long a stopped tool can hold up its run. */
import type { Clock } from "../../runtime/ports.ts";

/** How long an aborted tool may take to end; after that its result is dropped. */
export const TOOL_GRACE_MS = 5_000;

/** The result of `work`; null if the signal aborts and the grace period passes first. */
export async function withinGrace<T>(work: Promise<T>, signal: AbortSignal, clock: Clock): Promise<T | null> {
  const over = Promise.withResolvers<null>();
  let cancel = (): void => {};
  const stop = (): void => {
    cancel = clock.after(TOOL_GRACE_MS, () => over.resolve(null));
  };
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work, over.promise]);
  } finally {
    signal.removeEventListener("abort", stop);
    cancel();
  }
}
