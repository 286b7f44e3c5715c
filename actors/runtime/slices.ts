/**
 * One queue for work of a kind that comes in small pieces. A piece begins when the present slice has room for it, and
 * else waits for the loop to turn: so a hundred streams together hold the loop as long as one. (A yield of its own
 * for each stream would let the loop turn after a hundred slices.) Of those that wait, organizations take turns; one that
 * has to wait for what it has used (`throttle.ts`) is passed over until then.
 */
import { NextTurn } from "./next-turn.ts";

interface Waiting {
  readonly cost: number;
  readonly resolve: () => void;
}

/** Which lanes have to wait for what they have used. */
export interface SlicePace {
  /** How long the lane has to wait before it begins more, in ms; 0: it may now. */
  waitMs(lane: string): number;
  /** Runs after so many ms; the answer cancels it. */
  after(delayMs: number, run: () => void): () => void;
}

export interface SliceParts {
  /** Runs at the next turn of the loop. */
  readonly later: (run: () => void) => void;
  /** While they are not needed, pieces begin at once. Omitted: they always are. */
  readonly isNeeded?: () => boolean;
  /** Omitted: no lane has to wait for what it has used. */
  readonly pace?: SlicePace;
}

const UNPACED: SlicePace = { waitMs: () => 0, after: () => () => {} };

export class Slices {
  /** How often the loop was let go. */
  turns = 0;
  private readonly size: number;
  private readonly isNeeded: () => boolean;
  private readonly pace: SlicePace;
  private readonly nextTurn: NextTurn;
  private spent = 0;
  /** The lane that is first has the next piece. */
  private readonly waiting = new Map<string, Waiting[]>();

  /** `size`: what the pieces of a slice may cost together. */
  constructor(size: number, { later, isNeeded = () => true, pace = UNPACED }: SliceParts) {
    this.size = size;
    this.isNeeded = isNeeded;
    this.pace = pace;
    this.nextTurn = new NextTurn({ later, after: (ms, run) => pace.after(ms, run) }, () => this.next());
  }

  /** Null where the work may begin at once; else a promise of its turn. `lane`: whose it is, the organization. */
  take(cost: number, lane = ""): Promise<void> | null {
    if (this.waiting.size === 0 && !this.isNeeded()) return null;
    if (this.spent + cost <= this.size && this.leastWaitMs > 0 && this.pace.waitMs(lane) <= 0) {
      this.spent += cost;
      return null;
    }
    return new Promise((resolve) => {
      const line = this.waiting.get(lane);
      if (line === undefined) this.waiting.set(lane, [{ cost, resolve }]);
      else line.push({ cost, resolve });
      this.plan();
    });
  }

  /** What a piece has cost beyond what was taken for it. */
  add(cost: number): void {
    this.spent += cost;
  }

  /** Until one that waits may begin; infinite where none waits. */
  private get leastWaitMs(): number {
    let least = Number.POSITIVE_INFINITY;
    for (const lane of this.waiting.keys()) {
      least = Math.min(least, this.pace.waitMs(lane));
      if (least === 0) break;
    }
    return least;
  }

  private plan(): void {
    if (this.nextTurn.isSoon) return;
    this.nextTurn.plan(this.leastWaitMs);
  }

  private next(): void {
    this.turns++;
    this.spent = 0;
    let taken = 0;
    const free = new Set([...this.waiting.keys()].filter((lane) => this.pace.waitMs(lane) <= 0));
    for (const [lane, line] of this.waiting) {
      if (!free.has(lane)) continue;
      const { cost, resolve } = line[0]!;
      // One that costs more than a slice gets a slice alone.
      if (taken > 0 && this.spent + cost > this.size) break;
      this.spent += cost;
      taken++;
      line.shift();
      // To the end, where this loop comes to it again: all others have a piece first.
      this.waiting.delete(lane);
      if (line.length > 0) this.waiting.set(lane, line);
      resolve();
    }
    if (this.waiting.size > 0) this.plan();
  }
}
