/**
 * Simulates a network line of 1 Gbit/s from a load generator to a server on the same machine. The loopback accepts a
 * body of a megabyte in one system call, and the kernel delivers it at the expense of the receiver. From outside it
 * would arrive in packets, between those of all other connections, and never faster than the line.
 *
 * Senders wait in one queue, and each turn in it sends one slice.
 */
const BYTES_PER_MS = 125_000;
/** Bytes that one connection sends before the next one's turn: eleven packets, about TCP's initial window. */
export const SLICE_BYTES = 16 * 1024;
/**
 * Time without CPU is made up for later, up to this limit, as if a switch had buffered the bytes; older time is lost.
 */
const MOST_BEHIND_MS = 10;
const TICK_MS = 1;

/** Sends at most `most` bytes; answers how many were accepted, and whether more can be sent now. */
export type SendSlice = (most: number) => { readonly sent: number; readonly hasMore: boolean };

export class Line {
  private readonly queue: SendSlice[] = [];
  private readonly timer = setInterval(() => this.tick(), TICK_MS);
  private lastAt = performance.now();
  private room = 0;
  /** All bytes that were sent. */
  sentBytes = 0;

  /** Queues a sender, which is called until it has no more to send. It must not be queued twice. */
  enqueue(sender: SendSlice): void {
    this.queue.push(sender);
  }

  close(): void {
    clearInterval(this.timer);
    this.queue.length = 0;
  }

  private tick(): void {
    const now = performance.now();
    this.room = Math.min(this.room + (now - this.lastAt) * BYTES_PER_MS, MOST_BEHIND_MS * BYTES_PER_MS);
    this.lastAt = now;
    let count = 0;
    while (this.room > 0 && count < this.queue.length) {
      const sender = this.queue[count++]!;
      const { sent, hasMore } = sender(SLICE_BYTES);
      this.room -= sent;
      this.sentBytes += sent;
      if (hasMore) this.queue.push(sender);
    }
    this.queue.splice(0, count);
  }
}
