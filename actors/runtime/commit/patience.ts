/**
 * Patient groups: no caller waits for their commit, so they cause no batch of their own. They go with the next batch,
 * after at most `PATIENCE_MS`, or as soon as a caller waits after all (`TurnGroup.follow`).
 */
import type { Clock } from "../ports.ts";
import type { FlushQueue } from "./flush-queue.ts";

/**
 * Patient groups are stored after this time at the latest. Long enough that most of them go with the next commit of a
 * run or of a caller, and short compared to the time for a hand-over.
 */
export const PATIENCE_MS = 50;

export class FlushPatience {
  private readonly queue: Pick<FlushQueue, "length" | "patient">;
  private readonly clock: Pick<Clock, "after">;
  private readonly begin: () => void;
  /** Patient groups in the queue now cause a batch too. */
  private isOver = false;
  private isTimed = false;

  /** `begin` takes an urgent batch. */
  constructor(queue: Pick<FlushQueue, "length" | "patient">, clock: Pick<Clock, "after">, begin: () => void) {
    this.queue = queue;
    this.clock = clock;
    this.begin = begin;
  }

  /** Whether the queue has a group for which somebody waits. */
  get isUrgent(): boolean {
    const { length, patient } = this.queue;
    return length > (this.isOver ? 0 : patient);
  }

  /** Begins a batch if the queue is urgent; otherwise sets a timer, which serves all groups that arrive meanwhile. */
  go(): void {
    if (this.isUrgent) return this.begin();
    if (this.isTimed || this.queue.length === 0) return;
    this.isTimed = true;
    this.clock.after(PATIENCE_MS, () => {
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
