/**
 * The job slot of a run (JOB-10). A run that only waits, for other jobs or for its provider, releases its slot and
 * takes one again before it continues. So jobs that wait for jobs cannot deadlock on slots.
 *
 * - JS-1: a run holds one slot at most, however many of its parts take one at the same time.
 * - JS-2: after the run's end it holds none, and what still waits for one gets none.
 */
import type { Pass } from "../../fair-slots.ts";
import type { SlotRequest, Slots } from "./slots.ts";

export class JobSlot implements Disposable {
  private readonly slots: Slots;
  private readonly request: SlotRequest;
  private held: Pass | null;
  private isOver = false;

  /** `held` is the slot that the run already has, if any. */
  constructor(slots: Slots, request: SlotRequest, held: Pass | null = null) {
    this.slots = slots;
    this.request = request;
    this.held = held;
  }

  /**
   * Resolves to true once the run has a slot, at once if it holds one; to false if the signal aborts first, or the run
   * is over.
   */
  async take(signal: AbortSignal): Promise<boolean> {
    if (this.held !== null || this.isOver) return this.held !== null;
    const pass = await this.slots.acquire(this.request, signal);
    // Meanwhile the run may have ended, or another part of it may have taken a slot.
    if (this.isOver || this.held !== null) pass?.end();
    else this.held = pass;
    return this.held !== null;
  }

  /** Takes a slot if one is free at once; whether the run holds one. */
  takeNow(): boolean {
    if (this.held === null && !this.isOver) this.held = this.slots.acquireNow(this.request);
    return this.held !== null;
  }

  /** Idempotent. */
  release(): void {
    this.held?.end();
    this.held = null;
  }

  /** The run is over. */
  [Symbol.dispose](): void {
    this.isOver = true;
    this.release();
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
