/**
 * Plans one run of a queue: at the next turn of the event loop, or by a timer if nothing in the queue may begin before.
 * An earlier plan wins.
 */
export interface TurnPlanning {
  /** Runs at the next turn of the loop. */
  readonly later: (run: () => void) => void;
  /** Runs after this many ms; the returned function cancels it. */
  readonly after: (delayMs: number, run: () => void) => () => void;
}

export class NextTurn {
  private readonly planning: TurnPlanning;
  private readonly run: () => void;
  private isNext = false;
  private cancelTimer: (() => void) | null = null;

  constructor(planning: TurnPlanning, run: () => void) {
    this.planning = planning;
    this.run = run;
  }

  /** Whether it runs at the next turn of the loop, so that nothing earlier can be planned. */
  get isSoon(): boolean {
    return this.isNext;
  }

  /**
   * `waitMs`: how long nothing in the queue may begin. Timers have whole milliseconds; less than one means the next
   * turn.
   */
  plan(waitMs: number): void {
    if (this.isNext) return;
    this.cancelTimer?.();
    this.cancelTimer = null;
    if (waitMs >= 1) {
      this.cancelTimer = this.planning.after(Math.ceil(waitMs), () => {
        this.cancelTimer = null;
        this.run();
      });
      return;
    }
    this.isNext = true;
    this.planning.later(() => {
      this.isNext = false;
      this.run();
    });
  }
}
