/**
 * Writes the log to standard output, or to another file. Lines of the same few milliseconds are joined and
 * written at once, off this thread: so a line costs only its text, and a slow reader delays no request. The
 * buffer is bounded: further lines are dropped, and one line reports how many.
 */
import { write } from "node:fs";

/** How long a line may wait to be joined with others. */
const JOIN_MS = 5;
/** Size of the buffer for a slow reader: some 30,000 requests. */
export const WAITING_BYTES = 8 * 1024 * 1024;
/** Characters of one write; a longer line is written alone. */
const CHUNK_CHARACTERS = 64 * 1024;
/** Retry delay for a full pipe. */
const FULL_RETRY_MS = 10;
/** The end of the process waits at most so long for a reader that is stuck. */
const FLUSH_LIMIT_MS = 2_000;

/** A line that makes its text only when it is written; `length` estimates its characters. */
export interface LateLine {
  readonly length: number;
  toString(): string;
}

export class LogOutput {
  private readonly file: number;
  /**
   * Full chunks, oldest first, and the lines of the chunk that is being filled. Encoding joined lines costs
   * half as much as encoding each line.
   */
  private full: Buffer[] = [];
  private fullBytes = 0;
  private lines: (string | LateLine)[] = [];
  private characters = 0;
  private dropped = 0;
  /** A write is in flight or scheduled. */
  private isBusy = false;
  /** The unwritten rest of the write in flight. */
  private rest: Buffer = EMPTY_BUFFER;
  /** Called when the write in flight has ended. */
  private flushes: (() => void)[] = [];

  constructor(file: number) {
    this.file = file;
  }

  /** Like `write`: the line keeps its place, however late its text is made. */
  writeLate(line: LateLine): void {
    this.write(line);
  }

  write(line: string | LateLine): void {
    if (this.fullBytes >= WAITING_BYTES) this.dropped++;
    else this.append(line);
    if (this.isBusy) return;
    this.isBusy = true;
    setTimeout(() => this.next(), JOIN_MS);
  }

  /** Resolves when the buffer is written, or when its reader has been stuck for too long. */
  async flush(): Promise<void> {
    const until = performance.now() + FLUSH_LIMIT_MS;
    for (this.next(); this.rest.length > 0 && performance.now() < until; this.next()) await this.written();
  }

  /** Resolves when the write in flight has ended, or after a time limit. */
  private written(): Promise<void> {
    return new Promise((resolve) => {
      const limit = setTimeout(resolve, FLUSH_LIMIT_MS);
      this.flushes.push(() => {
        clearTimeout(limit);
        resolve();
      });
    });
  }

  private append(line: string | LateLine): void {
    if (this.characters + line.length > CHUNK_CHARACTERS) this.close();
    this.lines.push(line);
    this.characters += line.length;
  }

  /** Closes the chunk that is being filled. */
  private close(): void {
    if (this.lines.length === 0) return;
    const chunk = Buffer.from(this.lines.join(""));
    this.full.push(chunk);
    this.fullBytes += chunk.length;
    this.lines = [];
    this.characters = 0;
  }

  private next(): void {
    if (this.rest.length > 0) return;
    this.rest = this.take();
    this.isBusy = this.rest.length > 0;
    if (this.isBusy) this.send();
  }

  private send(): void {
    write(this.file, this.rest, (error, written) => {
      if (error?.code === "EAGAIN") return void setTimeout(() => this.send(), FULL_RETRY_MS);
      // A reader that is gone does not come back, and there is no place to report it.
      this.rest = error === null ? this.rest.subarray(written) : EMPTY_BUFFER;
      if (this.rest.length > 0) return this.send();
      for (const resume of this.flushes.splice(0)) resume();
      if (this.full.length > 0) this.next();
      else setTimeout(() => this.next(), JOIN_MS);
    });
  }

  /** Takes the oldest chunk; an empty one if nothing is buffered. */
  private take(): Buffer {
    if (this.full.length === 0) {
      if (this.dropped > 0) this.append(this.notice());
      this.close();
    }
    const oldest = this.full.shift() ?? EMPTY_BUFFER;
    this.fullBytes -= oldest.length;
    return oldest;
  }

  private notice(): string {
    const { dropped } = this;
    this.dropped = 0;
    const msg = "log lines were dropped: their reader is too slow";
    return `${JSON.stringify({ level: 40, time: new Date().toISOString(), dropped, msg })}\n`;
  }
}

const EMPTY_BUFFER = Buffer.alloc(0);
