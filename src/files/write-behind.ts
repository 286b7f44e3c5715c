/**
 * Writes a body to a file while the next of it arrives: one write is under way, and what comes meanwhile is joined
 * to the next one. At most twice `JOINED_BYTES` and one chunk are in memory.
 */
import type { FileHandle } from "node:fs/promises";

/** A write costs a thread's attention, however small it is. */
const JOINED_BYTES = 512 * 1024;

export class WriteBehind {
  private readonly handle: FileHandle;
  private waiting: Uint8Array[] = [];
  private waitingBytes = 0;
  private underWay: Promise<void> = Promise.resolve();

  constructor(handle: FileHandle) {
    this.handle = handle;
  }

  /** Resolves when more may come. Rejects when a write before it has failed. */
  async add(chunk: Uint8Array): Promise<void> {
    this.waiting.push(chunk);
    this.waitingBytes += chunk.byteLength;
    if (this.waitingBytes >= JOINED_BYTES) await this.next();
  }

  /** Resolves when all of it is written. */
  async end(): Promise<void> {
    await this.next();
    await this.underWay;
  }

  /** Resolves when nothing is under way any more, failed or not. */
  async idle(): Promise<void> {
    await this.underWay.catch(() => {});
  }

  private async next(): Promise<void> {
    await this.underWay;
    const bytes = this.waiting.length === 1 ? (this.waiting[0] ?? new Uint8Array()) : Buffer.concat(this.waiting);
    this.waiting = [];
    this.waitingBytes = 0;
    this.underWay = this.write(bytes);
    // Whoever comes next hears of a failure; until then it is nobody's.
    this.underWay.catch(() => {});
  }

  /** A write may take a part only. */
  private async write(bytes: Uint8Array): Promise<void> {
    for (let written = 0; written < bytes.byteLength;) {
      const { bytesWritten } = await this.handle.write(bytes, written);
      written += bytesWritten;
    }
  }
}
