/**
 * Schedules slices of bulk work: one at a time for the whole process, and the event loop turns between them.
 * Organizations take slices in turn. A pause after each slice limits slices to a part of the loop's time; the owner of
 * the queue decides how large that part is.
 *
 *   begin ─ the pause is over, and it is the organization's turn ──▶ the slice ─ spent ──▶ pause ──▶ …
 */
import { assert } from "../../assert.ts";
import { Rounds } from "../../rounds.ts";
import type { Clock } from "../ports.ts";

interface PacedSlicesParts {
  readonly clock: Pick<Clock, "monotonic" | "after">;
  /** Runs at the next turn of the loop. */
  readonly later: (run: () => void) => void;
  /** The part of the loop's time that slices may have now, above 0 and at most 1. */
  readonly part: () => number;
  /** Work that has waited longer than this comes first, and pauses are shorter if many wait. Omitted: unbounded. */
  readonly mostWaitMs?: number;
}

interface WaitingPacedSlice {
  readonly organizationId: string;
  readonly since: number;
  readonly resolve: () => void;
}

export class PacedSlices {
  private readonly parts: PacedSlicesParts;
  private readonly mostWaitMs: number;
  private readonly rounds = new Rounds<WaitingPacedSlice>();
  /** All waiting work, the longest wait first. */
  private readonly waiting = new Set<WaitingPacedSlice>();
  /** A slice is planned or in progress. */
  private isTaken = false;
  /** When the next slice may begin. */
  private dueAt = 0;

  constructor(parts: PacedSlicesParts) {
    this.parts = parts;
    this.mostWaitMs = parts.mostWaitMs ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Resolves when a slice of the organization begins; no other begins before `spent` is called. `isNext`: goes before
   * the organization's other waiting work.
   */
  begin(organizationId: string, isNext = false): Promise<void> {
    return new Promise((resolve) => {
      const one: WaitingPacedSlice = { organizationId, since: this.parts.clock.monotonic(), resolve };
      this.waiting.add(one);
      this.rounds.add(organizationId, one, () => isNext);
      this.plan();
    });
  }

  /** Ends the slice, which has cost this much. */
  spent(ms: number): void {
    this.pause(ms);
    this.isTaken = false;
    // At the next turn: by then the same piece has requested its next slice, and is planned with the others.
    this.parts.later(() => this.plan());
  }

  /** Delays the next slice because of work that has cost this much. */
  pause(ms: number): void {
    const most = this.mostWaitMs / Math.max(1, this.waiting.size);
    const pauseMs = Math.min(most, ms * (1 / this.parts.part() - 1));
    this.dueAt = Math.max(this.dueAt, this.parts.clock.monotonic()) + pauseMs;
  }

  private plan(): void {
    if (this.isTaken || this.waiting.size === 0) return;
    this.isTaken = true;
    const { clock, later } = this.parts;
    // Timers have whole milliseconds; the remainder is added to the next pause.
    const waitMs = Math.floor(this.dueAt - clock.monotonic());
    if (waitMs > 0) clock.after(waitMs, () => this.beginNext());
    else later(() => this.beginNext());
  }

  private beginNext(): void {
    const [oldest] = this.waiting;
    assert(oldest !== undefined, "a slice is planned for somebody who waits");
    const isLate = this.parts.clock.monotonic() - oldest.since >= this.mostWaitMs;
    const [next = oldest.organizationId] = this.rounds.organizations;
    const one = isLate ? this.rounds.take(oldest.organizationId, oldest) : this.rounds.take(next);
    this.waiting.delete(one);
    one.resolve();
  }
}
