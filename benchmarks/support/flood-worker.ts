/**
 * A flood of HTTP requests in its own process, which gets only idle CPU, because a real attacker computes elsewhere. It
 * continues whatever the answers are, and sends the next request at once.
 *
 *   ask    each connection sends its next request when the last one is answered
 *   drop   each connection is closed at the first byte of its answer, and opened again
 *   hold   each connection sends all of its body but the last byte, and keeps it until it is answered or closed;
 *          all of them share one line of 1 Gbit/s (`Line`)
 *
 *   bun flood-worker.ts      questions by IPC
 */
import type { Socket } from "bun";
import { Line } from "./line.ts";
import { serveWorker } from "./worker.ts";

export interface Flood {
  readonly kind: "ask" | "drop" | "hold";
  readonly connections: number;
  /** Whole requests in wire format; each connection sends one after the other. With `hold`: a head. */
  readonly requests: readonly string[];
  /** With `hold`: the bytes that its head announces. */
  readonly bodyBytes?: number;
}

export type FloodQuestion =
  | { readonly kind: "start"; readonly port: number; readonly flood: Flood }
  | { readonly kind: "stop" };

export interface FloodAnswer {
  /** Answers by status; 0 is a connection that was closed without one. */
  readonly answers: Readonly<Record<string, number>>;
  /** Requests that were begun, answered or not. */
  readonly sent: number;
  /** With `hold`, at the end: unanswered bodies of which all but the last byte was sent. */
  readonly held: number;
  /** With `hold`: bytes that were sent. */
  readonly sentBytes: number;
  /** The duration of the flood. */
  readonly seconds: number;
}

interface Connection {
  next: number;
  head: string;
  /** Bytes of the answer that are still to come; null: until an empty chunk. */
  left: number | null;
  isAnswering: boolean;
  /** The connection was closed on this side; ignore later data. */
  isLeft: boolean;
  /** Data that the socket has not accepted yet, in order; slices of buffers that all connections share. */
  unsent: Uint8Array[];
  /** Whether the connection waits for the line. */
  isQueued: boolean;
}

const LAST_CHUNK = "0\r\n\r\n";
/**
 * Pause between the end of a connection and its replacement. With `hold`, connections come back as `Retry-After` says:
 * thousands of new connections a second would flood the kernel's queue, which is a proxy's concern.
 */
const AGAIN_MS = { ask: 5, drop: 5, hold: 1_000 } as const;
/** With jitter from half to one and a half, so that they do not come all at once. */
const againMs = (kind: Flood["kind"]): number => AGAIN_MS[kind] * (0.5 + Math.random());

class Flooding {
  private readonly port: number;
  private readonly flood: Flood;
  private readonly requests: readonly Uint8Array[];
  private readonly body: Uint8Array;
  private readonly sockets = new Set<Socket<Connection>>();
  private readonly answers: Record<string, number> = {};
  private readonly line: Line | null;
  private readonly startedAt = performance.now();
  private sent = 0;
  private isOver = false;

  constructor(port: number, flood: Flood) {
    this.port = port;
    this.flood = flood;
    this.requests = flood.requests.map((request) => Buffer.from(request));
    this.line = flood.kind === "hold" ? new Line() : null;
    this.body = Buffer.alloc(Math.max(0, (flood.bodyBytes ?? 0) - 1), " ");
  }

  async start(): Promise<void> {
    // Connect one after the other, because the kernel's queue of connections is bounded. Reconnecting ones do not delay
    // the others.
    for (let i = 0; i < this.flood.connections; i++) await this.connect(i);
  }

  stop(): FloodAnswer {
    this.isOver = true;
    this.line?.close();
    let held = 0;
    for (const { data } of this.sockets)
      if (this.flood.kind === "hold" && !data.isAnswering && data.unsent.length === 0) held++;
    for (const socket of this.sockets) socket.terminate();
    return {
      answers: this.answers,
      sent: this.sent,
      held,
      sentBytes: this.line?.sentBytes ?? 0,
      seconds: (performance.now() - this.startedAt) / 1_000,
    };
  }

  private async connect(index: number): Promise<void> {
    if (this.isOver) return;
    await Bun.connect<Connection>({
      hostname: "127.0.0.1",
      port: this.port,
      data: { next: index, head: "", left: 0, isAnswering: false, isLeft: false, unsent: [], isQueued: false },
      socket: {
        open: (socket) => {
          this.sockets.add(socket);
          this.send(socket);
        },
        data: (socket, chunk) => this.receive(socket, chunk),
        drain: (socket) => this.write(socket),
        close: (socket) => {
          // A connection that never opened is retried below.
          if (!this.sockets.delete(socket)) return;
          socket.data.isLeft = true;
          if (!socket.data.isAnswering) this.count("0");
          setTimeout(() => void this.connect(socket.data.next), againMs(this.flood.kind));
        },
        error: () => {},
      },
    }).catch(() => {
      setTimeout(() => void this.connect(index), againMs(this.flood.kind));
    });
  }

  private send(socket: Socket<Connection>): void {
    const { data } = socket;
    this.sent++;
    data.isAnswering = false;
    data.head = "";
    const request = this.requests[data.next++ % this.requests.length]!;
    data.unsent = this.body.length === 0 ? [request] : [request, this.body];
    this.write(socket);
  }

  private write(socket: Socket<Connection>): void {
    const { data } = socket;
    if (this.line === null) return void this.writeMost(socket, Number.POSITIVE_INFINITY);
    if (data.isQueued) return;
    data.isQueued = true;
    this.line.enqueue((most) => {
      const slice = this.writeMost(socket, most);
      data.isQueued = slice.hasMore;
      return slice;
    });
  }

  /** Writes up to this much to the socket; what it does not accept waits for its drain. */
  private writeMost(socket: Socket<Connection>, most: number): { readonly sent: number; readonly hasMore: boolean } {
    const { unsent, isLeft } = socket.data;
    let sent = 0;
    for (let first = unsent[0]; first !== undefined && !isLeft; first = unsent[0]) {
      if (sent >= most) return { sent, hasMore: true };
      const part = first.subarray(0, most - sent);
      const written = Math.max(0, socket.write(part));
      sent += written;
      if (written === first.length) unsent.shift();
      else unsent[0] = first.subarray(written);
      if (written < part.length) break;
    }
    return { sent, hasMore: false };
  }

  private count(status: string): void {
    if (!this.isOver) this.answers[status] = (this.answers[status] ?? 0) + 1;
  }

  private receive(socket: Socket<Connection>, chunk: Buffer): void {
    const { data } = socket;
    if (data.isLeft) return;
    if (data.isAnswering) return this.goOn(socket, chunk);
    data.head += chunk.toString("latin1");
    const end = data.head.indexOf("\r\n\r\n");
    if (end === -1) return;
    data.isAnswering = true;
    this.count(data.head.slice(9, 12));
    if (this.flood.kind !== "ask") {
      data.isLeft = true;
      return socket.terminate();
    }
    const at = data.head.search(/content-length: /i);
    const isLong = at !== -1 && at < end;
    data.left = isLong ? Number.parseInt(data.head.slice(at + 16, at + 28), 10) : null;
    const rest = Buffer.from(data.head.slice(end + 4), "latin1");
    if (rest.length > 0 || data.left === 0) this.goOn(socket, rest);
  }

  private goOn(socket: Socket<Connection>, chunk: Buffer): void {
    const { data } = socket;
    if (data.left !== null) data.left -= chunk.length;
    const isOver =
      data.left === null ? chunk.subarray(-LAST_CHUNK.length).toString("latin1") === LAST_CHUNK : data.left <= 0;
    if (isOver && !this.isOver) this.send(socket);
  }
}

const NOTHING: FloodAnswer = { answers: {}, sent: 0, held: 0, sentBytes: 0, seconds: 0 };
let flooding: Flooding | null = null;
serveWorker<FloodQuestion, FloodAnswer>(async (question) => {
  if (question.kind === "stop") {
    const answer = flooding?.stop() ?? NOTHING;
    flooding = null;
    return answer;
  }
  flooding = new Flooding(question.port, question.flood);
  await flooding.start();
  return NOTHING;
});
