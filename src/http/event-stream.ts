/**
 * A response that streams events from a cursor. It reads from its source only while the socket
 * takes what there is: what it cannot take is one piece at most, and a slow client costs a cursor and that piece.
 *
 *   reading ──text──▶ queued ──taken by the client──▶ reading
 *      │ over, failed, ended by the service, too slow ──▶ last words ──▶ ended
 *      └ the client leaves, or takes nothing for too long ──▶ ended
 */
import type { Server } from "bun";
import { afterTick } from "./after-tick.ts";
import { type Beating, HEARTBEAT_MS } from "./heartbeats.ts";
import type { Bearer, OpenStream, OpenStreams } from "./open-streams.ts";
import { SSE_HEADERS } from "./sse.ts";

/** A client that takes nothing for this long is gone, or might as well be. */
export const STALLED_READER_MS = 120_000;
/** What a reader that was too slow has for taking what is queued, in seconds. */
const LAST_WORDS_SECONDS = 10;

/** A source that has nothing now: it is asked again after its `onChange`. */
export const QUIET = Symbol("quiet");
export type Piece = string | Uint8Array;

/** Why a stream ends before it is over. */
export type Interruption = "shutdown" | "failure" | "revoked" | "slow_consumer" | "expired";

/** Where the text comes from: a cursor that renders what follows it. */
export interface EventSource {
  /** What is new, as encoded events, at once or when it has been fetched; null when the stream is over. */
  next(): Piece | typeof QUIET | null | Promise<Piece | null>;
  /** Runs once when `next` may have more than `QUIET`. */
  onChange?(run: () => void): void;
  /** Whether its reader is so far behind that it is let go (SSE-5). */
  readonly isTooSlow?: boolean;
  /** Ends a waiting `next` and gives up what it holds. Idempotent. */
  close(): void;
  /** The last words of a stream that ends before it is over. */
  lastWords(reason: Interruption): string;
}

export interface EventStreamParts {
  readonly request: Request;
  readonly requestId: string;
  /** For the time-out of this connection; null outside of a server. */
  readonly server: Pick<Server<unknown>, "timeout"> | null;
  readonly streams: OpenStreams;
  /** Who has opened it: it ends with that token. */
  readonly bearer: Bearer | null;
  readonly onFailure: (cause: unknown) => void;
  /** The longest that it lives; without it as long as its client wants. */
  readonly lifeMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The streaming response; `opening` leaves at once. */
export function eventStream(source: EventSource, opening: string, parts: EventStreamParts): Response {
  const stream = new EventStream(source, opening, parts);
  return new Response(stream.body, { headers: { ...SSE_HEADERS, ...parts.headers, "x-request-id": parts.requestId } });
}

const decoder = new TextDecoder();

class EventStream implements OpenStream, Beating {
  readonly body: ReadableStream;
  private readonly source: EventSource;
  private readonly parts: EventStreamParts;
  private sink: ReadableStreamDirectController | null = null;
  /** What is to be told before anybody takes it. */
  private opening: string;
  /** The socket takes no more for now. */
  private isFull = false;
  private readonly over = Promise.withResolvers<void>();
  private hasEnded = false;
  private isFetching = false;
  private isListening = false;
  private writtenAt = 0;
  private readonly endsAt: number;
  private readonly leave = (): void => this.letGo();
  private readonly woken = (): void => afterTick(this.afterWake);

  constructor(source: EventSource, opening: string, parts: EventStreamParts) {
    this.source = source;
    this.parts = parts;
    this.endsAt = parts.streams.clock.monotonic() + (parts.lifeMs ?? Number.POSITIVE_INFINITY);
    this.opening = opening;
    // Direct, and nothing waits for more: what is written goes to the socket at once, with no queue between.
    this.body = new ReadableStream(
      {
        type: "direct",
        pull: (sink) => this.open(sink),
        cancel: this.leave,
      },
      { highWaterMark: 1 },
    );
    // The heartbeat looks after this connection, not the server's idle time-out.
    parts.server?.timeout(parts.request, 0);
    parts.request.signal.addEventListener("abort", this.leave, { once: true });
    parts.streams.heartbeats.add(this);
    parts.streams.add(this);
    if (parts.request.signal.aborted) this.letGo();
  }

  get bearer(): Bearer | null {
    return this.parts.bearer;
  }

  end(reason: Interruption): void {
    this.finish(this.source.lastWords(reason));
  }

  beat(nowMs: number): number {
    const silentMs = nowMs - this.writtenAt;
    if (nowMs >= this.endsAt) this.end("expired");
    else if (!this.hasRoom && silentMs >= STALLED_READER_MS) this.cutOff();
    else if (this.hasRoom && silentMs >= HEARTBEAT_MS) this.enqueue(this.parts.streams.heartbeats.comment());
    else if (silentMs < HEARTBEAT_MS) return Math.min(HEARTBEAT_MS - silentMs, this.endsAt - nowMs);
    return Math.min(HEARTBEAT_MS, this.endsAt - nowMs);
  }

  /** The response is on its way; resolves when the stream is over. */
  private open(sink: ReadableStreamDirectController): Promise<void> {
    this.sink = sink;
    this.enqueue(this.opening);
    this.opening = "";
    if (this.hasEnded) void sink.end();
    else this.pump();
    return this.over.promise;
  }

  private pump(): void {
    try {
      while (!this.hasEnded && !this.isFetching) {
        if (!this.hasRoom) return this.listen();
        const next = this.source.next();
        if (next === QUIET) return this.listen();
        if (next instanceof Promise) this.fetch(next);
        else this.take(next);
      }
    } catch (cause) {
      this.failed(cause);
    }
  }

  private fetch(next: Promise<Piece | null>): void {
    this.isFetching = true;
    next.then(
      (piece) => {
        this.isFetching = false;
        this.take(piece);
        this.pump();
      },
      (cause: unknown) => this.failed(cause),
    );
  }

  private take(piece: Piece | null): void {
    if (this.hasEnded) return;
    if (piece === null) this.finish("");
    else if (piece.length > 0) this.enqueue(piece);
  }

  private failed(cause: unknown): void {
    if (this.hasEnded) return;
    this.parts.onFailure(cause);
    this.end("failure");
  }

  /** Also without room: a reader that takes nothing must be seen to fall behind. */
  private listen(): void {
    if (this.isListening || this.source.onChange === undefined) return;
    this.isListening = true;
    this.source.onChange(this.woken);
  }

  private readonly afterWake = (): void => {
    this.isListening = false;
    if (this.hasEnded) return;
    if (!this.hasRoom && this.source.isTooSlow === true) this.tooSlow();
    else this.pump();
  };

  private get hasRoom(): boolean {
    return this.sink !== null && !this.isFull;
  }

  private enqueue(piece: Piece): void {
    if (this.sink === null) {
      this.opening += typeof piece === "string" ? piece : decoder.decode(piece);
      return;
    }
    const written: number | Promise<number> = this.sink.write(piece);
    this.writtenAt = this.parts.streams.clock.monotonic();
    if (typeof written !== "number") this.waitForRoom(written);
  }

  private waitForRoom(written: Promise<number>): void {
    this.isFull = true;
    written.then(() => {
      this.isFull = false;
      this.pump();
    }, this.leave);
  }

  private tooSlow(): void {
    this.end("slow_consumer");
    this.parts.server?.timeout(this.parts.request, LAST_WORDS_SECONDS);
  }

  /** What is queued in the socket would keep it open for ever; the server's time-out closes it with a second's notice. */
  private cutOff(): void {
    this.letGo();
    this.parts.server?.timeout(this.parts.request, 1);
  }

  private finish(lastWords: string): void {
    if (this.hasEnded) return;
    if (lastWords !== "") this.enqueue(lastWords);
    void this.sink?.end();
    this.letGo();
  }

  /** Lets go of everything. What the client has not taken yet it may still take. */
  private letGo(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.parts.request.signal.removeEventListener("abort", this.leave);
    this.parts.streams.heartbeats.remove(this);
    this.parts.streams.remove(this);
    this.source.close();
    this.over.resolve();
  }
}
