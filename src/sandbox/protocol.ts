/**
 * The protocol between the service and a child, over the child's standard input and output: frames of a length (u32,
 * big endian) and that many bytes, with one job in flight.
 *
 *   job:     length of the rest · length of the order · the order, JSON · the content, as it came
 *   answer:  length of the rest · status · CPU time in µs · length of the text · the text: JSON, or why it failed
 *            · bytes, where the job makes some
 *
 * The order is ours; the content is untrusted, and only the child parses it. Bytes of an answer are passed on
 * unchanged.
 */
import type { JsonObject } from "../../actors/schema.ts";

/** Bytes of one job's content. */
export const MAX_INPUT_BYTES = 8 * 1024 * 1024;
/** Bytes of an answer's text. */
export const MAX_OUTPUT_BYTES = 256 * 1024;
/** Bytes of an order. It is ours, so a longer one is a bug. */
export const MAX_ORDER_BYTES = 64 * 1024;

/** Bytes of a length. */
export const LENGTH_BYTES = 4;
/** Bytes before the text of an answer. */
export const ANSWER_HEAD_BYTES = 9;
/** The status of an answer, as bits: zero is a job that is done. */
export const JOB_DONE = 0;
export const JOB_FAILED = 1;
/** The child has more memory than it began with, so the next job would have less than its limit. */
export const GROWN = 2;

/** The job of a child. */
export interface Order {
  /** The name of a job: a key of `SANDBOX_JOBS` in `child.ts`. */
  readonly job: string;
  readonly options: JsonObject;
}

/** The answer of a job that also produces bytes. */
export class JobOutput {
  readonly value: unknown;
  readonly bytes: Uint8Array;

  constructor(value: unknown, bytes: Uint8Array) {
    this.value = value;
    this.bytes = bytes;
  }
}

/**
 * A job in a child: a function of the options, the content, and the files in its working directory. It answers a value
 * or a `JobOutput`, or a promise of one; an exception is the job's failure.
 */
export type SandboxedJob = (options: JsonObject, content: Uint8Array) => unknown;

/** The content of a job: one piece, or the pieces as they were received. */
export type JobContent = Uint8Array | readonly Uint8Array[];

const contentPieces = (content: JobContent): readonly Uint8Array[] =>
  content instanceof Uint8Array ? [content] : content;
export const contentBytes = (content: JobContent): number =>
  contentPieces(content).reduce((sum, { length }) => sum + length, 0);

/** The frame of a job in parts: the content is not copied for it. */
export function jobFrame(order: Order, content: JobContent): readonly Uint8Array[] {
  const orderBytes = Buffer.from(JSON.stringify(order));
  const head = Buffer.allocUnsafe(2 * LENGTH_BYTES + orderBytes.length);
  head.writeUInt32BE(LENGTH_BYTES + orderBytes.length + contentBytes(content), 0);
  head.writeUInt32BE(orderBytes.length, LENGTH_BYTES);
  head.set(orderBytes, 2 * LENGTH_BYTES);
  return [head, ...contentPieces(content)];
}

/** The file in the child's folder that is the database of `sqlite-query`. */
export const SQLITE_NAME = "database";
/** The file that is previewed. */
export const PREVIEWED_NAME = "previewed";
