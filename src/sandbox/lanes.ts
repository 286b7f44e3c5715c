/**
 * Decides which job is next in the sandbox. Each lane (an organization) runs its jobs in order, one or a few at a time,
 * and lanes take turns (`fair-slots.ts`). The waiting jobs of a lane are bounded.
 */
import { FairSlots, type Pass } from "../../actors/fair-slots.ts";

/** Limits of a lane's waiting jobs: their number, and bytes of their content. */
export const MAX_WAITING_JOBS = 1_024;
export const MAX_WAITING_BYTES = 128 * 1024 * 1024;

export class Lanes {
  private readonly slots: FairSlots;
  private readonly waiting = new Map<string, { jobs: number; bytes: number }>();

  /**
   * `places`, `ofLane`: jobs at a time, of all lanes and of one. `isOverShare`: whether a lane has used more than its
   * share of the event loop.
   */
  constructor(places: number, ofLane = 1, isOverShare: (name: string) => boolean = () => false) {
    this.slots = new FairSlots({ slots: places, each: ofLane }, { isOverShare });
  }

  /** Resolves with a place; `busy` if too much is waiting in the lane. */
  async enter(name: string, bytes: number, signal?: AbortSignal): Promise<Pass | "busy" | "aborted"> {
    if (signal?.aborted === true) return "aborted";
    const free = this.slots.tryEnter(name);
    if (free !== null) return free;
    const lane = this.waiting.get(name) ?? { jobs: 0, bytes: 0 };
    if (lane.jobs >= MAX_WAITING_JOBS || lane.bytes + bytes > MAX_WAITING_BYTES) return "busy";
    this.waiting.set(name, lane);
    lane.jobs++;
    lane.bytes += bytes;
    const pass = await this.slots.enter(name, signal === undefined ? {} : { signal });
    lane.jobs--;
    lane.bytes -= bytes;
    if (lane.jobs === 0) this.waiting.delete(name);
    return pass ?? "aborted";
  }
}
