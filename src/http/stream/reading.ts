/**
 * Reads a source for its consumer: a single stream, or an audience.
 *
 *   reading ──nothing new, or no room──▶ waiting ──the source changes──▶ reading
 *      └ over, failed ──▶ its reader is notified, and closes it
 */
import { afterTick } from "./after-tick.ts";
import { type EventSource, type StreamPiece, QUIET } from "./event-source.ts";

export interface PieceReader {
  /** Without room nothing is read; a reader that has room again calls `go`. */
  readonly hasRoom: boolean;
  take(piece: StreamPiece): void;
  /** The reader has caught up; it waits (`wait`), or continues in another way. */
  caughtUp(): void;
  /** The reader has no room, and lags so far that it is disconnected. */
  tooSlow?(): void;
  over(): void;
  failed(cause: unknown): void;
}

export class StreamReading<Source extends EventSource = EventSource> {
  readonly source: Source;
  private readonly reader: PieceReader;
  private isFetching = false;
  private isWaiting = false;
  private isClosed = false;

  constructor(source: Source, reader: PieceReader) {
    this.source = source;
    this.reader = reader;
  }

  /** Reads while the source has something and the reader has room. */
  go(): void {
    try {
      while (!this.isClosed && !this.isFetching) {
        if (!this.reader.hasRoom) return this.wait();
        const next = this.source.next();
        if (next === QUIET) return this.reader.caughtUp();
        if (next instanceof Promise) this.fetch(next);
        else this.take(next);
      }
    } catch (cause) {
      this.failed(cause);
    }
  }

  /** Waits even without room, because a lagging reader must be detected. */
  wait(): void {
    if (this.isWaiting || this.source.onChange === undefined) return;
    this.isWaiting = true;
    this.source.onChange(this.source.isImmediate === true ? this.woken : () => afterTick(this.woken));
  }

  /** Idempotent. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.source.close();
  }

  private fetch(next: Promise<StreamPiece | null>): void {
    this.isFetching = true;
    next.then(
      (piece) => {
        this.isFetching = false;
        this.take(piece);
        this.go();
      },
      (cause: unknown) => this.failed(cause),
    );
  }

  private take(piece: StreamPiece | null): void {
    if (this.isClosed) return;
    if (piece === null) this.reader.over();
    else if (piece.length > 0) this.reader.take(piece);
  }

  private failed(cause: unknown): void {
    if (!this.isClosed) this.reader.failed(cause);
  }

  private readonly woken = (): void => {
    this.isWaiting = false;
    if (this.isClosed) return;
    if (!this.reader.hasRoom && this.source.isTooSlow === true) this.reader.tooSlow?.();
    else this.go();
  };
}
