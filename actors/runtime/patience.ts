/**
 * Patient groups: nobody waits for their commit, so they make no batch. They go with the next one that there is, after
 * `PATIENCE_MS` at the latest, or as soon as somebody does wait (`TurnGroup.follow`).
 */
import type { Clock } from "./clock.ts";
import type { FlushQueue } from "./flush-queue.ts";

/**
 * What nobody waits for is stored after this at the latest. Long enough that most of it goes with the next commit of
 * a run or of a caller, and short beside the time that a hand-over has.
 */
export const PATIENCE_MS = 50;

export class Patience {
  private readonly queue: Pick<FlushQueue, "length" | "patient">;
  private readonly clock: Pick<Clock, "after"> | null;
  private readonly begin: () => void;
  /** Patient groups that are in the queue make a batch too. */
  private isOver = false;
  private isTimed = false;

  /** `begin` takes a batch of what is urgent. Without a clock no group is patient. */
  constructor(queue: Pick<FlushQueue, "length" | "patient">, clock: Pick<Clock, "after"> | null, begin: () => void) {
    this.queue = queue;
    this.clock = clock;
    this.begin = begin;
  }

  /** Whether somebody waits for a group of the queue. */
  get isUrgent(): boolean {
    const { length, patient } = this.queue;
    return length > (this.isOver || this.clock === null ? 0 : patient);
  }

  /** Takes a batch of the queue, or waits a while for one; one timer does for all that come meanwhile. */
  go(): void {
    if (this.isUrgent) return this.begin();
    if (this.isTimed || this.queue.length === 0) return;
    this.isTimed = true;
    this.clock?.after(PATIENCE_MS, () => {
      this.isTimed = false;
      this.hurry();
    });
  }

  /** Somebody waits for a patient group that may be in the queue. */
  readonly hurry = (): void => {
    if (this.queue.patient === 0 || this.isOver) return;
    this.isOver = true;
    this.begin();
  };

  /** A batch has been taken. */
  taken(): void {
    if (this.queue.patient === 0) this.isOver = false;
  }
}
