/**
 * The body of a response, never more of it than the limit, at the pace of its reader: and all bodies of the
 * process share the slices in which they are read, because what has arrived is copied while the event loop waits.
 */
import { type SlicePace, Slices } from "../../actors/runtime/slices.ts";
import type { Deadline } from "./deadline.ts";
import { type EgressFailure, EgressInterrupted, errorOf, failed } from "./failure.ts";

/** What is read of all bodies before the event loop turns: about 0.3 ms of it. */
export const READ_BYTES = 256 * 1024;
const READ_MS_PER_BYTE = 0.3 / READ_BYTES;
/** A body that says that it has no more is read in one piece: a stream of its own costs more. */
export const SHORT_BYTES = 64 * 1024;

/** Of the first piece of a body that does not say how long it is. */
const UNKNOWN_BYTES = READ_BYTES / 2;

/** A length as it is written; anything else says nothing. */
const LENGTH = /^\d{1,15}$/;

/** How the bodies of one client are read. */
export interface Reading {
  readonly slices: Slices;
  /** What reading for a lane has taken of the event loop. Omitted: nobody keeps account of it. */
  readonly charge?: (lane: string, ms: number) => void;
}

/** In which slices a body is read, and whose it is. */
export interface ReadingTurns extends Reading {
  readonly lane: string;
}

/** Of one client. Without a pace no lane has to wait for what it has used. */
export const readingSlices = (pace?: SlicePace): Slices =>
  new Slices(READ_BYTES, { later: setImmediate, ...(pace === undefined ? {} : { pace }) });

/** A body that is here, in the pieces in which it came. */
export class WholeBody {
  readonly kind = "body";
  private joined: readonly Uint8Array[];
  /** Whether there was more than the limit; the rest was not read. */
  readonly truncated: boolean;

  constructor(pieces: readonly Uint8Array[], truncated: boolean) {
    this.joined = pieces;
    this.truncated = truncated;
  }

  get pieces(): readonly Uint8Array[] {
    return this.joined;
  }

  /** In one piece, which copies a body that came in several. */
  get bytes(): Uint8Array {
    if (this.joined.length !== 1) this.joined = [Buffer.concat(this.joined)];
    return this.joined[0]!;
  }
}

type Source = ReadableStream<Uint8Array>;
/** The part of a reader that is used. */
interface Reader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

/** The pieces of a body, each read when a slice has room for it. */
class Pieces {
  private readonly reader: Reader | undefined;
  private readonly turns: ReadingTurns;
  /** Bytes of the next piece, by the one before. */
  private expected: number;

  /** `length`: what the response says of it. */
  constructor(source: Source | null, length: number, turns: ReadingTurns) {
    this.reader = source?.getReader();
    this.turns = turns;
    this.expected = Number.isFinite(length) ? Math.min(length, READ_BYTES) : UNKNOWN_BYTES;
  }

  /** Null at the end. */
  async next(): Promise<Uint8Array | null> {
    if (this.reader === undefined) return null;
    const { slices, lane, charge } = this.turns;
    const turn = slices.take(this.expected, lane);
    if (turn !== null) await turn;
    const { done, value } = await this.reader.read();
    if (done || value === undefined) return null;
    if (value.length > this.expected) slices.add(value.length - this.expected);
    this.expected = Math.min(value.length, READ_BYTES);
    charge?.(lane, value.length * READ_MS_PER_BYTE);
    return value;
  }

  async cancel(): Promise<void> {
    await this.reader?.cancel().catch(() => {}); // broken already
  }
}

/** Reads to the end or to the limit, where it closes the connection. */
export async function readBody(
  response: Response,
  maxBytes: number,
  deadline: Deadline,
  turns: ReadingTurns,
): Promise<WholeBody | EgressFailure> {
  try {
    if (lengthOf(response) <= Math.min(maxBytes, SHORT_BYTES)) return new WholeBody([await response.bytes()], false);
    const source = new Pieces(response.body, lengthOf(response), turns);
    const pieces: Uint8Array[] = [];
    let left = maxBytes;
    for (let next = await source.next(); next !== null; next = await source.next()) {
      const piece = next.subarray(0, left);
      pieces.push(piece);
      left -= piece.length;
      if (piece.length === next.length) continue;
      await source.cancel();
      return new WholeBody(pieces, true);
    }
    return new WholeBody(pieces, false);
  } catch (cause) {
    return failed(deadline.reason ?? errorOf(cause));
  } finally {
    deadline.release();
  }
}

/** How long it says that it is: then it is no longer, whatever is sent. Infinite where it does not say. */
function lengthOf({ headers }: Response): number {
  const length = headers.get("content-length") ?? "";
  return LENGTH.test(length) && !headers.has("transfer-encoding") ? Number(length) : Number.POSITIVE_INFINITY;
}

/**
 * The body as it comes: read only when the consumer pulls, and errored with `EgressInterrupted` at
 * the limit, at the deadline and when the connection breaks. Cancelling it closes the connection.
 */
export function boundedStream(response: Response, maxBytes: number, deadline: Deadline, turns: ReadingTurns): Source {
  const pieces = new Pieces(response.body, lengthOf(response), turns);
  let left = maxBytes;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const next = await pieces.next();
          if (next === null) {
            deadline.release();
            controller.close();
          } else if (next.length > left) {
            controller.error(new EgressInterrupted("too_large"));
            deadline.release();
            await pieces.cancel();
          } else {
            left -= next.length;
            controller.enqueue(next);
          }
        } catch (cause) {
          deadline.release();
          controller.error(new EgressInterrupted(deadline.reason ?? errorOf(cause)));
        }
      },
      async cancel() {
        deadline.release();
        await pieces.cancel();
      },
    },
    { highWaterMark: 0 },
  );
}
