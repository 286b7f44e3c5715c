/**
 * Reads a source for its consumer: one stream by itself, or an audience.
 *
 *   reading ──nothing new, or no room──▶ waiting ──the source changes──▶ reading
 *      └ over, failed ──▶ its reader is told, and closes it
 */
import { afterTick } from "./after-tick.ts";
import { type EventSource, type Piece, QUIET } from "./event-source.ts";

export interface Reader {
  /** Without room nothing is read; a reader that has room again calls `go`. */
  readonly hasRoom: boolean;
  take(piece: Piece): void;
  /** It has all that there is; it waits (`wait`), or goes on in another way. */
  caughtUp(): void;
  /** It has no room, and is so far behind that it is let go. */
  tooSlow?(): void;
  over(): void;
  failed(cause: unknown): void;
}

export class Reading<Source extends EventSource = EventSource> {
  readonly source: Source;
  private readonly reader: Reader;
  private isFetching = false;
  private isWaiting = false;
  private isClosed = false;

  constructor(source: Source, reader: Reader) {
    this.source = source;
    this.reader = reader;
  }

  /** Reads all that there is and that its reader has room for. */
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

  /** Also without room: a reader that takes nothing must be seen to fall behind. */
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

  private fetch(next: Promise<Piece | null>): void {
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

  private take(piece: Piece | null): void {
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
