/**
 * A flood of HTTP requests in a process of its own, which is started with the lowest priority: what an attacker
 * computes is computed elsewhere. It goes on whatever it is answered, and asks at once again.
 *
 *   ask    each connection sends its next request when the last one is answered
 *   drop   each connection is closed at the first byte of its answer, and opened again
 *   hold   each connection sends all of its body but the last byte, and keeps it until it is answered or closed
 *
 *   bun flood-worker.ts      questions by IPC
 */
import type { Socket } from "bun";
import { serveWorker } from "./worker.ts";

export interface Flood {
  readonly kind: "ask" | "drop" | "hold";
  readonly connections: number;
  /** Whole requests as they go over the wire; each connection sends one after the other. With `hold`: a head. */
  readonly requests: readonly string[];
  /** With `hold`: the bytes that its head announces. */
  readonly bodyBytes?: number;
}

export type FloodQuestion =
  | { readonly kind: "start"; readonly port: number; readonly flood: Flood }
  | { readonly kind: "stop" };

/** Answers by status; 0 is a connection that was closed without one. */
export interface FloodAnswer {
  readonly answers: Readonly<Record<string, number>>;
}

interface Connection {
  next: number;
  head: string;
  /** Bytes of the answer that are still to come; null: until an empty chunk. */
  left: number | null;
  isAnswering: boolean;
  /** It was closed here; what still comes counts for nothing. */
  isLeft: boolean;
  /** What the socket has not taken yet, in order; parts of what all connections share. */
  unsent: Uint8Array[];
}

const LAST_CHUNK = "0\r\n\r\n";
/**
 * Between the end of a connection and the next one in its place. Who holds bodies open comes back when
 * `Retry-After` says: thousands of new connections a second are a flood of the kernel's queue, and a proxy's matter.
 */
const AGAIN_MS = { ask: 5, drop: 5, hold: 1_000 } as const;
/** From half of that to one and a half: not all at once. */
const againMs = (kind: Flood["kind"]): number => AGAIN_MS[kind] * (0.5 + Math.random());

class Flooding {
  private readonly port: number;
  private readonly flood: Flood;
  private readonly requests: readonly Uint8Array[];
  private readonly body: Uint8Array;
  private readonly sockets = new Set<Socket<Connection>>();
  private readonly answers: Record<string, number> = {};
  private isOver = false;

  constructor(port: number, flood: Flood) {
    this.port = port;
    this.flood = flood;
    this.requests = flood.requests.map((request) => Buffer.from(request));
    this.body = Buffer.alloc(Math.max(0, (flood.bodyBytes ?? 0) - 1), " ");
  }

  async start(): Promise<void> {
    // One after the other: a queue of connections is bounded too. One that comes again does not hold the others up.
    for (let i = 0; i < this.flood.connections; i++) await this.connect(i);
  }

  stop(): FloodAnswer {
    this.isOver = true;
    for (const socket of this.sockets) socket.terminate();
    return { answers: this.answers };
  }

  private async connect(index: number): Promise<void> {
    if (this.isOver) return;
    await Bun.connect<Connection>({
      hostname: "127.0.0.1",
      port: this.port,
      data: { next: index, head: "", left: 0, isAnswering: false, isLeft: false, unsent: [] },
      socket: {
        open: (socket) => {
          this.sockets.add(socket);
          this.send(socket);
        },
        data: (socket, chunk) => this.receive(socket, chunk),
        drain: (socket) => this.write(socket),
        close: (socket) => {
          // One that never opened is begun again below.
          if (!this.sockets.delete(socket)) return;
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
    data.isAnswering = false;
    data.head = "";
    const request = this.requests[data.next++ % this.requests.length]!;
    data.unsent = this.body.length === 0 ? [request] : [request, this.body];
    this.write(socket);
  }

  private write(socket: Socket<Connection>): void {
    const { unsent, isLeft } = socket.data;
    if (isLeft) return;
    for (let first = unsent[0]; first !== undefined; first = unsent[0]) {
      const written = Math.max(0, socket.write(first));
      if (written < first.length) {
        unsent[0] = first.subarray(written);
        return;
      }
      unsent.shift();
    }
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

let flooding: Flooding | null = null;
serveWorker<FloodQuestion, FloodAnswer>(async (question) => {
  if (question.kind === "stop") {
    const answer = flooding?.stop() ?? { answers: {} };
    flooding = null;
    return answer;
  }
  flooding = new Flooding(question.port, question.flood);
  await flooding.start();
  return { answers: {} };
});
