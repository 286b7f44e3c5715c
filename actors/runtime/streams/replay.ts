/**
 * The replay buffer of one stream: the newest durable events, and the live text of the message that
 * is being written.
 *
 * - RE-1: it has only committed events, without a gap, so every reader may see it.
 *
 * A cursor is `seq` plus a `position` in the live text, counted in UTF-16 units (SSE-3). Each event
 * stores the length of the live text at its time (`mark`), so that a reader gets text and events in
 * their original order, however far it lags. Readers with the same cursor share one list of items,
 * which is built once.
 *
 * Text is bounded like the events: the newest `LIVE_TEXT_CHARS` of the texts that the ring and the
 * running message need are kept. A reader that lags further gets no more live text of that message; it
 * gets the committed text from the events and from the stored message.
 */
import { assert } from "../../assert.ts";
import { isolate, type OnBug, uncaught } from "../isolate.ts";
import {
  append,
  isSameText,
  joinPieces,
  type LiveText,
  newLiveText,
  type Publication,
  slice,
  type TextName,
  trim,
} from "./live-text.ts";
import { SharedPages } from "./shared-pages.ts";
import { valueSize } from "../sizes.ts";
import type { StoredEvent, TextMark } from "../store.ts";

/** Events kept for readers that lag slightly; older ones are read from the database by pages. */
export const RING_EVENTS = 256;
export const RING_BYTES = 256 * 1024;
/** UTF-16 units of live text that one stream keeps: 2 MiB, more than any model writes in one answer. */
export const LIVE_TEXT_CHARS = 1024 * 1024;

const NO_ITEMS: readonly StreamItem[] = [];

interface RingEntry {
  readonly event: StoredEvent;
  readonly live: LiveText | null;
  readonly mark: number;
  readonly bytes: number;
}

/**
 * A reader's cursor. `live` is the text that `position` counts in. While it is null, `position` applies
 * to the next text: 0 is its beginning, `ALL_KNOWN` the end of what caught-up readers already have.
 */
export interface Cursor {
  seq: number;
  live: TextName | null;
  position: number;
}
export const ALL_KNOWN = -1;

/** Moves the cursor into a text. In the same text it keeps its position, also after a wait for approval. */
export function enterText(cursor: Cursor, text: TextName & { readonly base: number }): void {
  const isFirst = cursor.live === null && cursor.position !== ALL_KNOWN;
  if (!isFirst && !isSameText(cursor.live, text)) cursor.position = text.base;
  cursor.live = text;
}

export interface TextDelta extends TextName {
  readonly kind: "text";
  readonly afterSeq: number;
  readonly position: number;
  readonly text: string;
}
export type StreamItem = { readonly kind: "event"; readonly event: StoredEvent } | TextDelta;

export class Replay {
  private entries: RingEntry[] = [];
  private bytes = 0;
  private text: LiveText | null = null;
  /** The texts that the ring or the running message needs, oldest first. */
  private texts: LiveText[] = [];
  private chars = 0;
  private version = 0;
  private taken: { version: number; from: Cursor; to: Cursor; items: readonly StreamItem[] } | null = null;
  /** Estimated bytes of everything that was ever published here: the difference is how far a reader lags. */
  said = 0;
  /** The newest published seq, or null while nothing has been published since this buffer was made. */
  head: number | null = null;
  /** Rises when the database may have newer events than the buffer, so that readers read it again. */
  generation = 0;
  readonly waiting = new Set<() => void>();
  /** Pages that its readers read from the table, shared. */
  readonly pages = new SharedPages();
  /** Open subscriptions; a stream with readers is not dropped. */
  readers = 0;
  /** The buffer was dropped with its actor: publishers must look it up again. */
  isDropped = false;
  /** Another replica owns the stream's shard permanently: nothing is published here any more. */
  isLost = false;
  private readonly onBug: OnBug;

  /** `onBug` gets exceptions of readers' callbacks. */
  constructor(onBug: OnBug = uncaught) {
    this.onBug = onBug;
  }

  /** Publishes what a committed group has to say, in its order, and then wakes the readers. */
  publishAll(publications: readonly Publication[]): void {
    for (const said of publications) {
      if (said.kind === "event") this.publish(said.event);
      else if (said.kind === "add") this.addText(said.messageId, said.text);
      else if (said.kind === "begin") this.beginText(said.messageId, said.attempt, said.text, said.known);
      else this.endText(said.messageId);
    }
    this.wake();
  }

  publish(event: StoredEvent): void {
    if (this.head !== null && event.seq <= this.head) return;
    if (this.head !== null && event.seq !== this.head + 1) this.forget();
    const bytes = 128 + event.type.length + valueSize(event.data);
    const last = this.entries.at(-1);
    assert(last === undefined || last.event.seq === event.seq - 1, "the events of a buffer are consecutive (RE-1)");
    this.entries.push({ event, live: this.text, mark: this.text?.length ?? 0, bytes });
    this.bytes += bytes;
    this.said += bytes;
    this.version++;
    this.head = event.seq;
    let drop = 0;
    while (this.entries.length - drop > RING_EVENTS || (this.bytes > RING_BYTES && this.entries.length - drop > 1)) {
      this.bytes -= this.entries[drop]!.bytes;
      drop++;
    }
    assert(this.bytes > 0, "a buffer counts the events that it keeps");
    if (drop > 0) {
      this.entries.splice(0, drop);
      this.forgetTexts();
    }
  }

  beginText(messageId: string, attempt: number, text: string, known = 0): void {
    const base = isSameText(this.text, { messageId, attempt }) ? this.text!.base : known;
    this.text = newLiveText({ messageId, attempt }, base);
    this.version++;
    this.texts.push(this.text);
    this.forgetTexts();
    this.addText(messageId, text);
  }

  addText(messageId: string, text: string): void {
    const live = this.text;
    if (live === null || live.messageId !== messageId || text === "") return;
    append(live, text);
    this.chars += text.length;
    this.said += text.length;
    this.version++;
    if (this.chars > LIVE_TEXT_CHARS) this.trimTexts();
  }

  get hasLiveText(): boolean {
    return this.text !== null;
  }

  /** Which text is being written. */
  get textName(): TextName | null {
    return this.text;
  }

  /** The length of the live text. */
  get mark(): TextMark | null {
    if (this.text === null) return null;
    const { messageId, attempt, base, length: position } = this.text;
    return { messageId, attempt, base, position };
  }

  /** The event, if the ring has it. */
  eventAt(seq: number): StoredEvent | null {
    const first = this.entries[0]?.event.seq ?? Number.POSITIVE_INFINITY;
    return this.entries[seq - first]?.event ?? null;
  }

  /** Text that is still in memory, or null. */
  textBetween(name: TextName, from: number, to: number): string | null {
    const live = this.texts.findLast((text) => isSameText(text, name));
    return live === undefined || from < live.from || to > live.length ? null : slice(live, from, to);
  }

  endText(messageId: string): void {
    if (this.text?.messageId !== messageId) return;
    joinPieces(this.text);
    this.text = null;
    this.version++;
    this.forgetTexts();
  }

  /** Wakes the readers once for each turn, after everything that it published. An exception in one callback does not stop the others. */
  wake(): void {
    if (this.waiting.size === 0) return;
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const run of waiting) isolate(run, this.onBug);
  }

  /** Drops the events but not the readers: what the buffer cannot guarantee is read from the database. */
  invalidate(): void {
    this.text = null;
    this.forget();
    this.head = null;
    this.version++;
    this.generation++;
    this.pages.forget();
    this.wake();
  }

  /** Ends the readers: their stream continues at another replica. */
  lose(): void {
    this.isLost = true;
    this.isDropped = true;
    this.wake();
  }

  /** Whether the next event after `seq` is in the buffer. */
  covers(seq: number): boolean {
    const first = this.entries[0];
    return first !== undefined && first.event.seq <= seq + 1;
  }

  /** Everything after the cursor, which it moves. Call it only if the buffer covers the cursor or is not ahead of it. */
  take(cursor: Cursor): readonly StreamItem[] {
    if (this.hasAll(cursor)) return NO_ITEMS;
    // No other reader shares the list.
    if (this.readers <= 1) return this.collect(cursor);
    const known = this.taken;
    if (known === null || known.version !== this.version || !isSamePlace(known.from, cursor)) {
      const from = copyCursor(cursor);
      const items = this.collect(cursor);
      this.taken = { version: this.version, from, to: copyCursor(cursor), items };
      return items;
    }
    cursor.seq = known.to.seq;
    cursor.live = known.to.live;
    cursor.position = known.to.position;
    return known.items;
  }

  /** Whether the reader has everything; false if this is not obvious. */
  private hasAll(cursor: Cursor): boolean {
    const { text } = this;
    if (this.head !== null && this.head > cursor.seq) return false;
    return text === null || (cursor.live === text && cursor.position >= text.length);
  }

  private collect(cursor: Cursor): StreamItem[] {
    const items: StreamItem[] = [];
    if (this.head !== null && this.head > cursor.seq) {
      const first = this.entries[0]!.event.seq;
      for (let i = cursor.seq + 1 - first; i < this.entries.length; i++) {
        const entry = this.entries[i]!;
        this.takeText(cursor, entry.live, entry.mark, items);
        items.push({ kind: "event", event: entry.event });
        cursor.seq = entry.event.seq;
      }
    }
    if (this.text !== null) this.takeText(cursor, this.text, this.text.length, items);
    return items;
  }

  private takeText(cursor: Cursor, live: LiveText | null, upTo: number, items: StreamItem[]): void {
    if (live === null) return;
    if (cursor.live !== live) enterText(cursor, live);
    if (upTo <= cursor.position) return;
    if (cursor.position < live.from) {
      cursor.position = Number.POSITIVE_INFINITY;
      return;
    }
    const text = slice(live, cursor.position, upTo);
    items.push({
      kind: "text",
      messageId: live.messageId,
      attempt: live.attempt,
      afterSeq: cursor.seq,
      position: upTo,
      text,
    });
    cursor.position = upTo;
  }

  private forget(): void {
    this.entries = [];
    this.bytes = 0;
    this.forgetTexts();
  }

  /** Drops texts that no event of the ring needs any more. */
  private forgetTexts(): void {
    if (this.texts.length === 0) return;
    const oldest = this.entries.find((entry) => entry.live !== null)?.live ?? this.text;
    while (this.texts.length > 0 && this.texts[0] !== oldest) {
      const { length, from } = this.texts.shift()!;
      this.chars -= length - from;
    }
  }

  /** Trims the texts to half their bound, oldest first, so that the cost for each piece stays small. */
  private trimTexts(): void {
    for (const live of this.texts) {
      const excess = this.chars - LIVE_TEXT_CHARS / 2;
      if (excess <= 0) return;
      this.chars -= trim(live, live.from + excess);
    }
  }
}

/** A copy. Field by field, because a spread costs ten times as much and this runs for each piece of text. */
const copyCursor = ({ seq, live, position }: Cursor): Cursor => ({ seq, live, position });

export const isSamePlace = (a: Cursor, b: Cursor): boolean =>
  a.seq === b.seq && a.live === b.live && a.position === b.position;
