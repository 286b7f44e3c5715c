/**
 * One queue for all work on what models send. A stream takes its next piece when the present slice has
 * room for it, and else waits for the loop to turn: so a hundred streams together hold the loop as
 * long as one. (A yield of its own for each stream would let the loop turn after a hundred slices.)
 */

/** What a slice may cost: some hundred frames of text, two or three milliseconds. */
export const SLICE_COST = 64 * 1024;

interface Waiting {
  readonly cost: number;
  readonly resolve: () => void;
}

export class Slices {
  /** How often the loop was let go. */
  turns = 0;
  private spent = 0;
  private waiting: Waiting[] = [];
  private isPlanned = false;

  /** Null where the work may begin at once; else a promise of its turn. */
  take(cost: number): Promise<void> | null {
    if (this.waiting.length === 0 && this.spent + cost <= SLICE_COST) {
      this.spent += cost;
      return null;
    }
    return new Promise((resolve) => {
      this.waiting.push({ cost, resolve });
      this.plan();
    });
  }

  private plan(): void {
    if (this.isPlanned) return;
    this.isPlanned = true;
    setImmediate(() => this.next());
  }

  private next(): void {
    this.isPlanned = false;
    this.turns++;
    this.spent = 0;
    let taken = 0;
    for (const { cost, resolve } of this.waiting) {
      // One that costs more than a slice gets a slice alone.
      if (taken > 0 && this.spent + cost > SLICE_COST) break;
      this.spent += cost;
      taken++;
      resolve();
    }
    this.waiting = this.waiting.slice(taken);
    if (this.waiting.length > 0) this.plan();
  }
}
