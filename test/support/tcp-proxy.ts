/** A TCP proxy on the loopback that can be frozen (nothing moves, nothing is closed) and cut (what is open ends). */
import { type AddressInfo, createConnection, createServer, type Server, type Socket } from "node:net";

const MOST_LINE_BYTES = 1024;

export class TcpProxy {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  /** The first bytes of what each open client has sent. */
  private readonly openings = new Map<Socket, string>();
  private readonly target: number;
  private isFrozen = false;

  private constructor(target: number) {
    this.target = target;
    this.server = createServer((client) => this.accept(client));
  }

  /** A proxy before this port of the loopback. */
  static async open(target: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    await new Promise<void>((resolve) => proxy.server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** How many clients are connected whose first request has this in its first line. */
  connected(part: string): number {
    return [...this.openings.values()].filter((line) => line.includes(part)).length;
  }

  /** Nothing moves on connections, old or new, until `thaw`. */
  freeze(): void {
    this.isFrozen = true;
    for (const socket of this.sockets) socket.pause();
  }

  thaw(): void {
    this.isFrozen = false;
    for (const socket of this.sockets) socket.resume();
  }

  /** Ends every connection at once. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.cut();
    await closed;
  }

  private accept(client: Socket): void {
    const there = createConnection(this.target, "127.0.0.1");
    client.once("data", (bytes: Buffer) => {
      const [line = ""] = bytes.subarray(0, MOST_LINE_BYTES).toString("latin1").split("\r\n");
      this.openings.set(client, line);
    });
    client.on("close", () => this.openings.delete(client));
    const pairs = [
      [client, there],
      [there, client],
    ] as const;
    for (const [from, to] of pairs) {
      this.sockets.add(from);
      from.setNoDelay(true);
      from.on("data", (bytes) => void to.write(bytes));
      from.on("end", () => to.end());
      from.on("error", () => to.destroy());
      from.on("close", () => {
        this.sockets.delete(from);
        to.destroy();
      });
      if (this.isFrozen) from.pause();
    }
  }
}
