/**
 * Uploads yield: while the event loop has other work, streamed bodies are read in slices, with pauses between them
 * (`paced-slices.ts`). The unread rest stays with the sender: Bun takes another megabyte from the socket, and no
 * more until that is read. Without other work nothing waits.
 *
 * The beginning of each body is read at once, so small content never waits. A body that has begun takes turns with
 * the others of its organization, and organizations take turns. No wait exceeds twice `MOST_BODY_WAIT_MS`, because
 * proxies abort a sender without progress, most of them after a minute.
 */
import type { Clock } from "../../../actors/runtime/ports.ts";
import { partBeside } from "../../../actors/runtime/fairness/bulk-work.ts";
import type { LoopTime } from "../../../actors/runtime/fairness/loop-time.ts";
import { PacedSlices } from "../../../actors/runtime/fairness/paced-slices.ts";

/** Bytes of each body that are read without waiting. */
export const READ_AT_ONCE_BYTES = 512 * 1024;
/** If other work uses less of the loop's time than this, no body waits. */
export const QUIET_BODY_PART = 0.01;
/** The longest wait for a turn. The wait for a slice can double it, because others have waited as long. */
export const MOST_BODY_WAIT_MS = 5_000;
/**
 * What a byte costs the two cores of a small machine: receiving, copying, hashing and writing it. The process takes
 * 1.7 ms per MiB; the rest is the kernel's, which writes to the same disk as commits do.
 */
export const MS_PER_BYTE = 2.4 / (1024 * 1024);
/** Cost of the end of a body: sync, rename, two commits and the answer. */
export const BODY_ENDING_MS = 6;

/**
 * The loop time of other work, with the turns and commits that follow from it, for each ms that it uses directly
 * (`LoopTime.directPart`): these cannot be distinguished from those of an upload. Messages to a chat measured 5.6.
 */
export const WITH_FOLLOWING = 6;

interface PaceParts {
  readonly time: Pick<LoopTime, "directPart">;
  readonly clock: Pick<Clock, "monotonic" | "after">;
  /** Runs in the next turn of the loop. */
  readonly later: (run: () => void) => void;
}

/** One body in flight. */
export interface PacedBody {
  /** So many more bytes were read. */
  arrived(bytes: number): void;
  /** Resolves when more may be read; null: now. */
  turn(): Promise<void> | null;
  /** The body is completely read. */
  ended(): void;
}

export class BodyPace {
  private readonly time: PaceParts["time"];
  private readonly slices: PacedSlices;

  constructor({ time, ...parts }: PaceParts) {
    this.time = time;
    this.slices = new PacedSlices({ ...parts, part: () => this.part, mostWaitMs: MOST_BODY_WAIT_MS });
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
        return this.part === 1 ? null : this.slices.begin(organizationId).then(() => this.slices.spent(costMs));
      },
      ended: () => {
        if (taken > READ_AT_ONCE_BYTES) this.slices.pause(BODY_ENDING_MS);
      },
    };
  }

  /** The part of the loop's time for bodies. The loop time of uploads themselves does not count as other work. */
  private get part(): number {
    const othersPart = WITH_FOLLOWING * this.time.directPart;
    return othersPart < QUIET_BODY_PART ? 1 : partBeside(othersPart);
  }
}
