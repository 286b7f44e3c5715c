/**
 * Standard output, or another file, as the end of the log. Lines that come within a few milliseconds
 * are joined and written in one go, off this thread, so a line costs its text and a slow reader holds
 * no request up. What waits is bounded: beyond that lines are dropped, and a line says how many.
 */
import { write, writeSync } from "node:fs";

/** How long a line may wait for others. */
const JOIN_MS = 5;
/** UTF-16 units that may wait for a slow reader: some 30,000 requests. */
export const WAITING_CHARACTERS = 8 * 1024 * 1024;
/** A pipe that is full is tried again after this. */
const FULL_RETRY_MS = 10;

export class LogOutput {
  private readonly file: number;
  private waiting = "";
  private dropped = 0;
  /** A write is under way, or planned. */
  private isBusy = false;
  /** What of the write under way has not been taken. */
  private rest: Buffer = EMPTY;

  constructor(file: number) {
    this.file = file;
  }

  write(line: string): void {
    if (this.waiting.length >= WAITING_CHARACTERS) this.dropped++;
    else this.waiting += line;
    if (this.isBusy) return;
    this.isBusy = true;
    setTimeout(() => this.next(), JOIN_MS);
  }

  /** Writes out what waits, on this thread. A write that is under way off it ends by itself. */
  flush(): void {
    const text = this.take();
    if (text !== "") writeWhole(this.file, Buffer.from(text));
  }

  private next(): void {
    const text = this.take();
    this.isBusy = text !== "";
    if (!this.isBusy) return;
    this.rest = Buffer.from(text);
    this.send();
  }

  private send(): void {
    write(this.file, this.rest, (error, written) => {
      if (error?.code === "EAGAIN") return void setTimeout(() => this.send(), FULL_RETRY_MS);
      // A reader that is gone stays gone, and there is nowhere to say so.
      this.rest = error === null ? this.rest.subarray(written) : EMPTY;
      if (this.rest.length > 0) this.send();
      else if (this.waiting === "") this.isBusy = false;
      else setTimeout(() => this.next(), JOIN_MS);
    });
  }

  private take(): string {
    const { dropped } = this;
    const notice =
      dropped === 0
        ? ""
        : `${JSON.stringify({ level: 40, time: new Date().toISOString(), dropped, msg: "log lines were dropped: their reader is too slow" })}\n`;
    const text = this.waiting + notice;
    this.waiting = "";
    this.dropped = 0;
    return text;
  }
}

const EMPTY = Buffer.alloc(0);

function writeWhole(file: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length;) {
    try {
      written += writeSync(file, bytes, written);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) return;
      Bun.sleepSync(FULL_RETRY_MS);
    }
  }
}
