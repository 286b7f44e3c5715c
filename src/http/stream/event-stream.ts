/**
 * A response that streams events from a cursor. It reads from its source only while the socket
 * takes what there is: what it cannot take is one piece at most, of which a part is its own, and a slow client
 * costs a cursor and that part.
 *
 *   by itself ──has all──▶ in an audience      both: over, failed, ended by the service ──▶ last words ──▶ ended
 *      ▲                        │                    the client leaves ──▶ ended
 *      └──the socket is full────┘              by itself: too slow ──▶ last words ──▶ ended
 *                                                         takes nothing for too long ──▶ ended
 */
import type { Connected } from "../request/caller.ts";
import type { Audience, Listener } from "./audience.ts";
import type { EventSource, Interruption, Piece } from "./event-source.ts";
import { type Beating, HEARTBEAT_MS } from "./heartbeats.ts";
import type { Bearer, OpenStream, OpenStreams } from "./open-streams.ts";
import { type Reader, Reading } from "./reading.ts";
import { SSE_HEADERS } from "./sse.ts";

/** A client that takes nothing for this long is gone, or might as well be. */
export const STALLED_READER_MS = 120_000;
/**
 * What a socket does not take is copied and kept for it. So a piece is offered in parts of this many bytes, and
 * what is left of it waits where it is the same for all who are told it.
 */
export const PART_BYTES = 16 * 1024;
/** What a reader has for taking what is queued when its stream has ended, in seconds. */
const LAST_WORDS_SECONDS = 10;
const encoder = new TextEncoder();

export interface EventStreamParts {
  /** For its time-out. */
  readonly connection: Connected;
  readonly streams: OpenStreams;
  /** Who has opened it: it ends with that token. */
  readonly bearer: Bearer | null;
  readonly onFailure: (cause: unknown) => void;
  /** The longest that it lives; without it as long as its client wants. */
  readonly lifeMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Gets the stream, to end it. */
  readonly onOpen?: (stream: OpenStream) => void;
  /** Runs once, when it has ended or its client has left. */
  readonly onEnd?: () => void;
}

/** The streaming response; `opening` leaves at once. */
export function eventStream(source: EventSource, opening: string, parts: EventStreamParts): Response {
  const stream = new EventStream(source, opening, parts);
  // Direct, and nothing waits for more: what is written goes to the socket at once, with no queue between.
  const body = new ReadableStream(stream, { highWaterMark: 1 });
  return new Response(body, { headers: { ...SSE_HEADERS, ...parts.headers } });
}

class EventStream implements Bun.DirectUnderlyingSource, OpenStream, Beating, Reader, Listener {
  readonly type = "direct";
  private readonly parts: EventStreamParts;
  private readonly endsAt: number;
  private sink: ReadableStreamDirectController | null = null;
  /** What is to be told before anybody takes it. */
  private opening: string;
  /** Where it stands: by itself, or with others. */
  private place: Reading | Audience;
  /** The socket takes no more for now. */
  private isFull = false;
  /** What it will take of the last piece when it has room. */
  private rest: Uint8Array | null = null;
  private hasEnded = false;
  /** While it is by itself: an audience knows when it was last written to. */
  private writtenAt = 0;

  constructor(source: EventSource, opening: string, parts: EventStreamParts) {
    this.parts = parts;
    this.endsAt = parts.streams.clock.monotonic() + (parts.lifeMs ?? Number.POSITIVE_INFINITY);
    this.opening = opening;
    this.place = new Reading(source, this);
    // The heartbeat looks after this connection, not the server's idle time-out.
    parts.connection.keepOpen(0);
    parts.streams.heartbeats.add(this);
    parts.onOpen?.(this);
    parts.streams.add(this);
  }

  get bearer(): Bearer | null {
    return this.parts.bearer;
  }

  get organizationId(): string | null {
    return this.parts.bearer?.organizationId ?? null;
  }

  get hasRoom(): boolean {
    return this.sink !== null && !this.isFull;
  }

  get stalledMs(): number {
    // At least a moment: it is behind from the first byte that its socket does not take.
    return this.isFull ? Math.max(1, this.parts.streams.clock.monotonic() - this.writtenAt) : 0;
  }

  /** The response is on its way. */
  pull(sink: ReadableStreamDirectController): void {
    if (this.sink !== null) return;
    this.sink = sink;
    const { opening } = this;
    this.opening = "";
    this.take(opening);
    if (this.hasEnded) void sink.end();
    else this.go();
  }

  /** The client is gone; of a direct stream this is told of every client, also where nothing was ever pulled. */
  cancel(): void {
    this.letGo();
  }

  end(reason: Interruption): void {
    this.finish(this.place.source.lastWords(reason));
  }

  beat(nowMs: number): number {
    const silentMs = nowMs - this.writtenAt;
    if (nowMs >= this.endsAt) this.end("expired");
    else if (!this.hasRoom && silentMs >= STALLED_READER_MS) this.cutOff();
    else if (this.hasRoom && silentMs >= HEARTBEAT_MS) this.take(this.parts.streams.heartbeats.comment());
    else if (silentMs < HEARTBEAT_MS) return Math.min(HEARTBEAT_MS - silentMs, this.endsAt - nowMs);
    return Math.min(HEARTBEAT_MS, this.endsAt - nowMs);
  }

  take(piece: Piece): void {
    const written = this.write(piece);
    this.writtenAt = this.parts.streams.clock.monotonic();
    if (written !== null) this.waitForRoom(written);
  }

  /** With others, where there are any: a stream that ends by its own clock waits alone. */
  caughtUp(): void {
    const { source } = this.place;
    const shared = this.endsAt === Number.POSITIVE_INFINITY ? (source.shared?.() ?? null) : null;
    if (shared === null) this.place.wait();
    else this.parts.streams.audiences.seat(this, shared, this.writtenAt);
  }

  seated(audience: Audience): void {
    if (this.place instanceof Reading) {
      this.place.close();
      this.parts.streams.heartbeats.remove(this);
    }
    this.place = audience;
  }

  hear(piece: Piece, audience: Audience): void {
    try {
      const written = this.write(piece);
      if (written !== null) this.stepOut(audience, written);
    } catch (cause) {
      this.failed(cause);
    }
  }

  over(): void {
    this.finish("");
  }

  failed(cause: unknown): void {
    if (this.hasEnded) return;
    this.parts.onFailure(cause);
    this.end("failure");
  }

  tooSlow(): void {
    this.end("slow_consumer");
  }

  private go(): void {
    const { place } = this;
    if (place instanceof Reading) this.parts.streams.timed(this.organizationId, () => place.go());
  }

  /** Offers it to the socket; null when all of it was taken, else when there is room again. */
  private write(piece: Piece): Promise<number> | null {
    if (piece.length > PART_BYTES) return this.writeParts(typeof piece === "string" ? encoder.encode(piece) : piece);
    const written: number | Promise<number> = this.sink!.write(piece);
    return typeof written === "number" ? null : written;
  }

  private writeParts(bytes: Uint8Array): Promise<number> | null {
    for (let from = 0; from < bytes.length; from += PART_BYTES) {
      const written: number | Promise<number> = this.sink!.write(bytes.subarray(from, from + PART_BYTES));
      if (typeof written === "number") continue;
      if (from + PART_BYTES < bytes.length) this.rest = bytes.subarray(from + PART_BYTES);
      return written;
    }
    return null;
  }

  private waitForRoom(written: Promise<number>): void {
    this.isFull = true;
    written.then(
      () => this.goOn(),
      () => this.letGo(),
    );
  }

  private goOn(): void {
    this.isFull = false;
    if (this.hasEnded) return;
    const { rest } = this;
    this.rest = null;
    if (rest !== null) this.take(rest);
    if (!this.isFull) this.go();
  }

  /** Out of the audience, whose others are not to wait for this one. */
  private stepOut(audience: Audience, written: Promise<number>): void {
    const alone = new Reading(audience.source.fork(), this);
    audience.leave(this);
    this.place = alone;
    this.writtenAt = this.parts.streams.clock.monotonic();
    this.parts.streams.heartbeats.add(this);
    this.waitForRoom(written);
    alone.wait();
  }

  /** What is queued in the socket would keep it open for ever; the server's time-out closes it with a second's notice. */
  private cutOff(): void {
    this.letGo();
    this.parts.connection.keepOpen(1);
  }

  private finish(lastWords: string): void {
    if (this.hasEnded) return;
    // Before the end, or it does not count: who takes nothing would keep its socket for as long as it likes.
    this.parts.connection.keepOpen(LAST_WORDS_SECONDS);
    if (this.sink === null) this.opening += lastWords;
    else {
      // The cursor in the last words has all of the last piece behind it.
      if (this.rest !== null) void this.sink.write(this.rest);
      if (lastWords !== "") void this.sink.write(lastWords);
      void this.sink.end();
    }
    this.letGo();
  }

  /** Releases everything. The client may still read what is already buffered. */
  private letGo(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.parts.streams.heartbeats.remove(this);
    this.parts.streams.remove(this);
    if (this.place instanceof Reading) this.place.close();
    else this.place.leave(this);
    this.parts.onEnd?.();
  }
}
