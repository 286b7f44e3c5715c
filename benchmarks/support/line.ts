/**
 * A network line of 1 Gbit/s for what a load generator sends to a server on the same machine. The loopback takes a
 * body of a megabyte in one system call, and the kernel delivers it at the expense of the receiver; from outside it
 * arrives in packets, between those of all other connections, and never more than the line carries.
 *
 * Senders wait in one queue, and each turn in it sends one slice.
 */
const BYTES_PER_MS = 125_000;
/** What one connection sends before the next one does: eleven packets, about what TCP sends before the first answer. */
export const SLICE_BYTES = 16 * 1024;
/** What was not sent while this process did not run is sent later, as a switch would hold it; older time is lost. */
const MOST_BEHIND_MS = 10;
const TICK_MS = 1;

/** Sends at most `most` bytes; answers how many were taken, and whether there are more that can be sent now. */
export type SendSlice = (most: number) => { readonly sent: number; readonly hasMore: boolean };

export class Line {
  private readonly queue: SendSlice[] = [];
  private readonly timer = setInterval(() => this.tick(), TICK_MS);
  private lastAt = performance.now();
  private room = 0;
  /** All bytes that were sent. */
  sentBytes = 0;

  /** Queues a sender, which is called until it has no more. It must not be queued twice. */
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
