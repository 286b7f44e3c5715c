/**
 * A lean HTTP load generator in its own process: each of its connections sends the next request when the last one is
 * answered. It implements just enough of HTTP for answers with a content-length.
 *
 *   bun http-load.ts      questions by IPC
 */
import type { Socket } from "bun";
import { Samples } from "./statistics.ts";
import { serveWorker } from "./worker.ts";

export interface HttpLoad {
  readonly port: number;
  /** The whole request in wire format; of several, each connection sends one. */
  readonly request: string | readonly string[];
  readonly connections: number;
  readonly seconds: number;
}

export interface HttpRun {
  readonly answered: number;
  /** All requests, including the warm-up. */
  readonly all: number;
  readonly perSecond: number;
  readonly p50Us: number;
  readonly p99Us: number;
  /** CPU of this process, in µs for each request. */
  readonly cpuUs: number;
}

const WARM_UP = 0.25;

interface Connection {
  readonly request: Buffer;
  sentAt: number;
  /** Bytes of the answer that are still to come. */
  left: number;
  head: string;
}

class Generator {
  private readonly load: HttpLoad;
  private readonly requests: readonly Buffer[];
  private readonly samples = new Samples();
  private isMeasured = false;
  private isOver = false;
  private all = 0;
  private failure: string | null = null;

  constructor(load: HttpLoad) {
    this.load = load;
    this.requests = [load.request].flat().map((request) => Buffer.from(request));
  }

  async run(): Promise<HttpRun> {
    const { port, connections, seconds } = this.load;
    const sockets = await Promise.all(Array.from({ length: connections }, (_, i) => this.connect(port, i)));
    for (const socket of sockets) this.send(socket);
    await Bun.sleep(seconds * 1_000 * WARM_UP);
    this.isMeasured = true;
    const from = performance.now();
    const cpuFrom = process.cpuUsage();
    await Bun.sleep(seconds * 1_000);
    const elapsed = (performance.now() - from) / 1_000;
    const cpu = process.cpuUsage(cpuFrom);
    this.isOver = true;
    for (const socket of sockets) socket.end();
    if (this.failure !== null) throw new Error(this.failure);
    const { p50, p99, count } = this.samples.summary();
    return {
      answered: count,
      all: this.all,
      perSecond: count / elapsed,
      p50Us: p50,
      p99Us: p99,
      cpuUs: (cpu.user + cpu.system) / count,
    };
  }

  private connect(port: number, index: number): Promise<Socket<Connection>> {
    const request = this.requests[index % this.requests.length]!;
    return Bun.connect<Connection>({
      hostname: "127.0.0.1",
      port,
      data: { request, sentAt: 0, left: 0, head: "" },
      socket: {
        data: (socket, chunk) => this.receive(socket, chunk),
        error: (_, cause) => this.fail(String(cause)),
        close: () => this.fail("the server closed a connection"),
      },
    });
  }

  private fail(why: string): void {
    if (!this.isOver) this.failure ??= why;
  }

  private send(socket: Socket<Connection>): void {
    socket.data.sentAt = performance.now();
    socket.write(socket.data.request);
  }

  private receive(socket: Socket<Connection>, chunk: Buffer): void {
    const { data } = socket;
    if (data.left > 0) data.left -= chunk.length;
    else if (!this.begin(data, chunk)) return;
    if (data.left > 0) return;
    this.all++;
    if (this.isMeasured && !this.isOver) this.samples.add((performance.now() - data.sentAt) * 1_000);
    if (!this.isOver) this.send(socket);
  }

  /** Reads the head; false while it is incomplete. */
  private begin(data: Connection, chunk: Buffer): boolean {
    data.head += chunk.toString("latin1");
    const end = data.head.indexOf("\r\n\r\n");
    if (end === -1) return false;
    if (!data.head.startsWith("HTTP/1.1 200")) this.fail(`the server answered ${data.head.slice(0, 300)}`);
    const at = data.head.search(/content-length: /i);
    const length = Number.parseInt(data.head.slice(at + 16, at + 26), 10);
    data.left = end + 4 + length - data.head.length;
    data.head = "";
    return true;
  }
}

serveWorker<HttpLoad, HttpRun>((load) => new Generator(load).run());
