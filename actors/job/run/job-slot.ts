/**
 * The job slot of a run (JOB-10). A run that only waits, for other jobs or for its provider, releases its slot and
 * takes one again before it continues. So jobs that wait for jobs cannot deadlock on slots.
 */
import type { SlotRequest, Slots } from "./slots.ts";

export class JobSlot {
  private readonly slots: Slots;
  private readonly request: SlotRequest;
  private held: (() => void) | null = null;

  /** `held` releases the slot that the run already has, if any. */
  constructor(slots: Slots, request: SlotRequest, held: (() => void) | null = null) {
    this.slots = slots;
    this.request = request;
    this.held = held;
  }

  /** Resolves to true once the run has a slot, at once if it holds one; to false if the signal aborts first. */
  async take(signal: AbortSignal): Promise<boolean> {
    this.held ??= await this.slots.acquire(this.request, signal);
    return this.held !== null;
  }

  /** Idempotent. */
  release(): void {
    this.held?.();
    this.held = null;
  }
}

/** One call: after `waits` it only waits for other jobs; after `ends` it is done. */
export interface CallUnderWay {
  readonly waits: () => void;
  readonly ends: () => void;
}

/** The calls of one step. When none of them works and some wait, the slot is released. */
export class CallsUnderWay {
  private readonly slot: JobSlot;
  private working: number;
  private waiting = 0;

  constructor(slot: JobSlot, calls: number) {
    this.slot = slot;
    this.working = calls;
  }

  call(): CallUnderWay {
    let state: "works" | "waits" | "done" = "works";
    const becomes = (next: "waits" | "done") => (): void => {
      if (state === "done" || state === next) return;
      if (state === "works") this.working--;
      else this.waiting--;
      if (next === "waits") this.waiting++;
      state = next;
      if (this.working === 0 && this.waiting > 0) this.slot.release();
    };
    return { waits: becomes("waits"), ends: becomes("done") };
  }
}
