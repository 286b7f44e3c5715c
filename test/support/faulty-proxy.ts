/** An HTTP proxy before the service that notes what is asked, and breaks answers as a test wants. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type HttpFault =
  /** Answers itself; the service hears nothing. */
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly body: object;
      readonly headers?: Record<string, string>;
    }
  /** The service answers, and the body is cut as soon as this text, or so many bytes of it, have passed. */
  | {
      readonly kind: Cut;
      readonly after: string | number;
      /** It waits for a request whose path includes this, and lets others pass. */
      readonly path?: string;
    };

/**
 * How an answer is cut: its connection is closed, or the answer ends as a whole one does, or nothing more comes. A
 * `reset` also takes back what has passed and was not read, so its client may not even see the status.
 */
type Cut = "close" | "reset" | "end" | "silence";

export interface NotedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

export class FaultyProxy {
  readonly requests: NotedRequest[] = [];
  /** What becomes of the next requests, one each; null lets one pass. */
  private readonly faults: (HttpFault | null)[] = [];
  private readonly server: Server;

  private constructor(target: string) {
    this.server = createServer((request, response) => void this.pass({ request, response }, target));
  }

  static async open(target: string): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(target);
    await new Promise<void>((resolve) => proxy.server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Forgets what was asked. */
  reset(...faults: readonly (HttpFault | null)[]): void {
    this.requests.length = 0;
    this.faults.splice(0, this.faults.length, ...faults);
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private faultFor(path: string): HttpFault | null {
    const [next] = this.faults;
    if (next?.kind !== "answer" && next?.path !== undefined && !path.includes(next.path)) return null;
    return this.faults.shift() ?? null;
  }

  private async pass({ request, response }: Exchange, target: string): Promise<void> {
    const { method = "", url: path = "" } = request;
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    this.requests.push({ method, path, headers });
    const fault = this.faultFor(path);
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const body = Buffer.concat(await Array.fromAsync<Buffer>(request));
    if (fault?.kind === "answer") {
      response.writeHead(fault.status, { "content-type": "application/json", ...fault.headers });
      response.end(JSON.stringify(fault.body));
      return;
    }
    const { host: _host, connection: _connection, "content-length": _length, ...kept } = headers;
    try {
      const answer = await fetch(target + path, {
        method,
        headers: { ...kept, "accept-encoding": "identity" },
        ...(body.length === 0 ? {} : { body }),
        signal: gone.signal,
      });
      const { "content-length": _whole, ...said } = Object.fromEntries(answer.headers);
      response.writeHead(answer.status, said);
      response.flushHeaders();
      await passOn(answer, response, fault);
    } catch (cause) {
      if (!gone.signal.aborted) throw cause;
    }
  }
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** The body, as far as it goes. Streams ask their readers to come back at once: a test does not wait a second for each cut. */
async function passOn(
  answer: Response,
  response: ServerResponse,
  fault: Exclude<HttpFault, { readonly kind: "answer" }> | null,
): Promise<void> {
  let body = "";
  let passed = 0;
  for await (const chunk of answer.body ?? []) {
    body = (body + Buffer.from(chunk).toString("latin1")).replace(/^retry: \d+$/m, "retry: 1");
    const end = fault === null ? null : endOf(body, fault.after);
    const piece = Buffer.from(body.slice(passed, end ?? body.length), "latin1");
    passed += piece.length;
    if (piece.length > 0) await new Promise((resolve) => response.write(piece, resolve));
    if (fault === null || end === null) continue;
    if (fault.kind === "end") response.end();
    else if (fault.kind === "close") response.socket?.destroy();
    else if (fault.kind === "reset") response.socket?.resetAndDestroy();
    return;
  }
  response.end();
}

/** Where the body is cut; null as long as its condition has not come. */
function endOf(body: string, after: string | number): number | null {
  if (typeof after === "number") return body.length < after ? null : after;
  const at = body.indexOf(after);
  return at === -1 ? null : at + after.length;
}
