/**
 * Work on much data: the parsing and the rendering of pages, and the parsing of long bodies. The beginning of each
 * piece, which is all of a small one, is done at once; the rest in slices, one at a time for the whole process, between
 * which the event loop turns. Organizations take slices in turn, and each of them ends a piece that it has begun before
 * it begins another one.
 *
 * While several organizations are at work, small work goes first: after each slice there is a pause, so that slices
 * have a part of the loop's time only. The busier the loop is with small work, the smaller is that part; it is never
 * less than `LEAST_PART`. A slice counts with what its bytes cost outside of it.
 *
 *   each ─ 32 KiB at once ──▶ slice ─ pause ──▶ slice ─ pause ──▶ … ──▶ done
 */
import type { Clock } from "./clock.ts";
import type { LoopTime } from "./loop-time.ts";
import { PacedSlices } from "./paced-slices.ts";

/** What is done before the loop turns; one item can take longer. */
export const SLICE_MS = 0.5;
/** So much of each piece of work is done at once: about 0.1 ms. */
export const AT_ONCE_BYTES = 32 * 1024;
/** Of the loop's time, however busy it is. */
export const LEAST_PART = 1 / 8;
/**
 * How much of its part the bulk work gives up for each part of the loop that is seen to be at small work. Most of what
 * a small request takes is in nobody's account (sockets, the driver, collections of garbage), and what waits asks for
 * less than it would like to: of a loop that has no time left, a sixteenth is seen.
 */
const YIELDING = 16;
/** The part of the loop's time that bulk work has beside so much small work. */
export const partBeside = (smallPart: number): number => Math.max(LEAST_PART, 1 - YIELDING * smallPart);
/**
 * What each pass over a byte costs besides: the driver, the socket, collections of garbage. A page of 1 MiB has 6.7 ms
 * of CPU, of which slices see 1.7; it is parsed, rendered and sent, so there are three passes (2 × AMD EPYC, Bun 1.4.5).
 */
const UNMEASURED_MS_PER_BYTE = 5 / 3 / (1024 * 1024);

export interface Bulk {
  /**
   * Does the work on each item, in their order. `work` answers how many bytes it was about. Rejects with what `work`
   * throws; the rest is left out then.
   */
  each<T>(organizationId: string, items: readonly T[], work: (item: T) => number): Promise<void>;
  /**
   * Does work on so many bytes that cannot be divided: at once where they are few, else in a slice of its own. What
   * goes on with its result is in the same turn of the loop, without another slice.
   */
  whole<T>(organizationId: string, bytes: number, work: () => T): Promise<T>;
}

/** Where nobody else has to be thought of. */
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

interface Piece<T> {
  readonly organizationId: string;
  readonly items: readonly T[];
  readonly work: (item: T) => number;
  /** The place of the first item that is left. */
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
    const piece: Piece<T> = { organizationId, items, work, next: 0 };
    let bytes = 0;
    this.do(piece, (more) => (bytes += more) < AT_ONCE_BYTES);
    for (let isBegun = false; piece.next < items.length; isBegun = true) {
      // oxlint-disable-next-line no-await-in-loop -- one slice after the other
      await this.slices.turn(organizationId, isBegun);
      this.slice(piece);
    }
  }

  async whole<T>(organizationId: string, bytes: number, work: () => T): Promise<T> {
    if (bytes < AT_ONCE_BYTES) return work();
    await this.slices.turn(organizationId, true);
    const results: T[] = [];
    this.slice({ organizationId, items: [work], work: (run) => (results.push(run()), bytes), next: 0 });
    return results[0]!;
  }

  /** Works on the next items while `goesOn` with the bytes of the last one. */
  private do<T>(piece: Piece<T>, goesOn: (bytes: number) => boolean): void {
    const { organizationId, items, work } = piece;
    const { time } = this.parts;
    const from = time.begin("pages", organizationId);
    try {
      while (piece.next < items.length && goesOn(work(items[piece.next++]!)));
    } finally {
      time.end(from, organizationId, "pages");
    }
  }

  private slice<T>(piece: Piece<T>): void {
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
