import { afterEach, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import type { Clock } from "../../../actors/runtime/ports.ts";
import type { EventSource, InnerReader, StreamPiece } from "../../../src/http/stream/event-source.ts";
import { eventStream, STALLED_READER_MS } from "../../../src/http/stream/event-stream.ts";
import { HEARTBEAT_MS } from "../../../src/http/stream/heartbeats.ts";
import { OpenStreams } from "../../../src/http/stream/open-streams.ts";
import { systemClock } from "../../../src/wiring/clock.ts";
import { until } from "../../support/condition.ts";
import { HandClock } from "../../support/hand-clock.ts";

const servers: { stop(force: boolean): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop(true)));
});

/** Between two looks at a source. */
const LOOK_MS = 100;

/** A source that never runs dry, and counts. */
class Endless implements EventSource {
  served = 0;
  readonly closed = Promise.withResolvers<void>();
  private readonly piece = `data: ${"x".repeat(64 * 1024)}\n\n`;

  async next(): Promise<string> {
    this.served++;
    return this.piece;
  }
  close(): void {
    this.closed.resolve();
  }
  /** Resolves when two looks, many turns of the loop apart, see the same number: nobody asks for more. */
  async stopped(): Promise<void> {
    for (let before = -1; before !== this.served; await Bun.sleep(LOOK_MS)) before = this.served;
  }
  lastWords = (reason: string): string => `data: ${reason}\n\n`;
}

/** A source that is silent until its test speaks. */
class Quiet extends Endless {
  private speak: ((text: string | null) => void) | null = null;
  readonly asked = Promise.withResolvers<void>();

  override next(): Promise<string> {
    return new Promise((resolve) => {
      // The type of an endless source has no end; this one has.
      this.speak = resolve as (text: string | null) => void;
      this.asked.resolve();
    });
  }
  say(text: string | null): void {
    this.speak?.(text);
  }
  override close(): void {
    this.say(null);
    super.close();
  }
}

/** A client that has the beginning of the answer, and reads no more of it. */
async function pausedReader(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  await new Promise((resolve) => socket.once("data", resolve));
  socket.pause();
  return socket;
}

function serve(source: EventSource, clock: Clock = systemClock) {
  const streams = new OpenStreams(clock);
  const failures: unknown[] = [];
  const timeouts: number[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request, self) {
      const keepOpen = (seconds: number) => {
        timeouts.push(seconds);
        self.timeout(request, seconds);
      };
      const onFailure = (cause: unknown) => failures.push(cause);
      return eventStream(source, ": connected\n\n", {
        connection: { keepOpen },
        streams,
        bearer: { organizationId: "org_1", tokenId: "tok_1" },
        onFailure,
      });
    },
  });
  servers.push(server);
  return { url: server.url.href, port: server.port ?? 0, streams, failures, timeouts };
}

/** A stream for a reader in this process; `room` says when there is room behind the second piece. */
function readHere(source: EventSource, room: Promise<number>, leaving = new AbortController()) {
  const streams = new OpenStreams(systemClock);
  const pieces: StreamPiece[] = [];
  const over = Promise.withResolvers<void>();
  const reader: InnerReader = {
    signal: leaving.signal,
    inbox: [],
    write: (piece) => (pieces.push(piece) === 2 ? room : piece.length),
    end: () => over.resolve(),
  };
  const connection = { keepOpen() {}, reader };
  const onFailure = (cause: unknown): void => over.reject(cause);
  const response = eventStream(source, ": connected\n\n", { connection, streams, bearer: null, onFailure });
  return { response, streams, leaving, pieces, over: over.promise };
}

test("[DIA-23] a reader in this process gets pieces as fast as it takes them, and releases the stream when it leaves", async () => {
  const source = new Endless();
  const room = Promise.withResolvers<number>();
  const { response, streams, leaving, pieces } = readHere(source, room.promise);
  expect(response.body).toBeNull();
  expect(response.headers.get("content-type")).toStartWith("text/event-stream");
  await until("it has no room", () => pieces.length === 2);
  expect(pieces[0]).toBe(": connected\n\n");
  await new Promise((resolve) => void setImmediate(resolve));
  expect(pieces).toHaveLength(2);
  expect(streams.count).toBe(1);
  leaving.abort();
  await source.closed.promise;
  expect(streams.count).toBe(0);
  room.resolve(1);
  await new Promise((resolve) => void setImmediate(resolve));
  expect(pieces).toHaveLength(2);
  // One that has left before gets nothing.
  const late = readHere(new Endless(), room.promise, leaving);
  expect(late.pieces).toEqual([]);
  expect(late.streams.count).toBe(0);
});

test("[SSE-6] a reader in this process gets the last words, and the end", async () => {
  const source = new Quiet();
  const leaving = new AbortController();
  const left: string[] = [];
  leaving.signal.removeEventListener = (type) => void left.push(type);
  const { streams, pieces, over } = readHere(source, Promise.resolve(1), leaving);
  await source.asked.promise;
  source.say("data: one\n\n");
  await until("it has room again", () => pieces.length === 2);
  streams.closeAll();
  await over;
  expect(pieces).toEqual([": connected\n\n", "data: one\n\n", "data: shutdown\n\n"]);
  // Its signal may be that of a connection, which outlives many streams.
  expect(left).toHaveLength(1);
});

test("[SSE-5] a reader that stops reading stops its source: memory is bounded by the sockets' buffers", async () => {
  const source = new Endless();
  const { port, streams } = serve(source);
  const socket = await pausedReader(port);
  await source.stopped();
  expect(source.served * 64 * 1024).toBeLessThan(16 * 1024 * 1024);
  socket.destroy();
  await source.closed.promise;
  expect(streams.count).toBe(0);
});

test("[SSE-1] the first bytes are sent at once, with the headers of a stream", async () => {
  const source = new Quiet();
  const { url } = serve(source);
  const response = await fetch(url);
  const reader = response.body!.getReader();
  expect(Buffer.from((await reader.read()).value ?? "").toString()).toBe(": connected\n\n");
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
  });
  await source.asked.promise;
  source.say(null);
  expect((await reader.read()).done).toBe(true);
});

test("[V1-4] a client that disconnects from a silent stream releases it", async () => {
  const source = new Quiet();
  const { url, streams } = serve(source);
  const abort = new AbortController();
  const response = await fetch(url, { signal: abort.signal });
  await source.asked.promise;
  expect(streams.count).toBe(1);
  abort.abort();
  await source.closed.promise;
  expect(streams.count).toBe(0);
  await response.text().catch(() => "aborted");
});

test("[SSE-6] a shutdown ends open streams with a final event, and later ones at once", async () => {
  const source = new Quiet();
  const { url, streams } = serve(source);
  const response = await fetch(url);
  await source.asked.promise;
  streams.closeAll();
  expect(await response.text()).toBe(": connected\n\ndata: shutdown\n\n");
  expect(await (await fetch(url)).text()).toBe(": connected\n\ndata: shutdown\n\n");
  expect(streams.count).toBe(0);
});

test("[ERR-4] a failing source ends the stream with a final event without the cause", async () => {
  const source = new Quiet();
  source.next = () => Promise.reject(new Error("secret"));
  const { url, failures } = serve(source);
  expect(await (await fetch(url)).text()).toBe(": connected\n\ndata: failure\n\n");
  expect(failures).toHaveLength(1);
});

test("[SSE-1] a silent stream has heartbeats, a busy one has none", async () => {
  const clock = new HandClock();
  const source = new Quiet();
  const { url } = serve(source, clock);
  const response = await fetch(url);
  await source.asked.promise;
  clock.advance(HEARTBEAT_MS - 1);
  clock.advance(1);
  clock.advance(HEARTBEAT_MS);
  source.say(null);
  const beats = [HEARTBEAT_MS, 2 * HEARTBEAT_MS].map((ms) => `: heartbeat ${new Date(ms).toISOString()}\n\n`);
  expect(await response.text()).toBe(`: connected\n\n${beats.join("")}`);
});

test("[SSE-5] a stream that is ended gives its reader ten seconds for what is queued, whether it reads or not", async () => {
  const source = new Endless();
  const { port, streams, timeouts } = serve(source);
  const socket = await pausedReader(port);
  streams.closeOf("tok_1");
  await source.closed.promise;
  expect(streams.count).toBe(0);
  expect(timeouts).toEqual([0, 10]);
  socket.destroy();
});

test("[SSE-5] a reader that reads nothing for two minutes is disconnected", async () => {
  const clock = new HandClock();
  const source = new Endless();
  const { port, streams, timeouts } = serve(source, clock);
  const socket = await pausedReader(port);
  await source.stopped();
  clock.advance(STALLED_READER_MS);
  clock.advance(HEARTBEAT_MS);
  await source.closed.promise;
  expect(streams.count).toBe(0);
  expect(timeouts).toEqual([0, 1]);
  socket.destroy();
});
