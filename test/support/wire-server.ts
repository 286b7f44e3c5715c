/**
 * A server on loopback that says byte for byte what a test wants, over TLS or plain, and counts what
 * reaches it. For what no well-behaved HTTP server would send.
 */
import { createServer, type Socket } from "node:net";
import { createSecureContext, createServer as createTlsServer } from "node:tls";
import type { Certificate } from "./certificates.ts";

export interface WireRequest {
  /** `GET /path HTTP/1.1`. */
  readonly line: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The names of the headers as they were sent. */
  readonly names: readonly string[];
  readonly socket: Socket;
}

export interface WireServer {
  readonly port: number;
  /** TCP connections; one that fails in its TLS handshake is counted as well. */
  connections: number;
  /** Connections that are closed again. */
  closed: number;
  /** Bytes that were given to sockets by `pour`. */
  poured: number;
  readonly requests: WireRequest[];
  /** The server names of the TLS handshakes. */
  readonly serverNames: string[];
  stop(): Promise<void>;
}

export interface WireServerOptions {
  /** By server name; "" is for a client that names none. None: plain HTTP. */
  readonly certificates?: Readonly<Record<string, Certificate>>;
  readonly host?: string;
}

export type Answer = (request: WireRequest, server: WireServer) => void;

export async function startWireServer(answer: Answer, options: WireServerOptions = {}): Promise<WireServer> {
  const { certificates, host = "127.0.0.1" } = options;
  const sockets = new Set<Socket>();
  const server: WireServer = {
    port: 0,
    connections: 0,
    closed: 0,
    poured: 0,
    requests: [],
    serverNames: [],
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      const stopped = Promise.withResolvers<void>();
      listener.close(() => stopped.resolve());
      await stopped.promise;
    },
  };
  const serve = (socket: Socket): void => {
    let text = "";
    socket.on("error", () => {}); // clients that leave
    socket.on("data", (data) => {
      text += data.toString("latin1");
      if (!text.includes("\r\n\r\n")) return;
      const request = parse(text, socket);
      text = "";
      server.requests.push(request);
      answer(request, server);
    });
  };
  const listener =
    certificates === undefined
      ? createServer(serve)
      : createTlsServer(tlsOptions(certificates, server.serverNames), serve);
  listener.on("tlsClientError", () => {});
  listener.on("connection", (socket) => {
    server.connections++;
    sockets.add(socket);
    socket.on("close", () => {
      server.closed++;
      sockets.delete(socket);
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, host, resolve));
  const address = listener.address();
  return Object.assign(server, { port: typeof address === "object" && address !== null ? address.port : 0 });
}

function tlsOptions(certificates: Readonly<Record<string, Certificate>>, serverNames: string[]) {
  const first = Object.values(certificates)[0];
  return {
    ...(certificates[""] ?? first),
    SNICallback: (
      name: string,
      done: (error: Error | null, context: ReturnType<typeof createSecureContext>) => void,
    ) => {
      serverNames.push(name);
      done(null, createSecureContext({ ...(certificates[name] ?? first) }));
    },
  };
}

function parse(text: string, socket: Socket): WireRequest {
  const [line = "", ...rest] = text.slice(0, text.indexOf("\r\n\r\n")).split("\r\n");
  const names = rest.map((header) => header.slice(0, header.indexOf(":")));
  const values = rest.map((header) => header.slice(header.indexOf(":") + 1).trim());
  const headers = Object.fromEntries(names.map((name, i) => [name.toLowerCase(), values[i] ?? ""]));
  return { line, headers, names, socket };
}

/** A whole response with its length. */
export const reply = (
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string | Uint8Array = "",
): Buffer =>
  Buffer.concat([
    Buffer.from(
      `HTTP/1.1 ${status} Status\r\n${Object.entries({ "content-length": String(Buffer.byteLength(body)), ...headers })
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join("")}\r\n`,
    ),
    Buffer.from(body as string),
  ]);

/** Writes `piece` again and again, as fast as the client takes it, until it leaves. */
export function pour({ socket }: WireRequest, server: WireServer, piece: Buffer): void {
  const more = (): void => {
    while (!socket.destroyed) {
      server.poured += piece.length;
      if (!socket.write(piece)) {
        socket.once("drain", more);
        return;
      }
    }
  };
  more();
}

/** Says `text` and then one more byte every few milliseconds, for ever. */
export const drip =
  (text: string): Answer =>
  ({ socket }) => {
    socket.write(text);
    const timer = setInterval(() => socket.write("x"), 5);
    socket.on("close", () => clearInterval(timer));
  };
