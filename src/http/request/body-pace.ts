/**
 * Uploads give way: while the event loop has other work, bodies that are handed on as they come are read in slices,
 * with pauses between them (`paced-slices.ts`). What is not read stays with its sender: Bun takes another megabyte of a body
 * from its socket, and then no more until that is read. With nobody else at work nothing waits.
 *
 * The beginning of each body is read at once, so small content never waits. A body that has begun takes turns with the
 * others of its organization, and organizations take turns. None waits for longer than `MOST_WAIT_MS`: proxies give up
 * a sender that makes no progress, after a minute mostly.
 */
import type { Clock } from "../../../actors/runtime/clock.ts";
import { partBeside } from "../../../actors/runtime/bulk-work.ts";
import { LOOP_WINDOW_MS, type LoopTime } from "../../../actors/runtime/loop-time.ts";
import { PacedSlices } from "../../../actors/runtime/paced-slices.ts";

/** So much of each body is read at once. */
export const READ_AT_ONCE_BYTES = 512 * 1024;
/** With less of the loop's time in use than this nobody waits for it. */
export const QUIET_PART = 0.01;
/** A body waits for a slice twice as long at most: this long for its turn, and then for others that have waited so long. */
export const MOST_WAIT_MS = 5_000;
/**
 * What a byte costs the two cores that a small machine has: receiving it, copies, the digest, and writing it. The process
 * takes 1.7 ms for each MiB; the rest is for the kernel, which brings it to the disk for which commits wait too.
 */
export const MS_PER_BYTE = 2.4 / (1024 * 1024);
/** What the end of a body costs: the sync, the new name, two commits and the answer. */
export const ENDING_MS = 4;

/** What a body asks of the loop besides, where it is measured: its request, its turns and its commit. 2.0 to 2.4 ms were measured. */
export const OWN_MS = 3;

interface PaceParts {
  readonly time: Pick<LoopTime, "busyPart">;
  readonly clock: Pick<Clock, "monotonic" | "after">;
  /** Runs at the next turn of the loop. */
  readonly later: (run: () => void) => void;
}

/** One body, on its way. */
export interface PacedBody {
  /** So many bytes of it have been read. */
  arrived(bytes: number): void;
  /** Resolves when more of it may be read; null where that is now. */
  turn(): Promise<void> | null;
  /** The last of it has been read. */
  ended(): void;
}

export class BodyPace {
  private readonly time: PaceParts["time"];
  private readonly clock: PaceParts["clock"];
  private readonly slices: PacedSlices;
  /** When bodies have ended within the last second, in monotonic ms. */
  private readonly endedAt: number[] = [];

  constructor({ time, ...parts }: PaceParts) {
    this.time = time;
    this.clock = parts.clock;
    this.slices = new PacedSlices({ ...parts, part: () => this.part, mostWaitMs: MOST_WAIT_MS });
  }

  begin(organizationId: string): PacedBody {
    let taken = 0;
    let unpaid = 0;
    return {
      arrived(bytes) {
        taken += bytes;
        unpaid += bytes;
      },
      turn: () => {
        if (taken <= READ_AT_ONCE_BYTES) return null;
        const costMs = unpaid * MS_PER_BYTE;
        unpaid = 0;
        return this.part === 1 ? null : this.slices.turn(organizationId).then(() => this.slices.spent(costMs));
      },
      ended: () => {
        if (taken <= READ_AT_ONCE_BYTES) return;
        this.endedAt.push(this.clock.monotonic());
        this.slices.pause(ENDING_MS);
      },
    };
  }

  /** Of the loop's time, for bodies. What they ask of it themselves is nobody else's work. */
  private get part(): number {
    const since = this.clock.monotonic() - LOOP_WINDOW_MS;
    while (this.endedAt.length > 0 && this.endedAt[0]! < since) this.endedAt.shift();
    const othersPart = this.time.busyPart - (this.endedAt.length * OWN_MS) / LOOP_WINDOW_MS;
    return othersPart < QUIET_PART ? 1 : partBeside(othersPart);
  }
}
