/**
 * Reads the body of a response up to the limit, at the pace of its reader. All bodies of the process share the
 * slices in which they are read, because copying what has arrived blocks the event loop.
 */
import { type SlicePace, Slices } from "../../actors/runtime/fairness/slices.ts";
import type { Deadline } from "./deadline.ts";
import { type EgressFailure, EgressInterrupted, fetchErrorOf, egressFailed } from "./failure.ts";

/** Bytes read of all bodies before the event loop turns: about 0.3 ms of work. */
export const READ_SLICE_BYTES = 256 * 1024;
const READ_MS_PER_BYTE = 0.3 / READ_SLICE_BYTES;
/** A body that declares at most this length is read in one piece: streaming it costs more. */
export const SHORT_BYTES = 64 * 1024;

/** Assumed size of the first piece of a body without a declared length. */
const UNKNOWN_BYTES = READ_SLICE_BYTES / 2;

/** A valid `content-length`; any other text is ignored. */
const CONTENT_LENGTH = /^\d{1,15}$/;

/** How one client reads bodies. */
export interface BodyReadingTerms {
  readonly slices: Slices;
  /** Reports the event loop time spent on reading for a lane. Omitted: nobody accounts for it. */
  readonly charge?: (lane: string, ms: number) => void;
}

/** The slices for one body, and the lane it is read for. */
export interface ReadingTurns extends BodyReadingTerms {
  readonly lane: string;
}

/** The slices of one client. Without a pace, no lane waits because of what it has used. */
export const readingSlices = (pace?: SlicePace): Slices =>
  new Slices(READ_SLICE_BYTES, { later: setImmediate, ...(pace === undefined ? {} : { pace }) });

/** A body that has arrived completely, in the pieces in which it came. */
export class ReadBody {
  readonly kind = "body";
  private joined: readonly Uint8Array[];
  /** Whether the body was longer than the limit; the rest was not read. */
  readonly truncated: boolean;

  constructor(pieces: readonly Uint8Array[], truncated: boolean) {
    this.joined = pieces;
    this.truncated = truncated;
  }

  get pieces(): readonly Uint8Array[] {
    return this.joined;
  }

  /** The body in one piece; joining several pieces copies them. */
  get bytes(): Uint8Array {
    if (this.joined.length !== 1) this.joined = [Buffer.concat(this.joined)];
    return this.joined[0]!;
  }
}

type ByteStream = ReadableStream<Uint8Array>;
/** The part of a reader that we use. */
export interface StreamReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

/** The pieces of a body, each read when a slice has room for it. */
class Pieces {
  private readonly reader: StreamReader | undefined;
  private readonly turns: ReadingTurns;
  /** Expected size of the next piece, from the one before. */
  private expected: number;

  /** `length`: the declared length of the body. */
  constructor(source: ByteStream | null, length: number, turns: ReadingTurns) {
    this.reader = source?.getReader();
    this.turns = turns;
    this.expected = Number.isFinite(length) ? Math.min(length, READ_SLICE_BYTES) : UNKNOWN_BYTES;
  }

  /** The next piece; null at the end. */
  async next(): Promise<Uint8Array | null> {
    if (this.reader === undefined) return null;
    const { slices, lane, charge } = this.turns;
    const turn = slices.take(this.expected, lane);
    if (turn !== null) await turn;
    const { done, value } = await this.reader.read();
    if (done || value === undefined) return null;
    if (value.length > this.expected) slices.add(value.length - this.expected);
    this.expected = Math.min(value.length, READ_SLICE_BYTES);
    charge?.(lane, value.length * READ_MS_PER_BYTE);
    return value;
  }

  async cancel(): Promise<void> {
    await this.reader?.cancel().catch(() => {}); // broken already
  }
}

/** Reads to the end, or to the limit, where it closes the connection. */
export async function readWholeBody(
  response: Response,
  maxBytes: number,
  deadline: Deadline,
  turns: ReadingTurns,
): Promise<ReadBody | EgressFailure> {
  try {
    if (declaredLength(response) <= Math.min(maxBytes, SHORT_BYTES))
      return new ReadBody([await response.bytes()], false);
    const source = new Pieces(response.body, declaredLength(response), turns);
    const pieces: Uint8Array[] = [];
    let left = maxBytes;
    for (let next = await source.next(); next !== null; next = await source.next()) {
      const piece = next.subarray(0, left);
      pieces.push(piece);
      left -= piece.length;
      if (piece.length === next.length) continue;
      await source.cancel();
      return new ReadBody(pieces, true);
    }
    return new ReadBody(pieces, false);
  } catch (cause) {
    return egressFailed(deadline.reason ?? fetchErrorOf(cause));
  } finally {
    deadline.release();
  }
}

/** The declared length, which the body cannot exceed, whatever the server sends. Infinite if none is declared. */
function declaredLength({ headers }: Response): number {
  const length = headers.get("content-length") ?? "";
  return CONTENT_LENGTH.test(length) && !headers.has("transfer-encoding") ? Number(length) : Number.POSITIVE_INFINITY;
}

/**
 * The body as a stream. It is read only when the consumer pulls; at the limit, at the deadline, or when the
 * connection breaks, it errors with `EgressInterrupted`. Cancelling it closes the connection.
 */
export function boundedStream(
  response: Response,
  maxBytes: number,
  deadline: Deadline,
  turns: ReadingTurns,
): ByteStream {
  const pieces = new Pieces(response.body, declaredLength(response), turns);
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
          controller.error(new EgressInterrupted(deadline.reason ?? fetchErrorOf(cause)));
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
