/**
 * A response that streams events from a cursor. It reads from its source only while the socket accepts data. At most
 * one piece is pending, and only a part of that is copied for the client: so a slow client costs a cursor and that
 * part.
 *
 *   alone ──caught up──▶ in an audience       both: over, failed, ended by the service ──▶ last words ──▶ ended
 *      ▲                        │                    the client leaves ──▶ ended
 *      └──the socket is full────┘              alone: too slow ──▶ last words ──▶ ended
 *                                                         reads nothing for too long ──▶ ended
 */
import type { CallConnection } from "../request/caller.ts";
import type { Audience, Listener } from "./audience.ts";
import type { EventSource, InnerReader, Interruption, StreamPiece, StreamSink } from "./event-source.ts";
import { type Beating, HEARTBEAT_MS } from "./heartbeats.ts";
import type { Bearer, OpenStream, OpenStreams } from "./open-streams.ts";
import { type PieceReader, StreamReading } from "./reading.ts";
import { SSE_HEADERS } from "./sse.ts";

/** A client that reads nothing for this long is gone, or as good as gone. */
export const STALLED_READER_MS = 120_000;
/**
 * Data that a socket does not accept is copied and kept for it. So a piece is offered in parts of this many bytes,
 * and the rest stays in the memory that all readers share.
 */
export const OFFERED_PART_BYTES = 16 * 1024;
/** Seconds for the client to read the queued rest after its stream has ended. */
const LAST_WORDS_SECONDS = 10;
const textEncoder = new TextEncoder();

export interface EventStreamParts {
  /** To set its timeout. */
  readonly connection: CallConnection;
  readonly streams: OpenStreams;
  /** The token that opened it: the stream ends with that token. */
  readonly bearer: Bearer | null;
  readonly onFailure: (cause: unknown) => void;
  /** The longest life of the stream; omitted: unlimited. */
  readonly lifeMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called with the stream, so that it can be ended. */
  readonly onOpen?: (stream: OpenStream) => void;
  /** Runs once, when the stream has ended or its client is gone. */
  readonly onEnd?: () => void;
}

/** The streaming response; `opening` is sent at once. */
export function eventStream(source: EventSource, opening: string, parts: EventStreamParts): Response {
  const stream = new EventStream(source, opening, parts);
  const { reader = null } = parts.connection;
  // Direct: writes go to the socket at once, with no queue between.
  const body = reader === null ? new ReadableStream(stream, { highWaterMark: 1 }) : null;
  if (reader !== null) stream.writeTo(reader);
  return new Response(body, { headers: { ...SSE_HEADERS, ...parts.headers } });
}

class EventStream implements Bun.DirectUnderlyingSource, OpenStream, Beating, PieceReader, Listener {
  readonly type = "direct";
  private readonly parts: EventStreamParts;
  private readonly endsAt: number;
  private sink: StreamSink | null = null;
  /** Text to send before the first pull. */
  private opening: string;
  /** Its position: alone, or shared in an audience. */
  private place: StreamReading | Audience;
  /** The socket accepts no more for now. */
  private isFull = false;
  /** The rest of the last piece, for when the socket has room. */
  private rest: Uint8Array | null = null;
  private hasEnded = false;
  /** Time of the last write while alone; an audience has its own. */
  private writtenAt = 0;
  /** Forgets a reader in this process, whose signal may live much longer. */
  private forgetReader: (() => void) | null = null;

  constructor(source: EventSource, opening: string, parts: EventStreamParts) {
    this.parts = parts;
    this.endsAt = parts.streams.clock.monotonic() + (parts.lifeMs ?? Number.POSITIVE_INFINITY);
    this.opening = opening;
    this.place = new StreamReading(source, this);
    // The heartbeat supervises this connection, not the server's idle timeout.
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
    // At least 1: the client lags from the first byte that its socket does not accept.
    return this.isFull ? Math.max(1, this.parts.streams.clock.monotonic() - this.writtenAt) : 0;
  }

  /** The response is on its way. */
  pull(sink: StreamSink): void {
    if (this.sink !== null) return;
    this.sink = sink;
    const { opening } = this;
    this.opening = "";
    this.take(opening);
    if (this.hasEnded) void sink.end();
    else this.go();
  }

  /** In place of a response: nobody pulls. */
  writeTo(reader: InnerReader): void {
    const { signal } = reader;
    if (signal.aborted) return this.cancel();
    const gone = (): void => this.cancel();
    signal.addEventListener("abort", gone, { once: true });
    this.forgetReader = () => signal.removeEventListener("abort", gone);
    this.pull(reader);
  }

  /** The client is gone; a direct stream gets this call for every client, even if nothing was ever pulled. */
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

  take(piece: StreamPiece): void {
    const written = this.write(piece);
    this.writtenAt = this.parts.streams.clock.monotonic();
    if (written !== null) this.waitForRoom(written);
  }

  /** Joins others, if there are any; a stream with a time limit of its own waits alone. */
  caughtUp(): void {
    const { source } = this.place;
    const shared = this.endsAt === Number.POSITIVE_INFINITY ? (source.shared?.() ?? null) : null;
    if (shared === null) this.place.wait();
    else this.parts.streams.audiences.seat(this, shared, this.writtenAt);
  }

  seated(audience: Audience): void {
    if (this.place instanceof StreamReading) {
      this.place.close();
      this.parts.streams.heartbeats.remove(this);
    }
    this.place = audience;
  }

  hear(piece: StreamPiece, audience: Audience): void {
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
    if (place instanceof StreamReading) this.parts.streams.timed(this.organizationId, () => place.go());
  }

  /** Writes to the socket; null if it accepted everything, else resolves when there is room again. */
  private write(piece: StreamPiece): Promise<number> | null {
    if (piece.length > OFFERED_PART_BYTES)
      return this.writeParts(typeof piece === "string" ? textEncoder.encode(piece) : piece);
    const written: number | Promise<number> = this.sink!.write(piece);
    return typeof written === "number" ? null : written;
  }

  private writeParts(bytes: Uint8Array): Promise<number> | null {
    for (let from = 0; from < bytes.length; from += OFFERED_PART_BYTES) {
      const written: number | Promise<number> = this.sink!.write(bytes.subarray(from, from + OFFERED_PART_BYTES));
      if (typeof written === "number") continue;
      if (from + OFFERED_PART_BYTES < bytes.length) this.rest = bytes.subarray(from + OFFERED_PART_BYTES);
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

  /** Leaves the audience, so that its other readers need not wait for this one. */
  private stepOut(audience: Audience, written: Promise<number>): void {
    const alone = new StreamReading(audience.source.fork(), this);
    audience.leave(this);
    this.place = alone;
    this.writtenAt = this.parts.streams.clock.monotonic();
    this.parts.streams.heartbeats.add(this);
    this.waitForRoom(written);
    alone.wait();
  }

  /** Queued data would keep the socket open for ever; the server's timeout closes it after a second. */
  private cutOff(): void {
    this.letGo();
    this.parts.connection.keepOpen(1);
  }

  private finish(lastWords: string): void {
    if (this.hasEnded) return;
    // Must precede the end, or it has no effect: a client that reads nothing would keep its socket for as long as it
    // likes.
    this.parts.connection.keepOpen(LAST_WORDS_SECONDS);
    if (this.sink === null) this.opening += lastWords;
    else {
      // The cursor in the last words comes after all of the last piece.
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
    if (this.place instanceof StreamReading) this.place.close();
    else this.place.leave(this);
    this.forgetReader?.();
    this.parts.onEnd?.();
  }
}
