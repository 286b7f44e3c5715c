/** One request over a raw socket whose body need not come to its end. */
import { connect, type Socket } from "node:net";
import type { Json } from "./current.ts";

export interface HeldAnswer {
  /** The status line and the headers. */
  readonly head: string;
  readonly body: Json;
}

export class HeldRequest {
  /** Rejects where the connection ends without one. */
  readonly answer: Promise<HeldAnswer>;
  isAnswered = false;
  private readonly socket: Socket;
  private received = "";

  constructor(
    url: string,
    {
      method,
      headers,
      body,
    }: { readonly method: string; readonly headers: Readonly<Record<string, string>>; readonly body: string },
  ) {
    const { hostname, port, pathname, search } = new URL(url);
    this.socket = connect(Number(port), hostname);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    this.socket.write(
      `${method} ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n${lines.join("")}\r\n${body}`,
    );
    const { promise, resolve, reject } = Promise.withResolvers<HeldAnswer>();
    this.answer = promise;
    promise.catch(() => {});
    this.socket.on("data", (chunk: Buffer) => this.take(chunk.toString(), resolve));
    this.socket.on("error", reject);
    this.socket.on("close", () => reject(new Error("the connection ended without an answer")));
  }

  send(text: string): void {
    this.socket.write(text);
  }

  leave(): void {
    this.socket.destroy();
  }

  private take(text: string, resolve: (answer: HeldAnswer) => void): void {
    this.received += text;
    const end = this.received.indexOf("\r\n\r\n");
    const length = Number(/content-length: (\d+)/i.exec(this.received)?.[1] ?? Number.NaN);
    if (end === -1 || this.received.length < end + 4 + length) return;
    this.isAnswered = true;
    resolve({ head: this.received.slice(0, end + 4), body: JSON.parse(this.received.slice(end + 4)) as Json });
  }
}
