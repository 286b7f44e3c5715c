import type { Clock } from "../../actors/runtime/ports.ts";

/** Runs again and again, each time after a pause of so many ms; returns what stops it. */
export function repeated(clock: Pick<Clock, "after">, ms: number, run: () => void): () => void {
  const again = (): void => {
    run();
    cancel = clock.after(ms, again);
  };
  let cancel = clock.after(ms, again);
  return () => cancel();
}
