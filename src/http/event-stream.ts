/**
 * A response that streams events from a cursor. It reads from its source only while the client
 * takes what there is: one piece is queued at most, and a slow client costs a cursor and that piece.
 *
 *   reading ──text──▶ queued ──taken by the client──▶ reading
 *      │ over, failed, shut down ──▶ last words ──▶ ended
 *      └ the client leaves, or takes nothing for too long ──▶ ended
 */
import type { Server } from "bun";
import type { Clock } from "../../actors/runtime/clock.ts";
import type { OpenStream, OpenStreams } from "./open-streams.ts";
import { SSE_HEADERS, sseComment } from "./sse.ts";

/** Silence after which a comment shows that the connection lives (SSE-1). */
export const HEARTBEAT_MS = 10_000;
/** A client that takes nothing for this long is gone, or might as well be. */
export const STALLED_READER_MS = 120_000;

/** Where the text comes from: a cursor that renders what follows it. */
export interface EventSource {
  /** Waits for something new and answers it as encoded events; null when the stream is over. */
  next(): Promise<string | null>;
  /** Ends a waiting `next` and gives up what it holds. Idempotent. */
  close(): void;
  /** The last words of a stream that the service ends before it is over. */
  lastWords(reason: "shutdown" | "failure"): string;
}

export interface EventStreamParts {
  readonly request: Request;
  readonly requestId: string;
  /** For the time-out of this connection; null outside of a server. */
  readonly server: Pick<Server<unknown>, "timeout"> | null;
  readonly streams: OpenStreams;
  readonly clock: Clock;
  readonly onFailure: (cause: unknown) => void;
}

/** The streaming response; `opening` leaves at once. */
export function eventStream(source: EventSource, opening: string, parts: EventStreamParts): Response {
  const stream = new EventStream(source, opening, parts);
  return new Response(stream.body, { headers: { ...SSE_HEADERS, "x-request-id": parts.requestId } });
}

const encoder = new TextEncoder();

class EventStream implements OpenStream {
  readonly body: ReadableStream<Uint8Array>;
  private readonly source: EventSource;
  private readonly parts: EventStreamParts;
  private controller!: ReadableStreamDefaultController<Uint8Array>;
  private hasEnded = false;
  private taken: (() => void) | null = null;
  private writtenAt = 0;
  private cancelTimer: () => void = () => {};
  private readonly leave = (): void => this.end();

  constructor(source: EventSource, opening: string, parts: EventStreamParts) {
    this.source = source;
    this.parts = parts;
    this.body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.controller = controller;
        this.enqueue(opening);
      },
      pull: () => this.taken?.(),
      cancel: this.leave,
    });
    // The heartbeat looks after this connection, not the server's idle time-out.
    parts.server?.timeout(parts.request, 0);
    parts.request.signal.addEventListener("abort", this.leave, { once: true });
    parts.streams.add(this);
    if (this.hasEnded) return;
    this.beat(HEARTBEAT_MS);
    void this.pump();
  }

  shutDown(): void {
    this.finish(this.source.lastWords("shutdown"));
  }

  private async pump(): Promise<void> {
    try {
      while (!this.hasEnded) {
        if (!this.hasRoom) await this.room();
        const text = await this.source.next();
        if (text === null) return this.finish("");
        if (text !== "" && !this.hasEnded) this.enqueue(text);
      }
    } catch (cause) {
      if (this.hasEnded) return;
      this.parts.onFailure(cause);
      this.finish(this.source.lastWords("failure"));
    }
  }

  private get hasRoom(): boolean {
    return (this.controller.desiredSize ?? 0) > 0;
  }

  /** Resolves when the client has taken what is queued, or the stream has ended. */
  private async room(): Promise<void> {
    while (!this.hasEnded && !this.hasRoom) {
      await new Promise<void>((resolve) => (this.taken = resolve));
      this.taken = null;
    }
  }

  private enqueue(text: string): void {
    this.controller.enqueue(encoder.encode(text));
    this.writtenAt = this.parts.clock.monotonic();
  }

  private beat(delayMs: number): void {
    this.cancelTimer = this.parts.clock.after(delayMs, () => {
      const silentMs = this.parts.clock.monotonic() - this.writtenAt;
      const { hasRoom } = this;
      if (!hasRoom && silentMs >= STALLED_READER_MS) return this.cutOff();
      if (hasRoom && silentMs >= HEARTBEAT_MS) this.enqueue(sseComment("heartbeat"));
      this.beat(silentMs >= HEARTBEAT_MS ? HEARTBEAT_MS : HEARTBEAT_MS - silentMs);
    });
  }

  /** What is queued in the socket would keep it open for ever; the server's time-out closes it with a second's notice. */
  private cutOff(): void {
    this.end();
    this.parts.server?.timeout(this.parts.request, 1);
  }

  private finish(lastWords: string): void {
    if (this.hasEnded) return;
    if (lastWords !== "") this.enqueue(lastWords);
    this.controller.close();
    this.end();
  }

  /** Lets go of everything. What the client has not taken yet it may still take. */
  private end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.cancelTimer();
    this.parts.request.signal.removeEventListener("abort", this.leave);
    this.parts.streams.remove(this);
    this.source.close();
    this.taken?.();
  }
}
