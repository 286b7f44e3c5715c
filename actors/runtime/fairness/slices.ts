/**
 * One queue for work of a kind that comes in small pieces. A piece begins if the current slice has room for it, and
 * otherwise waits until the loop has turned. So a hundred streams together occupy the loop as long as one. (If each
 * stream yielded by itself, the loop would turn only after a hundred slices.) Organizations with waiting pieces take
 * turns. One that must wait because of its use (`throttle.ts`) is skipped until then.
 */
import { Rounds } from "../../rounds.ts";

interface WaitingSlice {
  readonly cost: number;
  readonly resolve: () => void;
}

/** Which organizations must wait because of their use. */
export interface SlicePace {
  /** How long the organization must wait before it begins more, in ms; 0: it may begin now. */
  waitMs(organizationId: string): number;
  /** Runs after this many ms; the returned function cancels it. */
  after(delayMs: number, run: () => void): () => void;
}

export interface SlicesParts {
  /** Runs at the next turn of the loop. */
  readonly later: (run: () => void) => void;
  /** If false, slices are not needed and pieces begin at once. Omitted: always true. */
  readonly isNeeded?: () => boolean;
  /** Omitted: no organization waits because of its use. */
  readonly pace?: SlicePace;
}

const UNPACED: SlicePace = { waitMs: () => 0, after: () => () => {} };

export class Slices {
  /** How many slices have ended. */
  turns = 0;
  private readonly size: number;
  private readonly isNeeded: () => boolean;
  private readonly pace: SlicePace;
  private readonly planned: PlannedRun;
  private spent = 0;
  private readonly waiting = new Rounds<WaitingSlice>();

  /** `size`: the most that the pieces of a slice may cost together. */
  constructor(size: number, { later, isNeeded = () => true, pace = UNPACED }: SlicesParts) {
    this.size = size;
    this.isNeeded = isNeeded;
    this.pace = pace;
    this.planned = new PlannedRun({ later, after: (ms, run) => pace.after(ms, run) }, () => this.next());
  }

  /** Null if the work may begin at once, else a promise of its turn. `organizationId`: to which it belongs. */
  take(cost: number, organizationId = ""): Promise<void> | null {
    if (this.waiting.isEmpty && !this.isNeeded()) return null;
    if (this.spent + cost <= this.size && this.leastWaitMs > 0 && this.pace.waitMs(organizationId) <= 0) {
      this.spent += cost;
      return null;
    }
    return new Promise((resolve) => {
      this.waiting.add(organizationId, { cost, resolve });
      this.plan();
    });
  }

  /** Adds a piece's cost beyond its estimate. */
  add(cost: number): void {
    this.spent += cost;
  }

  /** How long until a waiting organization may begin; infinite if none waits. */
  private get leastWaitMs(): number {
    let least = Number.POSITIVE_INFINITY;
    for (const organizationId of this.waiting.organizations) {
      least = Math.min(least, this.pace.waitMs(organizationId));
      if (least === 0) break;
    }
    return least;
  }

  private plan(): void {
    if (this.planned.isSoon) return;
    this.planned.plan(this.leastWaitMs);
  }

  private next(): void {
    this.turns++;
    this.spent = 0;
    let taken = 0;
    const free = new Set(
      [...this.waiting.organizations].filter((organizationId) => this.pace.waitMs(organizationId) <= 0),
    );
    // One whose piece was taken goes to the end, where this loop reaches it again.
    for (const organizationId of this.waiting.organizations) {
      if (!free.has(organizationId)) continue;
      const { cost, resolve } = this.waiting.first(organizationId);
      // A piece that costs more than a slice gets a slice of its own.
      if (taken > 0 && this.spent + cost > this.size) break;
      this.spent += cost;
      taken++;
      this.waiting.take(organizationId);
      resolve();
    }
    if (!this.waiting.isEmpty) this.plan();
  }
}

/**
 * Plans one run of a queue: at the next turn of the event loop, or by a timer if nothing in the queue may begin before.
 * An earlier plan wins.
 */
export interface RunPlanning {
  /** Runs at the next turn of the loop. */
  readonly later: (run: () => void) => void;
  /** Runs after this many ms; the returned function cancels it. */
  readonly after: (delayMs: number, run: () => void) => () => void;
}

export class PlannedRun {
  private readonly planning: RunPlanning;
  private readonly run: () => void;
  private isNext = false;
  private cancelTimer: (() => void) | null = null;

  constructor(planning: RunPlanning, run: () => void) {
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
