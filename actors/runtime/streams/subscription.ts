/**
 * A reader of a stream: a cursor, not a queue. It reads what follows the cursor from the replay
 * buffer if it is there, else as a page from the database, else it waits. Replay and live events are
 * read by one loop, so there is no gap between them, and a slow reader costs only its cursor. When
 * another replica has taken over the stream, the subscription ends (`isLost`) and the reader reconnects.
 *
 * Text is placed between the events by their marks, whether the events come from the buffer or from a
 * page. Text that is not in memory any more comes from `textOf`, if it was stored.
 *
 * - SU-1: a reader gets each event after its cursor once, in order, whether from the buffer or from pages.
 */
import { assert } from "../../assert.ts";
import { isSameText, type TextName } from "./live-text.ts";
import {
  ALL_KNOWN,
  type Cursor,
  enterText,
  isSamePlace,
  type Replay,
  type StreamItem,
  type TextDelta,
} from "./replay.ts";
import type { EventPage, PageOfEvents, TextMark } from "../store.ts";

/** Events of one page from the database. */
export const PAGE_EVENTS = 200;
/** Bytes of one page, plus at most one event: the memory that a reader of long messages needs. */
export const PAGE_BYTES = 256 * 1024;
/** A reader that lags by more bytes than this is too slow (SSE-5). Backlog present at subscribe time does not count as lag. */
export const SLOW_READER_EVENTS = 10_000;
export const SLOW_READER_BYTES = 1024 * 1024;

/** Where a stream and its texts are stored. */
export interface StreamStore {
  page(page: PageOfEvents): Promise<EventPage>;
  /** The stored text of this attempt of a message; null if it was never stored. */
  textOf?(name: TextName): Promise<string | null>;
}

/** Items built from pages; collected with them. */
const pageItems = new WeakMap<
  EventPage,
  { readonly from: Cursor; readonly to: Cursor; readonly items: readonly StreamItem[] }
>();

/** A client's cursor: after this event, and this far into the text that followed it. */
export interface ClientCursor {
  readonly seq: number;
  readonly position: number | null;
}

export class Subscription {
  private readonly cursor: Cursor;
  private readonly replay: Replay;
  private readonly store: StreamStore;
  /** The generation of the buffer up to which the database has been read to its end. */
  private caughtUp = -1;
  private closed = false;
  private wake: (() => void) | null = null;
  private stored: { readonly name: TextName; readonly text: string | null } | null = null;
  /** The newest event that the caller knew of. */
  private readonly known: number;
  /**
   * The bytes published, and the newest seq, when the reader subscribed or last caught up: its lag counts from here.
   */
  private readonly lagBase: { said: number; readonly seq: number };

  /** `head` is the newest event that the caller knows of. */
  constructor(replay: Replay, after: number, store: StreamStore, head = 0) {
    this.replay = replay;
    this.cursor = { seq: after, live: null, position: 0 };
    this.store = store;
    this.known = head;
    this.lagBase = { said: replay.said, seq: Math.max(after, head, replay.head ?? 0) };
    replay.readers++;
  }

  /** Whether it ended because another replica owns the stream, and not by `close`. */
  get isLost(): boolean {
    return this.replay.isLost && !this.closed;
  }

  /** The stream's replay buffer. */
  get stream(): object {
    return this.replay;
  }

  /** The newest durable event that the reader has. */
  get seq(): number {
    return this.cursor.seq;
  }

  /** Whether it lags by more than a reader may (SSE-5). */
  get isTooSlow(): boolean {
    const events = (this.replay.head ?? 0) - Math.max(this.cursor.seq, this.lagBase.seq);
    return events > SLOW_READER_EVENTS || this.replay.said - this.lagBase.said > SLOW_READER_BYTES;
  }

  /**
   * Moves the reader to a client's cursor. `gone`: the events after it are not retained any more;
   * `ahead`: the text was never that long.
   */
  async resume({ seq, position }: ClientCursor): Promise<"resumed" | "gone" | "ahead"> {
    const { replay, cursor } = this;
    cursor.seq = seq;
    cursor.live = null;
    cursor.position = ALL_KNOWN;
    let own = replay.eventAt(seq);
    let next = replay.eventAt(seq + 1);
    const isHead = seq === this.known;
    if (isHead && replay.head === null) this.caughtUp = replay.generation;
    const isTextKnown = next !== null || (isHead && (replay.head === null || replay.head === seq));
    const needsOwn = position === null && own === null && seq > 0 && (next?.live ?? replay.mark) !== null;
    if (!isTextKnown || needsOwn) {
      // Readers that were disconnected together have the same cursor.
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

  /** The first retained event after `seq`; without one, the seq after the last event. */
  async firstKept(seq: number): Promise<number> {
    if (this.replay.eventAt(seq + 1) !== null) return seq + 1;
    const [first] = (await this.store.page({ after: seq, limit: 1 })).events;
    return first?.seq ?? Math.max(seq, this.known) + 1;
  }

  /** All new items, at least one; an empty list once the subscription is closed or lost. */
  async next(): Promise<readonly StreamItem[]> {
    while (!this.closed && !this.replay.isLost) {
      const taken = this.take();
      const items = taken ?? (await this.nextPage());
      if (items.length > 0) return items;
      if (taken !== null) await new Promise<void>((resolve) => this.onChange(resolve));
    }
    return [];
  }

  /** All new items in memory, perhaps none; null if they must be read from the database (`nextPage`). */
  take(): readonly StreamItem[] | null {
    if (this.isBehindBuffer) return null;
    const items = this.replay.take(this.cursor);
    this.lagBase.said = this.replay.said;
    return items;
  }

  /** A page from the database of what is not in memory; empty if there is none. */
  async nextPage(): Promise<readonly StreamItem[]> {
    const generation = this.replay.generation;
    // A copy until the whole page is read: a failed read must not move the reader.
    const cursor = { ...this.cursor };
    const asked = { after: cursor.seq, limit: PAGE_EVENTS, bytes: PAGE_BYTES };
    const page = await this.replay.pages.read(asked, this.known, () => this.store.page(asked));
    const items = await this.itemsOf(page, cursor);
    if (this.closed) return [];
    Object.assign(this.cursor, cursor);
    if (!page.hasMore) {
      this.caughtUp = generation;
      // Events that the caller knew of and the table no longer has are past their retention: the reader has caught up.
      if (this.cursor.seq < this.known) this.cursor.seq = this.known;
      this.stored = null;
    }
    return items;
  }

  /** Whether both get the same items from here on. */
  isWith(other: Subscription): boolean {
    const [a, b] = [this.cursor, other.cursor];
    const isSameRead = this.replay === other.replay && this.isBehindBuffer === other.isBehindBuffer;
    return isSameRead && a.seq === b.seq && a.position === b.position && isSameText(a.live, b.live);
  }

  /** Another reader with the same cursor and the same lag. */
  fork(): Subscription {
    const { cursor, lagBase, replay, store } = this;
    const fork = new Subscription(replay, cursor.seq, store, this.known);
    Object.assign(fork.cursor, cursor);
    fork.caughtUp = this.caughtUp;
    Object.assign(fork.lagBase, lagBase);
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
    assert(this.replay.readers >= 0, "each reader that leaves has come");
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

  /** The items of a page after the cursor, which it moves; readers with the same cursor share the list. */
  private async itemsOf(page: EventPage, cursor: Cursor): Promise<readonly StreamItem[]> {
    const known = pageItems.get(page);
    if (known !== undefined && isSamePlace(known.from, cursor)) {
      Object.assign(cursor, known.to);
      return known.items;
    }
    const from = { ...cursor };
    const items: StreamItem[] = [];
    const { head } = this.replay;
    for (const event of page.events) {
      // Committed, and about to be published with the text before it, which memory does not have yet.
      if (head !== null && event.seq > head) break;
      const delta = event.live === undefined ? null : await this.textUpTo(event.live, cursor);
      if (delta !== null) items.push(delta);
      assert(event.seq > cursor.seq, "a page goes on after the cursor (SU-1)");
      items.push({ kind: "event", event });
      cursor.seq = event.seq;
    }
    pageItems.set(page, { from, to: { ...cursor }, items });
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
