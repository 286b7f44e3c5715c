/**
 * The place that a run holds among the running jobs (JOB-10). A run whose calls all wait for other jobs
 * works for nobody: it gives its place back, so that the jobs that it waits for can have it, and takes
 * one again before it goes on. So jobs that wait for jobs never stand still for want of places.
 */
import type { Applicant, Slots } from "./slots.ts";

export class Place {
  private readonly slots: Slots;
  private readonly applicant: Applicant;
  private release: (() => void) | null = null;

  constructor(slots: Slots, applicant: Applicant) {
    this.slots = slots;
    this.applicant = applicant;
  }

  /** True once it has a place, at once where it holds one; false when the signal has aborted before. */
  async take(signal: AbortSignal): Promise<boolean> {
    this.release ??= await this.slots.acquire(this.applicant, signal);
    return this.release !== null;
  }

  /** Gives it back. Idempotent. */
  leave(): void {
    this.release?.();
    this.release = null;
  }
}

/** One call: `waits` says that from here on it only waits for other jobs, `ends` that it is over. */
export interface CallUnderWay {
  readonly waits: () => void;
  readonly ends: () => void;
}

/** The calls of one step: when none of them works and some wait, the place is left. */
export class CallsUnderWay {
  private readonly place: Place;
  private working: number;
  private waiting = 0;

  constructor(place: Place, calls: number) {
    this.place = place;
    this.working = calls;
  }

  /** One of them. */
  call(): CallUnderWay {
    let state: "works" | "waits" | "over" = "works";
    const becomes = (next: "waits" | "over") => (): void => {
      if (state === "over" || state === next) return;
      if (state === "works") this.working--;
      else this.waiting--;
      if (next === "waits") this.waiting++;
      state = next;
      if (this.working === 0 && this.waiting > 0) this.place.leave();
    };
    return { waits: becomes("waits"), ends: becomes("over") };
  }
}
