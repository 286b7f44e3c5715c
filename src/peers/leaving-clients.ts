/**
 * Aborts calls whose clients have left. Most answers arrive within a moment, and listening to a request's abort signal
 * costs more than checking it once, so only calls that have waited for a moment get a listener.
 */
import type { Clock } from "../../actors/runtime/ports.ts";
import type { Abortable } from "./peer-client.ts";

/** Between two checks of waiting calls. */
const MOMENT_MS = 20;

/** A request that waits for its answer. */
export interface Staying {
  readonly request: Pick<Request, "signal">;
  keepOpen(seconds: number): void;
}

interface WaitingClient {
  readonly staying: Staying;
  readonly call: Abortable;
  /** Removes the listener; null before there is one. */
  stop: (() => void) | null;
}

export class LeavingClients {
  private readonly clock: Pick<Clock, "after">;
  /** Calls without a listener yet. */
  private readonly fresh = new Set<WaitingClient>();
  private willLook = false;

  constructor(clock: Pick<Clock, "after">) {
    this.clock = clock;
  }

  /**
   * Aborts the call soon after the client leaves; the returned function, called at the answer, ends the watch. A call
   * that waits for longer than a moment is under the owner's time limits.
   */
  watch(staying: Staying, call: Abortable): () => void {
    const waiting: WaitingClient = { staying, call, stop: null };
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
