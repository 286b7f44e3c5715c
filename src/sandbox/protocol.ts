/**
 * What the service and a child say to each other over the child's standard input and output: frames of
 * a length (u32, big endian) and so many bytes, one job in flight.
 *
 *   job:     length of the rest · length of the order · the order, JSON · the content, as it came
 *   answer:  length of the rest · 0 done or 1 failed · CPU time in µs · length of the text · the text: JSON,
 *            or why it failed · bytes, where the job makes some
 *
 * The order is ours; the content is somebody else's, and nothing but the child looks into it. Bytes of an
 * answer are handed on as they are.
 */
import type { JsonObject } from "../../actors/schema.ts";

/** Of the content of one job. */
export const MAX_INPUT_BYTES = 8 * 1024 * 1024;
/** Of the text of an answer. */
export const MAX_OUTPUT_BYTES = 256 * 1024;
/** Of an order, which is ours: more is a bug. */
export const MAX_ORDER_BYTES = 64 * 1024;

/** Of a length. */
export const LENGTH_BYTES = 4;
/** Of what stands before the text of an answer. */
export const ANSWER_HEAD_BYTES = 9;
export const DONE = 0;
export const FAILED = 1;

/** The job of a child. */
export interface Order {
  /** The name of a job: a key of `JOBS` in `child.ts`. */
  readonly job: string;
  readonly options: JsonObject;
}

/** What a job answers that makes bytes besides. */
export class Output {
  readonly value: unknown;
  readonly bytes: Uint8Array;

  constructor(value: unknown, bytes: Uint8Array) {
    this.value = value;
    this.bytes = bytes;
  }
}

/**
 * A job as a child runs it, of the options, the content, and the files in its working directory. It answers a
 * value or an `Output`, or a promise of it; what it throws is the failure.
 */
export type Job = (options: JsonObject, content: Uint8Array) => unknown;

/** The content of a job: in one piece, or in those in which it came. */
export type JobContent = Uint8Array | readonly Uint8Array[];

const piecesOf = (content: JobContent): readonly Uint8Array[] => (content instanceof Uint8Array ? [content] : content);
export const bytesOf = (content: JobContent): number => piecesOf(content).reduce((sum, { length }) => sum + length, 0);

/** The frame of a job in parts: the content is not copied for it. */
export function jobFrame(order: Order, content: JobContent): readonly Uint8Array[] {
  const said = Buffer.from(JSON.stringify(order));
  const head = Buffer.allocUnsafe(2 * LENGTH_BYTES + said.length);
  head.writeUInt32BE(LENGTH_BYTES + said.length + bytesOf(content), 0);
  head.writeUInt32BE(said.length, LENGTH_BYTES);
  head.set(said, 2 * LENGTH_BYTES);
  return [head, ...piecesOf(content)];
}
