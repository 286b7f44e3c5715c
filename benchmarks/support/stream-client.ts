/**
 * Readers of streams, in their own process, over bare sockets, or over WebSockets of ACP. Each reads one stream after the
 * other; every piece of text contains the time at which the provider sent it.
 */
import type { Socket } from "bun";
import { openAcpReader } from "./acp-reader.ts";
import { cpuOf } from "./cpu.ts";
import { Samples } from "./statistics.ts";
import { type StreamLoad, type StreamRun, UNIQUE } from "./stream-load.ts";
import { wallMs } from "./wall-clock.ts";
import { serveWorker } from "./worker.ts";

const STAMP = /\d{13}\.\d{3}/g;
/** The end of a stream repeats the text of the whole message. */
const WHOLE = '"messageType":"assistant"';
const END = "0\r\n\r\n";

interface Reading {
  sentAt: number;
  hasMeta: boolean;
  hasDelta: boolean;
  isWhole: boolean;
  hasEnded: boolean;
}

interface Reader {
  readonly reading: Reading;
  /** Begins the next stream. */
  ask(): void;
  end(): void;
}

let requests = 0;
/** As long as the text that it replaces, so that the length of the request stays true. */
const uniqueId = (): string => `${process.pid % 1_000}-${++requests}`.padEnd(UNIQUE.length, "-");

const NEW_READING: Reading = { sentAt: 0, hasMeta: false, hasDelta: false, isWhole: false, hasEnded: false };
const DRAIN_LIMIT_MS = 20_000;

class Readers {
  private readonly load: StreamLoad;
  private readonly meta = new Samples(200_000);
  private readonly first = new Samples(200_000);
  private readonly delta = new Samples();
  private isMeasured = false;
  private isOver = false;
  private isDrained = false;
  private failure: string | null = null;

  constructor(load: StreamLoad) {
    this.load = load;
  }

  async run(): Promise<StreamRun> {
    const { streams, seconds, pid, warmUpSeconds } = this.load;
    const readers: Reader[] = [];
    for (let i = 0; i < streams; i++) {
      const reader = await (this.load.acp === undefined ? this.connect() : this.connectAcp());
      readers.push(reader);
      reader.ask();
      await Bun.sleep((warmUpSeconds * 500) / streams);
    }
    await Bun.sleep(warmUpSeconds * 500);
    this.isMeasured = true;
    const cpu = cpuOf(pid);
    await Bun.sleep(seconds * 1_000);
    const used = cpuOf(pid) - cpu;
    this.isOver = true;
    const delta = this.delta.summary();
    const first = this.first.summary();
    await this.allEnded(readers);
    for (const reader of readers) reader.end();
    if (this.failure !== null) throw new Error(this.failure);
    return {
      meta: this.meta.summary(),
      firstDelta: first,
      delta,
      cpuUsPerDelta: (used * 1e6) / delta.count,
      cpuUsPerStream: (used * 1e6) / first.count,
    };
  }

  /**
   * A job continues when its reader leaves, so the readers stay; otherwise the job would run during the next
   * measurement.
   */
  private async allEnded(readers: readonly Reader[]): Promise<void> {
    const until = performance.now() + DRAIN_LIMIT_MS;
    while (this.failure === null && readers.some(({ reading }) => !reading.hasEnded)) {
      if (performance.now() > until) this.failure = "the streams did not end";
      await Bun.sleep(20);
    }
    this.isDrained = true;
  }

  private async connect(): Promise<Reader> {
    const reading = { ...NEW_READING };
    const socket = await Bun.connect<Reading>({
      hostname: "127.0.0.1",
      port: this.load.port,
      data: reading,
      socket: {
        data: (from, chunk) => this.receive(from, chunk.toString("latin1")),
        error: () => {},
        close: () => this.closed(),
      },
    });
    return { reading, ask: () => this.ask(socket), end: () => void socket.end() };
  }

  private async connectAcp(): Promise<Reader> {
    const reading = { ...NEW_READING };
    const acp = await openAcpReader(this.load, {
      sent: () => (reading.sentAt = wallMs()),
      heard: (text) => this.stamps(reading, text, wallMs()),
      ended: () => {
        reading.hasEnded = true;
        if (!this.isOver) ask();
      },
      failed: (message) => (this.failure ??= message),
    });
    const ask = (): void => {
      Object.assign(reading, NEW_READING);
      acp.ask(this.load.request.replaceAll(UNIQUE, uniqueId()));
    };
    return { reading, ask, end: acp.end };
  }

  private closed(): void {
    if (!this.isDrained) this.failure ??= "a stream was closed";
  }

  private ask(socket: Socket<Reading>): void {
    Object.assign(socket.data, NEW_READING, { sentAt: wallMs() });
    socket.write(this.load.request.replaceAll(UNIQUE, uniqueId()));
  }

  private receive(socket: Socket<Reading>, text: string): void {
    const at = wallMs();
    const { data } = socket;
    if (text.startsWith("HTTP/1.1") && !text.startsWith("HTTP/1.1 200"))
      this.failure ??= `refused: ${text.slice(0, 400)}`;
    if (text.includes("event: error")) this.failure ??= `failed: ${text.slice(0, 400)}`;
    if (!data.hasMeta && (text.includes("event: meta") || text.includes('"role"'))) {
      data.hasMeta = true;
      if (this.isMeasured) this.meta.add(at - data.sentAt);
    }
    if (!data.isWhole) this.stamps(data, text, at);
    if (!text.endsWith(END)) return;
    data.hasEnded = true;
    if (!this.isOver) this.ask(socket);
  }

  private stamps(data: Reading, text: string, at: number): void {
    const whole = text.indexOf(this.load.whole ?? WHOLE);
    data.isWhole = whole !== -1;
    for (const { 0: stamp } of (data.isWhole ? text.slice(0, whole) : text).matchAll(STAMP)) {
      if (this.isMeasured && !this.isOver) {
        this.delta.add(at - Number(stamp));
        if (!data.hasDelta) this.first.add(at - data.sentAt);
      }
      data.hasDelta = true;
    }
  }
}

serveWorker<StreamLoad, StreamRun>((load) => new Readers(load).run());
