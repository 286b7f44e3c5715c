/**
 * A stream of another replica, relayed to all readers of this one over one connection (REP-11). A bounded ring keeps
 * what the owner sends, and each reader has a place in it. The connection is read whenever the fastest reader has
 * everything, so slow readers delay nobody. A reader that falls out of the ring gets a connection of its own.
 *
 *   owner ──one connection──▶ ring ──▶ readers
 *
 * The connection is opened with the credentials of one reader (its door). When the owner refuses them, or the token
 * ends, the door of another reader is used, and the others notice nothing. The owner admits each reader before it gets
 * a place, and each stream ends with its reader's own token.
 */
import { QUIET } from "../http/stream/event-source.ts";
import {
  type Again,
  EMPTY_PIECE,
  endOfId,
  lastId,
  OwnerEvents,
  type OwnerAnswer,
  type Received,
} from "./owner-events.ts";

/** Bytes that the ring keeps for lagging readers; a reader that lags more reads over its own connection. */
export const SHARED_RING_BYTES = 256 * 1024;
/** Bytes that are kept for future readers, so that they find their place. */
const TAIL_BYTES = 4 * 1024;
/** The owner no longer accepts the token. A 403 concerns only this record. */
const REFUSED_TOKEN = 401;
const REFUSED_RECORD = 403;
const OF_TOKEN: ReadonlySet<string> = new Set(["revoked", "expired"]);

/** The credentials of one reader, which can open the stream. */
export interface ReaderDoor {
  readonly tokenId: string | null;
  readonly again: Again;
  /** Ends its reader, which may no longer read the record. */
  readonly end: () => void;
}

/** The owner's events over one connection, which any door can open. */
export class DoorEvents {
  private readonly stream: SharedStream;
  /** The door that opened the connection; null before it is open. */
  private door: ReaderDoor | null;
  private events: OwnerEvents;
  private isClosed = false;

  constructor(stream: SharedStream, door: ReaderDoor | null, answer: OwnerAnswer | null, cursor: string | null) {
    this.stream = stream;
    this.door = door;
    this.events = new OwnerEvents(answer, this.open, cursor);
  }

  get cursor(): string | null {
    return this.events.cursor;
  }

  /** The next events. When the token of its door ends, that reader's stream ends, and the next door is used. */
  async next(): Promise<Received> {
    for (;;) {
      const received = await this.events.next();
      const { door, events } = this;
      const tokenId = door?.tokenId ?? null;
      if (received.kind !== "closed" || !OF_TOKEN.has(received.reason) || door === null || tokenId === null)
        return received;
      events.close();
      this.stream.ended(door, tokenId, received.reason === "revoked" ? "revoked" : "expired");
      if (this.isClosed || !this.stream.hasDoors) return { kind: "over", bytes: EMPTY_PIECE };
      this.events = new OwnerEvents(null, this.open, events.cursor);
    }
  }

  /** Closes the connection; a waiting `next` ends. Idempotent. */
  close(): void {
    this.isClosed = true;
    this.events.close();
  }

  private readonly open: Again = async (cursor) => {
    const { door, answer } = await this.stream.opened(cursor);
    this.door = door;
    return answer;
  };
}

/** A reader's position: it has all bytes before `at`. */
export interface ReaderPlace {
  at: number;
  /** Id of the last event that the reader has. */
  cursor: string | null;
}

interface RingPiece {
  readonly bytes: Buffer;
  readonly from: number;
  /** Id of the last event up to the end of this chunk. */
  readonly cursor: string | null;
}

/** Ends the streams of a token in this process, at once. */
export type EndToken = (tokenId: string, reason: "revoked" | "expired") => void;

export class SharedStream {
  private readonly doors = new Set<ReaderDoor>();
  private readonly places = new Set<ReaderPlace>();
  private readonly endToken: EndToken;
  private readonly onEmpty: () => void;
  private upstream: DoorEvents | null = null;
  /** The door that opens connections. */
  private door: ReaderDoor | null = null;
  private pieces: RingPiece[] = [];
  /** Bytes from the owner since the beginning. */
  private received = 0;
  private isReading = false;
  private isOver = false;
  private waiting: (() => void)[] = [];
  private readonly watching = new Set<() => void>();
  /** The number of open readers. */
  private readers = 0;

  constructor(endToken: EndToken, onEmpty: () => void) {
    this.endToken = endToken;
    this.onEmpty = onEmpty;
  }

  get keptBytes(): number {
    return this.received - (this.pieces[0]?.from ?? this.received);
  }

  enter(door: ReaderDoor): void {
    this.doors.add(door);
    this.readers++;
  }

  leave(door: ReaderDoor): void {
    this.doors.delete(door);
    if (--this.readers === 0) this.close();
  }

  /** A place for an admitted reader; all share the first answer. Null: it reads its own until that reaches the ring. */
  begin(door: ReaderDoor, answer: OwnerAnswer, cursor: string | null): ReaderPlace | null {
    if (this.upstream !== null) return this.isOver ? null : this.placeBehind(cursor);
    this.door = door;
    this.upstream = new DoorEvents(this, door, answer, cursor);
    return this.placeAt({ at: this.received, cursor });
  }

  /** A connection for one reader alone: over the answer to its own door, or over a new one. */
  apart(cursor: string | null, door: ReaderDoor | null = null, answer: OwnerAnswer | null = null): DoorEvents {
    return new DoorEvents(this, door, answer, cursor);
  }

  /** A place after the event with this id; null if the ring no longer has it. */
  placeBehind(cursor: string | null): ReaderPlace | null {
    if (cursor === null || this.isOver) return null;
    const { upstream } = this;
    if (upstream === null) return null;
    for (const { bytes, from, cursor: last } of this.pieces.toReversed()) {
      const end = last === cursor ? bytes.length : endOfId(bytes, cursor);
      if (end !== -1) return this.placeAt({ at: from + end, cursor });
    }
    return this.pieces.length === 0 && upstream.cursor === cursor ? this.placeAt({ at: this.received, cursor }) : null;
  }

  fork({ at, cursor }: ReaderPlace): ReaderPlace {
    return this.placeAt({ at, cursor });
  }

  giveUp(place: ReaderPlace): void {
    this.places.delete(place);
  }

  /**
   * Takes what follows the place, and advances it. `QUIET`: nothing yet; null: the stream is over; "behind": the place
   * has fallen out of the ring.
   */
  take(place: ReaderPlace): Buffer | typeof QUIET | "behind" | null {
    if (place.at === this.received) {
      if (this.isOver) return null;
      void this.read();
      return QUIET;
    }
    const first = this.pieces.findIndex(({ from, bytes }) => place.at < from + bytes.length);
    if (first === -1 || this.pieces[first]!.from > place.at) return "behind";
    const { bytes, from, cursor } = this.pieces[first]!;
    place.cursor = cursor;
    const at = place.at - from;
    place.at = from + bytes.length;
    return at === 0 ? bytes : bytes.subarray(at);
  }

  onChange(run: () => void): void {
    this.waiting.push(run);
  }

  /** Calls `run` once, at the next change, unless the returned function runs first. */
  watch(run: () => void): () => void {
    this.watching.add(run);
    return () => void this.watching.delete(run);
  }

  get hasDoors(): boolean {
    return this.doors.size > 0;
  }

  /** Opens the stream after the cursor with any door; answers which door it used. */
  async opened(
    cursor: string | null,
  ): Promise<{ readonly door: ReaderDoor | null; readonly answer: Awaited<ReturnType<Again>> }> {
    for (let door = this.doorNow(); door !== null; door = this.doorNow()) {
      const answer = await door.again(cursor);
      if (typeof answer !== "number" || answer === 0) return { door, answer };
      this.shut(door);
      if (answer === REFUSED_TOKEN && door.tokenId !== null) this.endToken(door.tokenId, "revoked");
      else if (answer === REFUSED_RECORD && door.tokenId !== null) door.end();
      else if (this.doors.size === 0) return { door: null, answer };
    }
    return { door: null, answer: 0 };
  }

  /** The token that opened a connection has ended: its readers end too. */
  ended(door: ReaderDoor, tokenId: string, reason: "revoked" | "expired"): void {
    this.shut(door);
    this.endToken(tokenId, reason);
  }

  private doorNow(): ReaderDoor | null {
    if (this.door === null || !this.doors.has(this.door)) this.door = this.doors.values().next().value ?? null;
    return this.door;
  }

  /** Removes a door, so that it opens no more connections. */
  private shut(door: ReaderDoor): void {
    this.doors.delete(door);
    if (this.door === door) this.door = null;
  }

  private placeAt(place: ReaderPlace): ReaderPlace {
    this.places.add(place);
    return place;
  }

  private async read(): Promise<void> {
    const { upstream } = this;
    if (this.isReading || this.isOver || upstream === null) return;
    this.isReading = true;
    const received = await upstream.next();
    this.isReading = false;
    if (upstream !== this.upstream) return;
    if (received.bytes.length > 0) this.keep(received.bytes);
    this.isOver = received.kind !== "events";
    const runs = [...this.waiting, ...this.watching];
    this.waiting = [];
    this.watching.clear();
    for (const run of runs) run();
  }

  private keep(bytes: Buffer): void {
    this.pieces.push({
      bytes,
      from: this.received,
      cursor: lastId(bytes) ?? this.pieces.at(-1)?.cursor ?? this.upstream?.cursor ?? null,
    });
    this.received += bytes.length;
    const needed = this.places.values().reduce((least, { at }) => Math.min(least, at), this.received);
    const keepFrom = Math.max(this.received - SHARED_RING_BYTES, Math.min(needed, this.received - TAIL_BYTES));
    const first = this.pieces.findIndex(({ from, bytes: kept }) => from + kept.length > keepFrom);
    if (first > 0) this.pieces.splice(0, first);
  }

  private close(): void {
    this.upstream?.close();
    this.upstream = null;
    this.isOver = true;
    this.pieces = [];
    this.onEmpty();
  }
}

/** The streams that are relayed, by their names. */
export class SharedStreams {
  private readonly byName = new Map<string, SharedStream>();
  private readonly endToken: EndToken;

  constructor(endToken: EndToken) {
    this.endToken = endToken;
  }

  get count(): number {
    return this.byName.size;
  }

  /** The stream of this name; without a name, a new unshared one. */
  named(name: string | null): SharedStream {
    const known = name === null ? undefined : this.byName.get(name);
    if (known !== undefined) return known;
    const stream: SharedStream = new SharedStream(this.endToken, () => {
      if (name !== null && this.byName.get(name) === stream) this.byName.delete(name);
    });
    if (name !== null) this.byName.set(name, stream);
    return stream;
  }
}
