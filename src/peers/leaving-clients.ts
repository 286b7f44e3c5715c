/**
 * Ends what clients wait for when they leave. Most answers are there in a moment, and to listen to the signal of a
 * request costs more than a look at it: only a call that has waited for a moment is listened for.
 */
import type { Clock } from "../../actors/runtime/clock.ts";
import type { Abortable } from "./peer-client.ts";

/** Between two looks at what waits. */
const MOMENT_MS = 20;

/** A request that waits for its answer. */
export interface Staying {
  readonly request: Pick<Request, "signal">;
  keepOpen(seconds: number): void;
}

interface Waiting {
  readonly staying: Staying;
  readonly call: Abortable;
  /** Ends the listening; null before. */
  stop: (() => void) | null;
}

export class LeavingClients {
  private readonly clock: Pick<Clock, "after">;
  /** What is not listened for yet. */
  private readonly fresh = new Set<Waiting>();
  private willLook = false;

  constructor(clock: Pick<Clock, "after">) {
    this.clock = clock;
  }

  /**
   * Breaks the call off soon after the client has left, if the answer has not ended that before. What waits for longer
   * than a moment is under the owner's time limits.
   */
  watch(staying: Staying, call: Abortable): () => void {
    const waiting: Waiting = { staying, call, stop: null };
    this.fresh.add(waiting);
    if (!this.willLook) this.clock.after(MOMENT_MS, () => this.listen());
    this.willLook = true;
    return () => {
      this.fresh.delete(waiting);
      waiting.stop?.();
    };
  }

  private listen(): void {
    this.willLook = false;
    const due = [...this.fresh];
    this.fresh.clear();
    for (const waiting of due) {
      const { signal } = waiting.staying.request;
      waiting.staying.keepOpen(0);
      const leave = (): void => waiting.call.abort();
      waiting.stop = () => signal.removeEventListener("abort", leave);
      if (signal.aborted) leave();
      else signal.addEventListener("abort", leave, { once: true });
    }
  }
}
