/** Readers who have all share a place in their stream: what that saves, and that nobody notices (SSE-1, SSE-2, SSE-5, SSE-6). */
import { afterEach, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import type { Clock } from "../../../actors/runtime/ports.ts";
import { systemClock } from "../../../src/wiring/clock.ts";
import { type StreamPiece, QUIET, type SharedSource } from "../../../src/http/stream/event-source.ts";
import { eventStream, OFFERED_PART_BYTES } from "../../../src/http/stream/event-stream.ts";
import { HEARTBEAT_MS } from "../../../src/http/stream/heartbeats.ts";
import { OpenStreams } from "../../../src/http/stream/open-streams.ts";
import { until } from "../../support/condition.ts";
import { HandClock } from "../../support/hand-clock.ts";

const servers: { stop(force: boolean): Promise<void> }[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => server.stop(true)));
});

/** What is said, and how often it was asked for. */
class Log {
  readonly pieces: string[] = [];
  /** Places that are held. */
  open = 0;
  asked = 0;
  fetches = 0;
  failure: Error | null = null;
  isOver = false;
  /** While set, what is said is fetched. */
  door: Promise<void> | null = null;
  readonly waiting = new Set<() => void>();

  say(...pieces: string[]): void {
    this.pieces.push(...pieces);
    this.wake();
  }
  wake(): void {
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const run of waiting) run();
  }
}

class Place implements SharedSource {
  readonly stream: Log;
  private at: number;
  private told: number | null;
  private isClosed = false;
  private wake: (() => void) | null = null;

  constructor(log: Log, at = log.pieces.length, told: number | null = null) {
    this.stream = log;
    this.at = at;
    this.told = told;
    log.open++;
  }
  next(): StreamPiece | typeof QUIET | null | Promise<StreamPiece> {
    const { stream: log } = this;
    if (log.failure !== null) throw log.failure;
    if (log.isOver) return null;
    if (this.at === log.pieces.length) return QUIET;
    if (log.door !== null) {
      log.fetches++;
      return log.door.then(() => "");
    }
    log.asked++;
    this.told = ++this.at;
    return new TextEncoder().encode(log.pieces[this.at - 1]);
  }
  onChange(run: () => void): void {
    this.wake = run;
    this.stream.waiting.add(run);
  }
  shared(): this {
    return this;
  }
  isWith(other: Place): boolean {
    return this.at === other.at && this.told === other.told;
  }
  fork(): Place {
    return new Place(this.stream, this.at, this.told);
  }
  close(): void {
    if (!this.isClosed) this.stream.open--;
    this.isClosed = true;
    if (this.wake !== null) this.stream.waiting.delete(this.wake);
  }
  lastWords(reason: string): string {
    return `data: ${reason} after ${this.told}\n\n`;
  }
}

function serve(log: Log, clock: Clock = systemClock) {
  const streams = new OpenStreams(clock);
  const failures: unknown[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request, self) =>
      eventStream(new Place(log), ": connected\n\n", {
        connection: { keepOpen: (seconds) => self.timeout(request, seconds) },
        streams,
        bearer: null,
        onFailure: (cause) => failures.push(cause),
      }),
  });
  servers.push(server);
  const reader = async (): Promise<Reader> => {
    const count = streams.count;
    const opened = new Reader(server.port ?? 0);
    await until("it is open", () => streams.count === count + 1 && opened.text.includes("connected"));
    return opened;
  };
  return { streams, failures, reader };
}

/** A client on a bare socket, which can stop reading. */
class Reader {
  readonly socket: Socket;
  /** The body, without its chunks' lengths. */
  text = "";
  hasEnded = false;

  constructor(port: number) {
    this.socket = connect(port, "127.0.0.1");
    sockets.push(this.socket);
    this.socket.setEncoding("latin1");
    let rest = "";
    let hasHead = false;
    this.socket.on("data", (data: string) => {
      rest += data;
      for (let end = this.chunkEnd(rest, hasHead); end !== -1; end = this.chunkEnd(rest, hasHead)) {
        if (hasHead) this.text += rest.slice(rest.indexOf("\r\n") + 2, end - 2);
        hasHead = true;
        rest = rest.slice(end);
      }
    });
    this.socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  }
  /** Where the head, or the first chunk, ends; -1 where it is not all there. */
  private chunkEnd(text: string, hasHead: boolean): number {
    const line = text.indexOf(hasHead ? "\r\n" : "\r\n\r\n");
    if (line === -1) return -1;
    if (!hasHead) return line + 4;
    const length = Number.parseInt(text.slice(0, line), 16);
    if (length === 0) this.hasEnded = true;
    const end = line + 2 + length + 2;
    return end <= text.length ? end : -1;
  }
  /** Events that are there whole: a long one comes in parts. */
  get said(): string[] {
    const whole = this.text.split("\n\n").slice(0, -1);
    return whole.filter((line) => line.startsWith("data: "));
  }
}

const said = (from: number, to: number, of = "x"): string[] =>
  Array.from({ length: to - from + 1 }, (_, i) => `data: ${from + i} ${of}`);
const frames = (lines: readonly string[]): string[] => lines.map((line) => `${line}\n\n`);

test("[SSE-2] readers that are up to date share one position: each piece is requested once, and sent to each", async () => {
  const log = new Log();
  const { reader } = serve(log);
  const readers = [await reader(), await reader(), await reader()];
  expect(log.open).toBe(1);
  log.say(...frames(said(1, 3)));
  await until("all have all", () => readers.every((one) => one.said.length === 3));
  expect(readers.map((one) => one.said)).toEqual([said(1, 3), said(1, 3), said(1, 3)]);
  expect(log.asked).toBe(3);
});

test("[SSE-5] a reader whose socket is full delays nobody, misses nothing, and returns", async () => {
  const log = new Log();
  const { reader, streams } = serve(log);
  const [slow, ...quick] = [await reader(), await reader(), await reader()];
  slow.socket.pause();
  const long = "x".repeat(64 * 1024);
  let count = 0;
  while (log.open === 1) {
    log.say(...frames(said(count + 1, count + 10, long)));
    count += 10;
    await until("the quick have it", () => quick.every((one) => one.said.length === count));
  }
  // What is said now it has to be told later.
  log.say(...frames(said(count + 1, count + 5, long)));
  count += 5;
  await until("the quick have all", () => quick.every((one) => one.said.length === count));
  slow.socket.resume();
  await until("the slow one has all", () => slow.said.length === count);
  expect(slow.said).toEqual(said(1, count, long));
  await until("it has come back", () => log.open === 1);
  const { asked } = log;
  log.say(...frames(said(count + 1, count + 1)));
  await until("all have it", () => [slow, ...quick].every((one) => one.said.at(-1) === said(count + 1, count + 1)[0]));
  expect(log.asked - asked).toBe(1);
  expect(streams.heartbeats.count).toBe(1);
});

test("[SSE-6] a partly sent piece is sent to its end before the closing frame, whose cursor includes the piece", async () => {
  const log = new Log();
  const { reader, streams } = serve(log);
  const [slow, quick] = [await reader(), await reader()];
  slow.socket.pause();
  const long = "x".repeat(64 * OFFERED_PART_BYTES);
  let count = 0;
  while (log.open === 1) {
    log.say(...frames(said(++count, count, long)));
    await until("the quick one has it", () => quick.said.length === count);
  }
  streams.closeAll();
  slow.socket.resume();
  await until("both have ended", () => slow.hasEnded && quick.hasEnded);
  const words = `data: shutdown after ${count}`;
  expect([slow.said, quick.said]).toEqual([
    [...said(1, count, long), words],
    [...said(1, count, long), words],
  ]);
});

test("[SSE-6] readers with different cursors wait apart, until one event makes them equal", async () => {
  const log = new Log();
  const { reader, streams } = serve(log);
  const early = await reader();
  log.say("data: 1\n\n");
  await until("it has it", () => early.said.length === 1);
  const late = await reader();
  expect(log.open).toBe(2);
  log.say("data: 2\n\n");
  await until("they have met", () => log.open === 1 && late.said.length === 1 && early.said.length === 2);
  const newcomer = await reader();
  expect([log.open, log.waiting.size]).toEqual([2, 2]);
  streams.closeAll();
  const all = [early, late, newcomer];
  await until("all have ended", () => all.every((one) => one.hasEnded));
  expect(all.map((one) => one.said.at(-1))).toEqual([
    "data: shutdown after 2",
    "data: shutdown after 2",
    "data: shutdown after null",
  ]);
  expect([log.open, streams.count, streams.heartbeats.count]).toEqual([0, 0, 0]);
});

test("[SSE-5] a reader that leaves releases nothing of others, and the last one releases everything", async () => {
  const log = new Log();
  const { reader, streams } = serve(log);
  const [first, second] = [await reader(), await reader()];
  first.socket.destroy();
  await until("one is left", () => streams.count === 1);
  expect([log.open, streams.heartbeats.count]).toEqual([1, 1]);
  log.say("data: 1\n\n");
  await until("it is told", () => second.said.length === 1);
  second.socket.destroy();
  await until("nobody is left", () => streams.count === 0);
  expect([log.open, streams.heartbeats.count]).toEqual([0, 0]);
});

test("[ERR-4] a failing source ends all its readers, and each gets its cursor", async () => {
  const log = new Log();
  const { reader, failures } = serve(log);
  const readers = [await reader(), await reader()];
  log.say("data: 1\n\n");
  await until("both have it", () => readers.every((one) => one.said.length === 1));
  log.failure = new Error("secret");
  log.wake();
  await until("both have ended", () => readers.every((one) => one.hasEnded));
  expect(readers.map((one) => one.said.at(-1))).toEqual(["data: failure after 1", "data: failure after 1"]);
  expect([failures.length, log.open]).toEqual([2, 0]);
});

test("[SSE-6] a stream that is over ends for all readers that share it", async () => {
  const log = new Log();
  const { reader } = serve(log);
  const readers = [await reader(), await reader()];
  log.isOver = true;
  log.wake();
  await until("both have ended", () => readers.every((one) => one.hasEnded));
  expect([log.open, ...readers.map((one) => one.said)]).toEqual([0, [], []]);
});

test("[SSE-2] events are fetched once for all readers that share a position", async () => {
  const log = new Log();
  const { reader } = serve(log);
  const readers = [await reader(), await reader()];
  const door = Promise.withResolvers<void>();
  log.door = door.promise;
  log.say("data: 1\n\n");
  await until("it is asked for", () => log.fetches > 0);
  log.door = null;
  door.resolve();
  await until("both have it", () => readers.every((one) => one.said.length === 1));
  expect([log.fetches, log.asked]).toEqual([1, 1]);
});

test("[SSE-1] all readers get a heartbeat together, and nobody waits longer than ten seconds", async () => {
  const clock = new HandClock();
  const log = new Log();
  const { reader } = serve(log, clock);
  const beats = (one: Reader): string[] => one.text.split("\n\n").filter((line) => line.startsWith(": heartbeat"));
  const first = await reader();
  clock.advance(HEARTBEAT_MS - 2_000);
  const second = await reader();
  clock.advance(2_000);
  await until("both have a sign of life", () => beats(first).length === 1 && beats(second).length === 1);
  clock.advance(HEARTBEAT_MS - 1_000);
  log.say("data: 1\n\n");
  await until("both have it", () => first.said.length === 1 && second.said.length === 1);
  clock.advance(HEARTBEAT_MS - 1_000);
  clock.advance(1_000);
  await until("both have another", () => beats(first).length === 2 && beats(second).length === 2);
});
