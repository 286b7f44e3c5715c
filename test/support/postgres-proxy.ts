/**
 * A TCP proxy before PostgreSQL that breaks connections at chosen points of a statement:
 *
 *   client ── statement ──▶ proxy ── statement ──▶ PostgreSQL ──▶ commit ── reply ──▶ proxy ── reply ──▶ client
 *                             │                        │                                │
 *                       request_lost              cut_short                  reply_lost, reply_swallowed
 *                    (never arrives there)  (the client is cut off   (committed; the client is cut off,
 *                                            while it is executed)    or waits and hears nothing)
 *
 * It can also be frozen (nothing moves, nothing is closed), cut off altogether, and turned to a server
 * on another port; and it can be watched, so that the world stops just before a chosen statement leaves
 * or just before its answer arrives. It listens on the loopback only.
 */
import { type AddressInfo, createConnection, createServer, type Server, type Socket } from "node:net";
import { ClientWire } from "./postgres-wire.ts";

export type WireFault = "request_lost" | "cut_short" | "reply_lost" | "reply_swallowed";

/** A statement is on its way to PostgreSQL, or its answer is on its way back: it is committed by then. */
export type Moment = "sent" | "answered";

export interface Watch {
  /** `application_name` of the connections. */
  readonly name: string;
  /** A text that the statement's parameters have. */
  readonly holds: string;
  /** True: nothing moves any more from here on, this message included. */
  readonly stops: (moment: Moment) => boolean;
}

interface Strike {
  readonly name: string;
  readonly fault: WireFault;
  readonly done: () => void;
  /** Statements that it lets pass first. */
  skip: number;
}

export class PostgresProxy {
  private readonly server: Server;
  private readonly links = new Set<Link>();
  private strikes: Strike[] = [];
  private watched: Watch | null = null;
  private port: number;
  private isFrozen = false;

  private constructor(port: number) {
    this.port = port;
    this.server = createServer((client) => this.accept(client));
  }

  /** A proxy before the server of this url. */
  static async open(url: string): Promise<PostgresProxy> {
    const proxy = new PostgresProxy(Number(new URL(url).port));
    await new Promise<void>((resolve) => proxy.server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  /** The same database, through this proxy. */
  urlOf(url: string): string {
    const through = new URL(url);
    through.hostname = "127.0.0.1";
    through.port = String((this.server.address() as AddressInfo).port);
    return through.href;
  }

  /** The next statement of a connection with this `application_name`, or one after it, meets the fault; resolves when it has. */
  strike(name: string, fault: WireFault, skip = 0): Promise<void> {
    return new Promise((done) => this.strikes.push({ name, fault, done, skip }));
  }

  /** Shows every moment of the statements that the watch is about; null ends it. */
  watch(watch: Watch | null): void {
    this.watched = watch;
  }

  /** Takes back strikes that have met nothing. */
  forgive(): void {
    for (const { done } of this.strikes.splice(0)) done();
  }

  /** Nothing moves on connections, old or new, until `thaw`. */
  freeze(): void {
    this.isFrozen = true;
    for (const link of this.links) link.pause();
  }

  thaw(): void {
    this.isFrozen = false;
    for (const link of this.links) link.resume();
  }

  /** Connections from now on go to this port. */
  turnTo(url: string): void {
    this.port = Number(new URL(url).port);
  }

  /** Ends every connection at once. */
  cut(): void {
    for (const link of this.links) link.end();
  }

  async close(): Promise<void> {
    this.forgive();
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.cut();
    await closed;
  }

  private accept(client: Socket): void {
    const link = new Link(client, this.port, {
      due: (name, types) => this.due(name, types),
      isWatched: (name, types, chunk) =>
        this.watched?.name === name && types.includes("B") && chunk.includes(this.watched.holds),
      stops: (moment) => {
        if (this.watched?.stops(moment) !== true) return false;
        this.freeze();
        return true;
      },
      gone: () => this.links.delete(link),
    });
    this.links.add(link);
    if (this.isFrozen) link.pause();
  }

  /** The fault that meets a statement which begins on a connection of this name, or null. */
  private due(name: string, types: string): WireFault | null {
    if (!types.includes("B")) return null;
    const at = this.strikes.findIndex((strike) => strike.name === name && strike.skip-- === 0);
    const [strike] = at === -1 ? [] : this.strikes.splice(at, 1);
    strike?.done();
    return strike?.fault ?? null;
  }
}

/** What a connection asks its proxy. */
interface LinkHost {
  due(name: string, types: string): WireFault | null;
  isWatched(name: string, types: string, chunk: Buffer): boolean;
  stops(moment: Moment): boolean;
  gone(): void;
}

/** One client's connection and its counterpart. */
class Link {
  private readonly client: Socket;
  private readonly upstream: Socket;
  private readonly wire = new ClientWire();
  private fault: WireFault | null = null;
  private isSent = false;
  private isPaused = false;
  /** A watched statement has been sent and not answered. */
  private isWatched = false;
  private readonly host: LinkHost;

  constructor(client: Socket, port: number, host: LinkHost) {
    this.client = client;
    this.host = host;
    this.upstream = createConnection({ host: "127.0.0.1", port });
    client.setNoDelay(true);
    this.upstream.setNoDelay(true);
    client.on("data", (chunk: Buffer) => this.said(chunk));
    this.upstream.on("data", (chunk: Buffer) => this.answered(chunk));
    this.upstream.on("drain", () => this.isPaused || client.resume());
    client.on("drain", () => this.isPaused || this.upstream.resume());
    for (const socket of [client, this.upstream]) socket.on("error", () => this.end());
    client.on("close", () => void this.upstream.end());
    this.upstream.on("close", () => {
      client.destroy();
      host.gone();
    });
  }

  pause(): void {
    this.isPaused = true;
    this.client.pause();
    this.upstream.pause();
  }

  resume(): void {
    this.isPaused = false;
    this.client.resume();
    this.upstream.resume();
  }

  end(): void {
    this.client.destroy();
    this.upstream.destroy();
  }

  private said(chunk: Buffer): void {
    const { types } = this.wire.hear(chunk);
    if (this.host.isWatched(this.wire.name, types, chunk)) {
      this.isWatched = true;
      if (this.host.stops("sent")) return;
    }
    this.fault ??= this.host.due(this.wire.name, types);
    if (this.fault === "request_lost") return this.end();
    if (!this.upstream.write(chunk)) this.client.pause();
    if (this.fault === null || !types.includes("S") || this.isSent) return;
    this.isSent = true;
    // PostgreSQL goes on: it notices when it wants to answer. The bytes sent to it arrive first.
    if (this.fault === "cut_short") this.client.destroy();
  }

  private answered(chunk: Buffer): void {
    if (this.isWatched) {
      this.isWatched = false;
      if (this.host.stops("answered")) return;
    }
    if (this.isSent && this.fault === "reply_lost") return this.end();
    if (this.isSent && this.fault === "reply_swallowed") return;
    if (!this.client.destroyed && !this.client.write(chunk)) this.upstream.pause();
  }
}
