/**
 * A reader of a stream: a cursor, not a queue. It takes what follows the cursor: from the replay
 * buffer when it is there, else as a page from the database, else it waits. Replay and live are one
 * loop, so there is no seam between them, and a slow reader costs a cursor. When another replica has
 * taken the stream for good, the subscription ends (`isLost`): the reader goes on there.
 *
 * Text stands between the events where their marks say, whether they come from the buffer or from a
 * page; what memory has of it no more, `textOf` has, if it was ever stored.
 */
import { isSameText, type TextName } from "./live-text.ts";
import {
  ALL_TOLD,
  type Cursor,
  enterText,
  isSamePlace,
  type Replay,
  type StreamItem,
  type TextDelta,
} from "./replay.ts";
import type { EventPage, PageOfEvents, TextMark } from "./store.ts";

/** Events of one page from the database. */
export const PAGE_EVENTS = 200;
/** And bytes, with one event more at most: what a reader of long messages has in memory at a time. */
export const PAGE_BYTES = 256 * 1024;
/** A reader that is this far behind what has been said since it came is too slow (SSE-5). */
export const SLOW_READER_EVENTS = 10_000;
export const SLOW_READER_BYTES = 1024 * 1024;

/** Where a stream and its texts are stored. */
export interface StreamStore {
  page(page: PageOfEvents): Promise<EventPage>;
  /** The text of this attempt of a message as far as it is stored; null where this attempt's never was. */
  textOf?(name: TextName): Promise<string | null>;
}

/** What pages tell; forgotten with them. */
const told = new WeakMap<
  EventPage,
  { readonly from: Cursor; readonly to: Cursor; readonly items: readonly StreamItem[] }
>();

/** A place that a client names: after this event, and so far in the text that followed it. */
export interface ClientCursor {
  readonly seq: number;
  readonly position: number | null;
}

export class Subscription {
  private readonly cursor: Cursor;
  private readonly replay: Replay;
  private readonly store: StreamStore;
  /** The buffer's generation that has been paged to the end: nothing older is left in the database. */
  private caughtUp = -1;
  private closed = false;
  private wake: (() => void) | null = null;
  private stored: { readonly name: TextName; readonly text: string | null } | null = null;
  /** The newest event that its opener knew of. */
  private readonly known: number;
  /** What had been said when the reader last had all of it; what it finds at its coming is no debt. */
  private readonly heard: { said: number; readonly seq: number };

  /** `head` is the newest event that the caller knows of. */
  constructor(replay: Replay, after: number, store: StreamStore, head = 0) {
    this.replay = replay;
    this.cursor = { seq: after, live: null, position: 0 };
    this.store = store;
    this.known = head;
    this.heard = { said: replay.said, seq: Math.max(after, head, replay.head ?? 0) };
    replay.readers++;
  }

  /** Whether it has ended because the stream goes on at another replica, and not by `close`. */
  get isLost(): boolean {
    return this.replay.isLost && !this.closed;
  }

  /** What it is a place in. */
  get stream(): object {
    return this.replay;
  }

  /** The newest durable event that the reader has. */
  get seq(): number {
    return this.cursor.seq;
  }

  /** Whether more has been said since it last had all than a reader may leave untaken (SSE-5). */
  get isTooSlow(): boolean {
    const events = (this.replay.head ?? 0) - Math.max(this.cursor.seq, this.heard.seq);
    return events > SLOW_READER_EVENTS || this.replay.said - this.heard.said > SLOW_READER_BYTES;
  }

  /**
   * Puts the reader where a client has left off. `gone`: the events after it are not kept any more;
   * `ahead`: there has never been so much text.
   */
  async resume({ seq, position }: ClientCursor): Promise<"resumed" | "gone" | "ahead"> {
    const { replay, cursor } = this;
    cursor.seq = seq;
    cursor.live = null;
    cursor.position = ALL_TOLD;
    let own = replay.eventAt(seq);
    let next = replay.eventAt(seq + 1);
    const isHead = seq === this.known;
    if (isHead && replay.head === null) this.caughtUp = replay.generation;
    const isTextKnown = next !== null || (isHead && (replay.head === null || replay.head === seq));
    const needsOwn = position === null && own === null && seq > 0 && (next?.live ?? replay.mark) !== null;
    if (!isTextKnown || needsOwn) {
      // Readers who were cut off together stand at the same event.
      const asked = { after: Math.max(0, seq - 1), limit: 2 };
      const { events: found } = await replay.pages.share(asked, this.known, () => this.store.page(asked));
      own = found.find((event) => event.seq === seq) ?? null;
      next = found.find((event) => event.seq === seq + 1) ?? replay.eventAt(seq + 1);
      if (next === null && (found.at(-1)?.seq ?? this.known) > seq) return "gone";
    }
    const text = next === null ? replay.mark : (next.live ?? null);
    if (text === null) return "resumed";
    if (position !== null && position > text.position) return "ahead";
    cursor.live = text;
    cursor.position = position ?? (isSameText(own?.live, text) ? own!.live!.position : text.base);
    return "resumed";
  }

  /** The first event after `seq` that is kept; the one after the last where none is. */
  async firstKept(seq: number): Promise<number> {
    if (this.replay.eventAt(seq + 1) !== null) return seq + 1;
    const [first] = (await this.store.page({ after: seq, limit: 1 })).events;
    return first?.seq ?? Math.max(seq, this.known) + 1;
  }

  /** All that is new, at least one item; an empty list once the subscription is closed or lost. */
  async next(): Promise<readonly StreamItem[]> {
    while (!this.closed && !this.replay.isLost) {
      const taken = this.take();
      const items = taken ?? (await this.nextPage());
      if (items.length > 0) return items;
      if (taken !== null) await new Promise<void>((resolve) => this.onChange(resolve));
    }
    return [];
  }

  /** All that is new and in memory, maybe nothing; null where it must be asked of the database (`nextPage`). */
  take(): readonly StreamItem[] | null {
    if (this.isBehindBuffer) return null;
    const items = this.replay.take(this.cursor);
    this.heard.said = this.replay.said;
    return items;
  }

  /** A page of what memory has not; empty where there is nothing, or nothing any more. */
  async nextPage(): Promise<readonly StreamItem[]> {
    const generation = this.replay.generation;
    // Its own until all of the page is there: a read that fails must leave the reader where it is.
    const cursor = { ...this.cursor };
    const asked = { after: cursor.seq, limit: PAGE_EVENTS, bytes: PAGE_BYTES };
    const page = await this.replay.pages.read(asked, this.known, () => this.store.page(asked));
    const items = await this.itemsOf(page, cursor);
    if (this.closed) return [];
    Object.assign(this.cursor, cursor);
    if (!page.hasMore) {
      this.caughtUp = generation;
      // What its opener knew of and the table has no more is past its time: the reader has all that there is.
      if (this.cursor.seq < this.known) this.cursor.seq = this.known;
      this.stored = null;
    }
    return items;
  }

  /** Whether both will be told the same from here on. */
  isWith(other: Subscription): boolean {
    const [a, b] = [this.cursor, other.cursor];
    const isSameRead = this.replay === other.replay && this.isBehindBuffer === other.isBehindBuffer;
    return isSameRead && a.seq === b.seq && a.position === b.position && isSameText(a.live, b.live);
  }

  /** Another reader at this place. It owes what this one owes. */
  fork(): Subscription {
    const { cursor, heard, replay, store } = this;
    const fork = new Subscription(replay, cursor.seq, store, this.known);
    Object.assign(fork.cursor, cursor);
    fork.caughtUp = this.caughtUp;
    Object.assign(fork.heard, heard);
    return fork;
  }

  /** Runs once when there may be something new, and when the subscription ends. */
  onChange(run: () => void): void {
    if (this.closed || this.replay.isLost) return run();
    this.wake = run;
    this.replay.waiting.add(run);
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

  private get isBehindBuffer(): boolean {
    const { replay, cursor } = this;
    const behind = replay.head === null ? this.caughtUp !== replay.generation : replay.head > cursor.seq;
    return behind && !replay.covers(cursor.seq);
  }

  /** What a page tells from the cursor on, which it moves; the same list for all who come from the same place. */
  private async itemsOf(page: EventPage, cursor: Cursor): Promise<readonly StreamItem[]> {
    const known = told.get(page);
    if (known !== undefined && isSamePlace(known.from, cursor)) {
      Object.assign(cursor, known.to);
      return known.items;
    }
    const from = { ...cursor };
    const items: StreamItem[] = [];
    for (const event of page.events) {
      const delta = event.live === undefined ? null : await this.textUpTo(event.live, cursor);
      if (delta !== null) items.push(delta);
      items.push({ kind: "event", event });
      cursor.seq = event.seq;
    }
    told.set(page, { from, to: { ...cursor }, items });
    return items;
  }

  /** The text between the cursor, which it moves, and the mark of the next event. */
  private async textUpTo(mark: TextMark, cursor: Cursor): Promise<TextDelta | null> {
    if (this.store.textOf === undefined) return null;
    enterText(cursor, mark);
    const { messageId, attempt, position: to } = mark;
    const { position: from, seq: afterSeq } = cursor;
    if (to <= from) return null;
    const text = this.replay.textBetween(mark, from, to) ?? (await this.storedText(mark))?.slice(from, to) ?? "";
    cursor.position = to;
    return text === "" ? null : { kind: "text", messageId, attempt, afterSeq, position: from + text.length, text };
  }

  private async storedText(name: TextName): Promise<string | null> {
    if (!isSameText(this.stored?.name, name)) {
      this.stored = { name, text: (await this.store.textOf?.(name)) ?? null };
    }
    return this.stored?.text ?? null;
  }
}
