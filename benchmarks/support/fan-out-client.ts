/**
 * Many readers of one stream over bare sockets, in their own process. They count events by a marker that each event
 * contains once, and record the times.
 */
import type { Socket } from "bun";
import { Samples } from "./statistics.ts";
import { wallMs } from "./wall-clock.ts";
import { serveWorker } from "./worker.ts";

export type FanOutQuestion =
  /** Opens readers; answers when each has the head of its stream and this many events. */
  | {
      readonly kind: "open";
      readonly port: number;
      readonly request: string;
      readonly readers: number;
      readonly events: number;
    }
  /** Counts from zero; answers when each reader has this many events. */
  | { readonly kind: "count"; readonly events: number }
  /** The delays of the last count, given the commit times of its bursts. */
  | { readonly kind: "delays"; readonly commits: readonly number[]; readonly size: number }
  | { readonly kind: "leave" };

export interface FanOutAnswer {
  /** Time from the question to its answer. */
  readonly ms: number;
  readonly p50: number;
  readonly p99: number;
  /** Deliveries a second from a commit to its last receipt, the median of the bursts. */
  readonly perSecond: number;
  /** Bytes for each event of each reader, with the framing of HTTP. */
  readonly bytes: number;
}

const MARKER = "~".charCodeAt(0);
const LIMIT_MS = 60_000;
const CONNECTING_AT_ONCE = 500;

interface Reading {
  readonly index: number;
  hasHead: boolean;
  events: number;
}

let sockets: Socket<Reading>[] = [];
let wanted = 0;
let complete = 0;
let bytes = 0;
let failure: string | null = null;
let isLeaving = false;
let receipts = new Float64Array(0);
let settle: () => void = () => {};

const isComplete = ({ hasHead, events }: Reading): boolean => hasHead && events >= wanted;

function take(socket: Socket<Reading>, chunk: Buffer): void {
  const { data } = socket;
  const was = isComplete(data);
  bytes += chunk.length;
  if (!data.hasHead) {
    if (!chunk.subarray(0, 12).equals(OK)) failure = `refused: ${chunk.toString("latin1", 0, 300)}`;
    data.hasHead = true;
  }
  const now = wallMs();
  for (let at = chunk.indexOf(MARKER); at !== -1; at = chunk.indexOf(MARKER, at + 1)) {
    const place = data.index * wanted + data.events++;
    if (place < receipts.length) receipts[place] = now;
  }
  if (!was && isComplete(data)) complete++;
  if (failure !== null || complete === sockets.length) settle();
}
const OK = Buffer.from("HTTP/1.1 200");

/** Resolves when every reader has the wanted number of events. */
async function everyone(total: number): Promise<void> {
  const until = performance.now() + LIMIT_MS;
  while (complete < total) {
    if (failure !== null) throw new Error(failure);
    if (performance.now() > until) throw new Error(`only ${complete} of ${total} readers have all`);
    await Promise.race([new Promise<void>((resolve) => (settle = resolve)), Bun.sleep(1_000)]);
  }
}

async function open({ port, request, readers, events }: FanOutQuestion & { readonly kind: "open" }): Promise<void> {
  [sockets, complete, failure, isLeaving, wanted, receipts] = [[], 0, null, false, events, new Float64Array(0)];
  for (let from = 0; from < readers; from += CONNECTING_AT_ONCE) {
    const count = Math.min(CONNECTING_AT_ONCE, readers - from);
    await Promise.all(Array.from({ length: count }, (_, i) => connect(port, request, from + i)));
  }
  await everyone(readers);
}

async function connect(port: number, request: string, index: number): Promise<void> {
  const socket = await Bun.connect<Reading>({
    hostname: "127.0.0.1",
    port,
    data: { index, hasHead: false, events: 0 },
    socket: {
      open: (opened) => void opened.write(request),
      data: take,
      error: () => {},
      close: () => {
        if (!isLeaving) failure = "a stream was closed";
      },
    },
  });
  sockets.push(socket);
}

async function count(events: number): Promise<void> {
  [wanted, complete, bytes, receipts] = [events, 0, 0, new Float64Array(sockets.length * events)];
  for (const { data } of sockets) data.events = 0;
  await everyone(sockets.length);
}

function delays(commits: readonly number[], size: number): Omit<FanOutAnswer, "ms"> {
  const samples = new Samples(receipts.length);
  const lasts = commits.map(() => 0);
  for (let place = 0; place < receipts.length; place++) {
    const burst = Math.floor((place % wanted) / size);
    const at = receipts[place]!;
    samples.add(at - commits[burst]!);
    if (at > lasts[burst]!) lasts[burst] = at;
  }
  const rates = lasts.map((at, i) => (sockets.length * size * 1_000) / (at - commits[i]!)).toSorted((a, b) => a - b);
  const { p50, p99 } = samples.summary();
  return { p50, p99, perSecond: rates[rates.length >> 1] ?? 0, bytes: bytes / receipts.length };
}

async function leave(): Promise<void> {
  isLeaving = true;
  for (const socket of sockets) socket.terminate();
  sockets = [];
}

serveWorker<FanOutQuestion, FanOutAnswer>(async (question) => {
  const from = performance.now();
  let found: Omit<FanOutAnswer, "ms"> = { p50: 0, p99: 0, perSecond: 0, bytes: 0 };
  if (question.kind === "open") await open(question);
  else if (question.kind === "count") await count(question.events);
  else if (question.kind === "delays") found = delays(question.commits, question.size);
  else await leave();
  return { ms: performance.now() - from, ...found };
});
