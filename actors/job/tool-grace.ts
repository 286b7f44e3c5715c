/** A tool that is stopped ends soon, whether it listens or not. */
import type { Clock } from "../runtime/clock.ts";

/** Time that a tool has to end once it was told to stop; after it, it runs for nobody. */
export const TOOL_GRACE_MS = 5_000;

/** What `work` resolves with; null when it was told to stop and has not ended within the grace. */
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
