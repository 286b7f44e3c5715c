/**
 * One user's requests in its own process: an open loop with a fixed rate of each kind, each request on a free
 * connection, whether or not the last one is answered. So a stalled service keeps getting requests, and their waits are
 * measured.
 *
 *   bun probe-worker.ts      questions by IPC
 */
import type { Socket } from "bun";
import { waitOf } from "./cpu.ts";
import { serveWorker } from "./worker.ts";

export interface Probe {
  readonly port: number;
  /** Whole requests in wire format, by name; their answers have a content-length. */
  readonly requests: Readonly<Record<string, string>>;
  /** Requests per second, of each kind. */
  readonly perSecond: number;
  readonly seconds: number;
}

/** Latencies in ms by name; one that was not answered in time, or not with 200, counts as `LONGEST_MS`. */
export interface ProbeAnswer {
  readonly latencies: Readonly<Record<string, readonly number[]>>;
  /**
   * For each latency, in the same order: the part of it for which the answer had arrived, but this process had no core
   * to read it.
   */
  readonly waits: Readonly<Record<string, readonly number[]>>;
  /** Answers other than 200, by status. */
  readonly refused: Readonly<Record<string, number>>;
}

/** The time limit of a request. */
export const LONGEST_MS = 10_000;

interface Asked {
  readonly name: string;
  readonly sentAt: number;
}

interface Connection {
  asked: Asked | null;
  head: string;
  left: number;
}

class Probing {
  private readonly probe: Probe;
  private readonly free: Socket<Connection>[] = [];
  private readonly all = new Set<Socket<Connection>>();
  private readonly latencies: Record<string, number[]> = {};
  private readonly waits: Record<string, number[]> = {};
  private readonly refused: Record<string, number> = {};
  private open = 0;
  private totalWait = 0;

  constructor(probe: Probe) {
    this.probe = probe;
  }

  async run(): Promise<ProbeAnswer> {
    const { requests, perSecond, seconds } = this.probe;
    const names = Object.keys(requests);
    const stepMs = 1_000 / (perSecond * names.length);
    const from = performance.now();
    for (let i = 0; i * stepMs < seconds * 1_000; i++) {
      const wait = from + i * stepMs - performance.now();
      if (wait > 0) await Bun.sleep(wait);
      this.waited();
      void this.ask(names[i % names.length]!);
    }
    const until = performance.now() + LONGEST_MS;
    while (this.open > 0 && performance.now() < until) await Bun.sleep(5);
    for (const { data } of this.all) if (data.asked !== null) this.note(data.asked.name, LONGEST_MS);
    for (const socket of this.all) socket.terminate();
    return { latencies: this.latencies, waits: this.waits, refused: this.refused };
  }

  private async ask(name: string): Promise<void> {
    this.open++;
    const socket = this.free.pop() ?? (await this.connect());
    socket.data.asked = { name, sentAt: performance.now() };
    socket.data.head = "";
    socket.write(this.probe.requests[name]!);
  }

  private note(name: string, ms: number, waitMs = 0): void {
    (this.latencies[name] ??= []).push(ms);
    (this.waits[name] ??= []).push(waitMs);
    this.open--;
  }

  /**
   * For how long this process has waited for a core since the last call, in ms: that is, before the present wake-up.
   */
  private waited(): number {
    const total = waitOf(process.pid) * 1_000;
    const ms = total - this.totalWait;
    this.totalWait = total;
    return ms;
  }

  private connect(): Promise<Socket<Connection>> {
    return Bun.connect<Connection>({
      hostname: "127.0.0.1",
      port: this.probe.port,
      data: { asked: null, head: "", left: -1 },
      socket: {
        open: (socket) => void this.all.add(socket),
        data: (socket, chunk) => this.receive(socket, chunk),
        close: (socket) => {
          this.all.delete(socket);
          const at = this.free.indexOf(socket);
          if (at !== -1) this.free.splice(at, 1);
          if (socket.data.asked !== null) this.note(socket.data.asked.name, LONGEST_MS);
          socket.data.asked = null;
        },
      },
    });
  }

  private receive(socket: Socket<Connection>, chunk: Buffer): void {
    const { data } = socket;
    if (data.asked === null) return;
    const waitMs = this.waited();
    data.head += chunk.toString("latin1");
    const end = data.head.indexOf("\r\n\r\n");
    if (end === -1) return;
    const at = data.head.search(/content-length: /i);
    if (data.head.length < end + 4 + Number.parseInt(data.head.slice(at + 16, at + 28), 10)) return;
    const status = data.head.slice(9, 12);
    const ms = performance.now() - data.asked.sentAt;
    if (status !== "200") this.refused[status] = (this.refused[status] ?? 0) + 1;
    this.note(data.asked.name, status === "200" ? ms : LONGEST_MS, waitMs);
    data.asked = null;
    this.free.push(socket);
  }
}

serveWorker<Probe, ProbeAnswer>((probe) => new Probing(probe).run());
