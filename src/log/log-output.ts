/**
 * Standard output, or another file, as the end of the log. Lines that come within a few milliseconds
 * are joined and written in one go, off this thread, so a line costs its text and a slow reader holds
 * no request up. What waits is bounded: beyond that lines are dropped, and a line says how many.
 */
import { write } from "node:fs";

/** How long a line may wait for others. */
const JOIN_MS = 5;
/** Bytes that may wait for a slow reader: some 30,000 requests. */
export const WAITING_BYTES = 8 * 1024 * 1024;
/** Characters of one write; a longer line is a write of its own. */
const CHUNK_CHARACTERS = 64 * 1024;
/** A pipe that is full is tried again after this. */
const FULL_RETRY_MS = 10;
/** The end of the process waits so long for a reader that takes nothing. */
const FLUSH_LIMIT_MS = 2_000;

/** A line whose text is asked for when it is written: `length` is about how many characters that will have. */
export interface LateLine {
  readonly length: number;
  toString(): string;
}

export class LogOutput {
  private readonly file: number;
  /** Full chunks, oldest first, and the lines of the one that is being filled: joining them at its end costs half of encoding each. */
  private full: Buffer[] = [];
  private fullBytes = 0;
  private lines: (string | LateLine)[] = [];
  private characters = 0;
  private dropped = 0;
  /** A write is under way, or planned. */
  private isBusy = false;
  /** What of the write under way has not been taken. */
  private rest: Buffer = EMPTY;
  /** They wait for its end. */
  private flushes: (() => void)[] = [];

  constructor(file: number) {
    this.file = file;
  }

  /** As `write`: in its place among the others, whenever its text is asked for. */
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

  /** Resolves when what waits is written, or its reader has taken nothing for too long. */
  async flush(): Promise<void> {
    const until = performance.now() + FLUSH_LIMIT_MS;
    for (this.next(); this.rest.length > 0 && performance.now() < until; this.next()) await this.written();
  }

  /** The write that is under way has ended, or has had its time. */
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

  /** Ends the chunk that is being filled. */
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
      // A reader that is gone stays gone, and there is nowhere to say so.
      this.rest = error === null ? this.rest.subarray(written) : EMPTY;
      if (this.rest.length > 0) return this.send();
      for (const resume of this.flushes.splice(0)) resume();
      if (this.full.length > 0) this.next();
      else setTimeout(() => this.next(), JOIN_MS);
    });
  }

  /** The oldest of what waits; nothing where nothing does. */
  private take(): Buffer {
    if (this.full.length === 0) {
      if (this.dropped > 0) this.append(this.notice());
      this.close();
    }
    const oldest = this.full.shift() ?? EMPTY;
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

const EMPTY = Buffer.alloc(0);
