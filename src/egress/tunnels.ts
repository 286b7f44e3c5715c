/**
 * Outgoing connections for a program without a network: an HTTP proxy (RFC 9110, section 9.3.6) on a Unix
 * socket. It accepts only CONNECT, so that the traffic is TLS between the program and the host.
 *
 *   program ─▶ socket ─▶ host allowed? ─▶ name resolved once, every address checked ─▶ that address
 *
 * Connections, bytes and the time to connect are bounded. Nothing rejects: a refusal is a status and one line
 * with the reason.
 */
import { connect, createServer, type Socket } from "node:net";
import type { Egress } from "./egress.ts";

export interface TunnelLimits {
  readonly connections: number;
  /** Of all connections together, in both directions. */
  readonly bytes: number;
  readonly connectMs: number;
}

interface TunnelSettings {
  /** Path of the socket, in a folder that nobody else can enter. Systems allow about a hundred characters. */
  readonly path: string;
  readonly isAllowed: (host: string, port: number) => boolean;
  readonly limits: TunnelLimits;
}

export interface Tunnels {
  /** Ends all connections. */
  close(): Promise<void>;
}

const CONNECT_HEAD_BYTES = 8 * 1024;
/** The only request that is accepted. The host must be a name, because certificates are for names. */
const CONNECT_REQUEST = /^CONNECT ([a-z0-9._-]{1,253}):(\d{1,5}) HTTP\/1\.[01]\r\n/i;

export async function openTunnels(egress: Pick<Egress, "resolve">, settings: TunnelSettings): Promise<Tunnels> {
  const { path, limits } = settings;
  const open = new Set<Socket>();
  let bytes = 0;
  const keep = (socket: Socket): void => {
    open.add(socket);
    // Ignored: a broken connection is gone, and `close` follows.
    socket.on("error", () => {}).on("close", () => open.delete(socket));
  };
  const count = (chunk: Buffer): void => {
    bytes += chunk.byteLength;
    if (bytes > limits.bytes) for (const socket of open) socket.destroy();
  };

  let programs = 0;
  const server = createServer((program) => {
    keep(program);
    programs++;
    program.on("close", () => programs--);
    if (programs > limits.connections) return refuseTunnel(program, 503, "too many connections at once");
    if (bytes > limits.bytes) return refuseTunnel(program, 503, "the bytes of this command are used up");
    void serve(program);
  });

  async function serve(program: Socket): Promise<void> {
    const head = await readConnectHead(program);
    if (head === null) return void program.destroy();
    const [, host = "", portText] = CONNECT_REQUEST.exec(head.text) ?? [];
    if (host === "") return refuseTunnel(program, 501, "only CONNECT to a host name is served: use https");
    const port = Number(portText);
    if (!settings.isAllowed(host, port)) return refuseTunnel(program, 403, `${host}:${port} is not in SHELL_HOSTS`);
    const to = await egress.resolve(`https://${host}:${port}/`, { timeoutMs: limits.connectMs });
    if (to.kind === "failed") return refuseTunnel(program, 502, to.error);
    // The tunnels were closed meanwhile: nobody would end this connection.
    if (program.destroyed) return;
    const remote = connect({ host: to.addresses[0] ?? "", port, timeout: limits.connectMs });
    keep(remote);
    remote.once("timeout", () => remote.destroy());
    remote.once("connect", () => {
      remote.setTimeout(0);
      program.write("HTTP/1.1 200 Connected\r\n\r\n");
      if (head.rest.byteLength > 0) {
        count(head.rest);
        remote.write(head.rest);
      }
      program.on("data", count).pipe(remote);
      remote.on("data", count).pipe(program);
    });
    remote.once("close", () => {
      if (remote.bytesRead === 0 && remote.bytesWritten === 0) refuseTunnel(program, 502, "connection_refused");
      else program.end();
    });
    program.once("close", () => remote.destroy());
  }

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(path, resolve);
  });
  return {
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** The head of a request, and the bytes after it; null if no head comes, or it is too long. */
function readConnectHead(socket: Socket): Promise<{ readonly text: string; readonly rest: Buffer } | null> {
  return new Promise((resolve) => {
    let seen: Buffer = Buffer.alloc(0);
    const done = (found: { readonly text: string; readonly rest: Buffer } | null): void => {
      socket.off("data", read).off("close", none).off("end", none);
      socket.pause();
      resolve(found);
    };
    const none = (): void => done(null);
    const read = (chunk: Buffer): void => {
      seen = Buffer.concat([seen, chunk]);
      const end = seen.indexOf("\r\n\r\n");
      if (end >= 0) done({ text: seen.subarray(0, end + 2).toString("latin1"), rest: seen.subarray(end + 4) });
      else if (seen.byteLength > CONNECT_HEAD_BYTES) none();
    };
    socket.on("data", read).on("close", none).on("end", none);
  });
}

function refuseTunnel(socket: Socket, status: number, why: string): void {
  if (socket.destroyed) return;
  const body = `${why}\n`;
  socket.end(
    `HTTP/1.1 ${status} Refused\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(body)}\r\nx-refused: ${why}\r\nconnection: close\r\n\r\n${body}`,
  );
}
