/**
 * One queue for work of a kind that comes in small pieces. A piece begins when the present slice has room for it, and
 * else waits for the loop to turn: so a hundred streams together hold the loop as long as one. (A yield of its own
 * for each stream would let the loop turn after a hundred slices.) Of those that wait, organizations take turns.
 */

interface Waiting {
  readonly cost: number;
  readonly resolve: () => void;
}

export class Slices {
  /** How often the loop was let go. */
  turns = 0;
  private readonly size: number;
  private readonly later: (run: () => void) => void;
  private readonly isNeeded: () => boolean;
  private spent = 0;
  /** The lane that is first has the next piece. */
  private readonly waiting = new Map<string, Waiting[]>();
  private isPlanned = false;

  /**
   * `size`: what the pieces of a slice may cost together; `later` runs at the next turn of the loop; while nothing
   * `isNeeded`, pieces begin at once.
   */
  constructor(size: number, later: (run: () => void) => void, isNeeded: () => boolean = () => true) {
    this.size = size;
    this.later = later;
    this.isNeeded = isNeeded;
  }

  /** Null where the work may begin at once; else a promise of its turn. `lane`: whose it is, the organization. */
  take(cost: number, lane = ""): Promise<void> | null {
    if (this.waiting.size === 0 && !this.isNeeded()) return null;
    if (this.waiting.size === 0 && this.spent + cost <= this.size) {
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

  private plan(): void {
    if (this.isPlanned) return;
    this.isPlanned = true;
    this.later(() => this.next());
  }

  private next(): void {
    this.isPlanned = false;
    this.turns++;
    this.spent = 0;
    let taken = 0;
    for (const [lane, line] of this.waiting) {
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
