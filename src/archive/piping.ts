/**
 * Streams that are joined, and the one place that decides which of their errors is the cause. When one of them fails,
 * the others are destroyed, and whoever uses one of these may learn only that: the first error that says more is the
 * cause.
 */
import { pipeline } from "node:stream/promises";

/** Errors of a stream that was ended because another one had failed, by code or, without one, by message. */
const CONSEQUENCES: ReadonlySet<unknown> = new Set([
  "ABORT_ERR",
  "ERR_STREAM_DESTROYED",
  "ERR_STREAM_PREMATURE_CLOSE",
  "ERR_STREAM_WRITE_AFTER_END",
  "Premature close",
  "Stream was destroyed",
  "Writable stream closed prematurely",
]);

const isConsequence = (error: unknown): boolean =>
  error instanceof Error && CONSEQUENCES.has("code" in error ? error.code : error.message);

/** Takes the errors of several streams as they come. */
export class FirstCause {
  private found: unknown;

  note(error: unknown): void {
    if (this.found === undefined || (isConsequence(this.found) && !isConsequence(error))) this.found = error;
  }

  /** The cause, once this error has come too. */
  of(error: unknown): unknown {
    this.note(error);
    return this.found;
  }
}

export class Piping {
  /** Resolves when the last stream has everything; rejects with the cause. */
  readonly ended: Promise<void>;
  private readonly cause = new FirstCause();

  constructor(source: NodeJS.ReadableStream, through: NodeJS.ReadWriteStream, target: NodeJS.WritableStream) {
    for (const stream of [source, through, target]) stream.on("error", (error: Error) => this.cause.note(error));
    this.ended = pipeline(source, through, target).catch((error: unknown): never => {
      throw this.cause.of(error);
    });
    this.ended.catch(() => {});
  }

  /** The cause of a failure that somebody who uses one of the streams has met. Waits for all of them to end. */
  async causeOf(error: unknown): Promise<unknown> {
    this.cause.note(error);
    await this.ended.catch(() => {});
    return this.cause.of(error);
  }
}
