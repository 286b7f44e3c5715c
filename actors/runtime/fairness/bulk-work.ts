/**
 * Work on much data: parsing and rendering of pages, and parsing of long bodies. The beginning of each piece, which is
 * all of a small one, is done at once. The rest is done in slices, one at a time for the whole process, and the event
 * loop turns between them. Organizations take slices in turn, and each finishes the piece that it has begun before it
 * begins another one.
 *
 * While several organizations are at work, small work goes first: a pause after each slice limits slices to a part of
 * the loop's time. The busier the loop is with small work, the smaller is that part, but never less than `LEAST_PART`.
 * A slice also pays for the cost of its bytes outside of the slice.
 *
 *   each ─ 32 KiB at once ──▶ slice ─ pause ──▶ slice ─ pause ──▶ … ──▶ done
 */
import type { Clock } from "../ports.ts";
import type { LoopTime } from "./loop-time.ts";
import { PacedSlices } from "./paced-slices.ts";

/** The time after which a slice ends and the loop turns; one item can take longer. */
export const SLICE_MS = 0.5;
/** The beginning of each piece that is done at once: about 0.1 ms. */
export const AT_ONCE_BYTES = 32 * 1024;
/** The smallest part of the loop's time for bulk work, however busy the loop is. */
export const LEAST_PART = 1 / 8;
/**
 * How fast bulk work gives up its share as the measured part of small work grows. Most of a small request's time is
 * charged to nobody (sockets, the driver, garbage collection), and waiting requests use less time than they need: a
 * fully used loop shows a measured part of only a sixteenth.
 */
const YIELDING = 16;
/** The part of the loop's time that bulk work gets beside this part of small work. */
export const partBeside = (smallPart: number): number => Math.max(LEAST_PART, 1 - YIELDING * smallPart);
/**
 * The additional cost of each pass over a byte: the driver, the socket, garbage collection. A page of 1 MiB takes 6.7
 * ms of CPU, of which slices measure 1.7. It is parsed, rendered and sent, so there are three passes (2 × AMD EPYC, Bun
 * 1.4.5).
 */
const UNMEASURED_MS_PER_BYTE = 5 / 3 / (1024 * 1024);

export interface Bulk {
  /**
   * Does the work on each item, in order. `work` returns how many bytes it processed. If `work` throws, rejects with
   * that error and skips the rest.
   */
  each<T>(organizationId: string, items: readonly T[], work: (item: T) => number): Promise<void>;
  /**
   * Does indivisible work on this many bytes: at once if they are few, else in a slice of its own. Code that continues
   * with the result runs in the same turn of the loop, without another slice.
   */
  whole<T>(organizationId: string, bytes: number, work: () => T): Promise<T>;
}

/** For use where no other organization waits. */
export const AT_ONCE: Bulk = {
  // oxlint-disable-next-line typescript/require-await -- what is thrown is a rejection
  async each(_, items, work) {
    for (const item of items) work(item);
  },
  // oxlint-disable-next-line typescript/require-await -- what is thrown is a rejection
  async whole(_, _bytes, work) {
    return work();
  },
};

interface BulkParts {
  readonly time: Pick<LoopTime, "isShared" | "smallPart" | "begin" | "end">;
  readonly clock: Pick<Clock, "monotonic" | "after">;
  /** Runs at the next turn of the loop. */
  readonly later: (run: () => void) => void;
}

interface BulkPiece<T> {
  readonly organizationId: string;
  readonly items: readonly T[];
  readonly work: (item: T) => number;
  /** The index of the first remaining item. */
  next: number;
}

export class BulkWork implements Bulk {
  private readonly parts: BulkParts;
  private readonly slices: PacedSlices;

  constructor(parts: BulkParts) {
    this.parts = parts;
    const { time, clock, later } = parts;
    const part = (): number => (time.isShared ? partBeside(time.smallPart) : 1);
    this.slices = new PacedSlices({ clock, later, part });
  }

  async each<T>(organizationId: string, items: readonly T[], work: (item: T) => number): Promise<void> {
    const piece: BulkPiece<T> = { organizationId, items, work, next: 0 };
    let bytes = 0;
    this.do(piece, (more) => (bytes += more) < AT_ONCE_BYTES);
    for (let isBegun = false; piece.next < items.length; isBegun = true) {
      // oxlint-disable-next-line no-await-in-loop -- one slice after the other
      await this.slices.begin(organizationId, isBegun);
      this.slice(piece);
    }
  }

  async whole<T>(organizationId: string, bytes: number, work: () => T): Promise<T> {
    if (bytes < AT_ONCE_BYTES) return work();
    await this.slices.begin(organizationId, true);
    const results: T[] = [];
    this.slice({ organizationId, items: [work], work: (run) => (results.push(run()), bytes), next: 0 });
    return results[0]!;
  }

  /** Works on the next items while `goesOn` returns true for the bytes of the last one. */
  private do<T>(piece: BulkPiece<T>, goesOn: (bytes: number) => boolean): void {
    const { organizationId, items, work } = piece;
    const { time } = this.parts;
    const from = time.begin("pages", organizationId);
    try {
      while (piece.next < items.length && goesOn(work(items[piece.next++]!)));
    } finally {
      time.end(from, organizationId, "pages");
    }
  }

  private slice<T>(piece: BulkPiece<T>): void {
    const { clock } = this.parts;
    const from = clock.monotonic();
    let bytes = 0;
    try {
      this.do(piece, (more) => {
        bytes += more;
        return clock.monotonic() - from < SLICE_MS;
      });
    } finally {
      this.slices.spent(clock.monotonic() - from + bytes * UNMEASURED_MS_PER_BYTE);
    }
  }
}
