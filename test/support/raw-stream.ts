/** One connection of an event stream over a raw socket, which can be cut at any byte of the body, or not be read. */
import { connect, type Socket } from "node:net";
import { type Frame, FrameParser } from "./event-streams.ts";
/** Chunks are decoded, and the body goes to a parser until the cut. */
export class RawStream {
  readonly parser: FrameParser;
  private readonly socket: Socket;
  private readonly decoder = new TextDecoder();
  private head = "";
  private inBody = false;
  private pending = Buffer.alloc(0);
  private left: number;
  status = 0;
  /** Resolves when nothing comes any more. */
  readonly closed: Promise<void>;

  /** After `cutAfter` bytes of the body the socket is destroyed. */
  constructor(
    url: string,
    headers: Readonly<Record<string, string>>,
    {
      cutAfter = Number.POSITIVE_INFINITY,
      onFrame,
    }: { readonly cutAfter?: number; readonly onFrame?: (frame: Frame) => void } = {},
  ) {
    this.parser = new FrameParser(onFrame);
    const { hostname, port, pathname, search } = new URL(url);
    this.left = cutAfter;
    this.socket = connect(Number(port), hostname);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    this.socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n${lines.join("")}\r\n`);
    this.closed = new Promise((resolve) => {
      this.socket.on("close", () => resolve());
      this.socket.on("error", () => resolve());
    });
    this.socket.on("data", (chunk) => this.take(chunk as Buffer));
  }

  cut(): void {
    this.socket.destroy();
  }

  /** Stops taking what comes; the kernel's buffers fill. */
  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  private take(chunk: Buffer): void {
    if (this.inBody) return this.body(chunk);
    this.head += chunk.toString("latin1");
    const end = this.head.indexOf("\r\n\r\n");
    if (end === -1) return;
    this.status = Number(this.head.split(" ")[1]);
    this.inBody = true;
    // A refusal: the service is stopping.
    if (this.status !== 200) return this.cut();
    this.body(Buffer.from(this.head.slice(end + 4), "latin1"));
  }

  /** Transfer-Encoding: chunked. */
  private body(bytes: Buffer): void {
    this.pending = Buffer.concat([this.pending, bytes]);
    for (;;) {
      const lineEnd = this.pending.indexOf("\r\n");
      if (lineEnd === -1) return;
      const size = Number.parseInt(this.pending.subarray(0, lineEnd).toString("latin1"), 16);
      const from = lineEnd + 2;
      if (this.pending.length < from + size + 2) return;
      if (size === 0) return void this.socket.end();
      this.text(this.pending.subarray(from, from + size));
      this.pending = this.pending.subarray(from + size + 2);
    }
  }

  private text(bytes: Buffer): void {
    if (this.left <= 0) return;
    this.parser.feed(this.decoder.decode(bytes.subarray(0, this.left), { stream: true }));
    this.left -= bytes.length;
    if (this.left <= 0) this.cut();
  }
}
