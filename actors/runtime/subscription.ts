/**
 * A reader of a stream: a cursor, not a queue. `next` takes what follows the cursor: from the replay
 * buffer when it is there, else as a page from the database, else it waits. Replay and live are one
 * loop, so there is no seam between them, and a slow reader costs a cursor. When another replica has
 * taken the stream for good, the subscription ends (`isLost`): the reader goes on there.
 */
import type { Cursor, Replay, StreamItem } from "./replay.ts";
import type { StoredEvent } from "./store.ts";

/** Events of one page from the database. */
export const PAGE_EVENTS = 200;

export class Subscription {
  private readonly cursor: Cursor;
  private readonly replay: Replay;
  private readonly page: (after: number, limit: number) => Promise<readonly StoredEvent[]>;
  /** The buffer's generation that has been paged to the end: nothing older is left in the database. */
  private caughtUp = -1;
  private closed = false;
  private wake: (() => void) | null = null;

  constructor(replay: Replay, after: number, page: (after: number, limit: number) => Promise<readonly StoredEvent[]>) {
    this.replay = replay;
    this.cursor = { seq: after, live: null, position: 0 };
    this.page = page;
    replay.readers++;
  }

  /** Whether it has ended because the stream goes on at another replica, and not by `close`. */
  get isLost(): boolean {
    return this.replay.isLost && !this.closed;
  }

  /** The newest durable event that the reader has. */
  get seq(): number {
    return this.cursor.seq;
  }

  /** All that is new, at least one item; an empty list once the subscription is closed or lost. */
  async next(): Promise<readonly StreamItem[]> {
    while (!this.closed && !this.replay.isLost) {
      const replay = this.replay;
      const behind = replay.head === null ? this.caughtUp !== replay.generation : replay.head > this.cursor.seq;
      if (behind && !replay.covers(this.cursor.seq)) {
        const items = await this.fromDatabase();
        if (items.length > 0) return items;
        continue;
      }
      const items = replay.take(this.cursor);
      if (items.length > 0) return items;
      await this.changed();
    }
    return [];
  }

  /** Ends the reader; a waiting `next` resolves with nothing. Idempotent. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.replay.readers--;
    if (this.wake !== null) {
      this.replay.waiting.delete(this.wake);
      this.wake();
    }
  }

  private async fromDatabase(): Promise<StreamItem[]> {
    const generation = this.replay.generation;
    const events = await this.page(this.cursor.seq, PAGE_EVENTS);
    if (this.closed) return [];
    if (events.length < PAGE_EVENTS) this.caughtUp = generation;
    const last = events.at(-1);
    if (last !== undefined) this.cursor.seq = last.seq;
    return events.map((event) => ({ kind: "event", event }));
  }

  private changed(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
      this.replay.waiting.add(resolve);
    });
  }
}
