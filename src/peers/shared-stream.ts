/**
 * A stream of another replica that this one relays to however many readers, over one connection (REP-11). What its
 * owner tells is kept in a bounded ring, in which each reader has a place; the connection is read when the fastest
 * reader has all, so slow ones hold up nobody. A reader who falls out of the ring goes on by a connection of its own.
 *
 *   owner ──one connection──▶ ring ──▶ readers
 *
 * The connection is opened with what one of its readers has brought (a door). When that one is refused, or its token
 * ends, another one's is used, and the others notice nothing. Each reader has been admitted by the owner before it
 * gets a place, and ends with its own token.
 */
import { QUIET } from "../http/stream/event-source.ts";
import { type Again, endOfId, lastId, OwnerEvents, type OwnerAnswer } from "./owner-events.ts";

/** Bytes that readers who are behind still find here; beyond that they read by themselves. */
export const RING_BYTES = 256 * 1024;
/** Bytes that are kept for readers who are still to come, so that they find their place. */
const TAIL_BYTES = 4 * 1024;
const REFUSED_TOKEN: ReadonlySet<number> = new Set([401, 403]);
const OF_TOKEN: ReadonlySet<string> = new Set(["revoked", "expired"]);

/** What a reader has brought with which the stream can be opened. */
export interface Door {
  readonly tokenId: string | null;
  readonly again: Again;
}

/** Where a reader stands: it has all bytes before `at`. */
export interface Place {
  at: number;
  /** Of the last event that it has. */
  cursor: string | null;
}

interface Piece {
  readonly bytes: Buffer;
  readonly from: number;
  /** Of the last event up to its end. */
  readonly cursor: string | null;
}

/** Ends the streams of a token in this process, at once. */
export type EndToken = (tokenId: string, reason: "revoked" | "expired") => void;

export class SharedStream {
  private readonly doors = new Set<Door>();
  private readonly places = new Set<Place>();
  private readonly endToken: EndToken;
  private readonly onEmpty: () => void;
  private upstream: OwnerEvents | null = null;
  /** By whose door the connection was opened. */
  private door: Door | null = null;
  private pieces: Piece[] = [];
  private told = 0;
  private isReading = false;
  private isOver = false;
  private waiting: (() => void)[] = [];
  private changing: PromiseWithResolvers<null> | null = null;
  /** Readers that are open. */
  private readers = 0;

  constructor(endToken: EndToken, onEmpty: () => void) {
    this.endToken = endToken;
    this.onEmpty = onEmpty;
  }

  get keptBytes(): number {
    return this.told - (this.pieces[0]?.from ?? this.told);
  }

  enter(door: Door): void {
    this.doors.add(door);
    this.readers++;
  }

  leave(door: Door): void {
    this.doors.delete(door);
    if (--this.readers === 0) this.close();
  }

  /** A place for somebody whom the owner has answered: the first one's answer is everybody's. Null where it has to read its own until it finds its place. */
  begin(door: Door, answer: OwnerAnswer, cursor: string | null): Place | null {
    if (this.upstream !== null) return this.isOver ? null : this.placeBehind(cursor);
    this.door = door;
    this.upstream = new OwnerEvents(answer, (from) => this.open(from), cursor);
    return this.placeAt({ at: this.told, cursor });
  }

  /** A place behind the event with this id, where that is still known here. */
  placeBehind(cursor: string | null): Place | null {
    if (cursor === null || this.isOver) return null;
    const { upstream } = this;
    if (upstream === null) return null;
    for (const { bytes, from, cursor: last } of this.pieces.toReversed()) {
      const end = last === cursor ? bytes.length : endOfId(bytes, cursor);
      if (end !== -1) return this.placeAt({ at: from + end, cursor });
    }
    return this.pieces.length === 0 && upstream.cursor === cursor ? this.placeAt({ at: this.told, cursor }) : null;
  }

  fork({ at, cursor }: Place): Place {
    return this.placeAt({ at, cursor });
  }

  giveUp(place: Place): void {
    this.places.delete(place);
  }

  /** What follows the place, which moves: `QUIET` where nothing does yet, null where nothing will; "behind" where it is not here any more. */
  take(place: Place): Buffer | typeof QUIET | "behind" | null {
    if (place.at === this.told) {
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

  /** Resolves with the next change. */
  changed(): Promise<null> {
    this.changing ??= Promise.withResolvers<null>();
    return this.changing.promise;
  }

  /** Opens the stream behind the cursor, by any door. */
  readonly open: Again = async (cursor) => {
    for (let door = this.doorNow(); door !== null; door = this.doorNow()) {
      const answer = await door.again(cursor);
      if (typeof answer !== "number" || answer === 0) return answer;
      this.shut(door);
      if (REFUSED_TOKEN.has(answer) && door.tokenId !== null) this.endToken(door.tokenId, "revoked");
      else if (this.doors.size === 0) return answer;
    }
    return 0;
  };

  private doorNow(): Door | null {
    if (this.door === null || !this.doors.has(this.door)) this.door = this.doors.values().next().value ?? null;
    return this.door;
  }

  /** It opens nothing any more. */
  private shut(door: Door): void {
    this.doors.delete(door);
    if (this.door === door) this.door = null;
  }

  private placeAt(place: Place): Place {
    this.places.add(place);
    return place;
  }

  private async read(): Promise<void> {
    const { upstream } = this;
    if (this.isReading || this.isOver || upstream === null) return;
    this.isReading = true;
    const told = await upstream.next();
    this.isReading = false;
    if (upstream !== this.upstream) return;
    const { door } = this;
    const tokenId = door?.tokenId ?? null;
    if (told.kind === "closed" && OF_TOKEN.has(told.reason) && door !== null && tokenId !== null) {
      // Whoever has brought it is out; the others go on behind what they have.
      upstream.close();
      this.shut(door);
      this.upstream = new OwnerEvents(null, this.open, upstream.cursor);
      this.endToken(tokenId, told.reason === "revoked" ? "revoked" : "expired");
      if (this.doors.size === 0) this.isOver = true;
    } else {
      if (told.bytes.length > 0) this.keep(told.bytes);
      this.isOver = told.kind !== "events";
    }
    const { waiting, changing } = this;
    this.waiting = [];
    this.changing = null;
    for (const run of waiting) run();
    changing?.resolve(null);
  }

  private keep(bytes: Buffer): void {
    this.pieces.push({
      bytes,
      from: this.told,
      cursor: lastId(bytes) ?? this.pieces.at(-1)?.cursor ?? this.upstream?.cursor ?? null,
    });
    this.told += bytes.length;
    const needed = this.places.values().reduce((least, { at }) => Math.min(least, at), this.told);
    const keepFrom = Math.max(this.told - RING_BYTES, Math.min(needed, this.told - TAIL_BYTES));
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

  /** The stream of this name; one for itself where it has none. */
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
