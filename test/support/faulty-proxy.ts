/** An HTTP proxy before the service that notes what is asked, and breaks answers as a test wants. */

export type HttpFault =
  /** Answers itself; the service hears nothing. */
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly body: object;
      readonly headers?: Record<string, string>;
    }
  /** The service answers, and the client is cut off after so many bytes of the body. */
  | { readonly kind: "cut"; readonly afterBytes: number };

export interface NotedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

export class FaultyProxy {
  readonly requests: NotedRequest[] = [];
  readonly url: string;
  /** What becomes of the next requests, one each. */
  private readonly faults: HttpFault[] = [];
  private readonly server: Bun.Server<undefined>;

  constructor(target: string) {
    this.server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      idleTimeout: 0,
      fetch: (request) => this.pass(request, target),
    });
    this.url = `http://127.0.0.1:${this.server.port}`;
  }

  /** Forgets what was asked. */
  reset(...faults: readonly HttpFault[]): void {
    this.requests.length = 0;
    this.faults.splice(0, this.faults.length, ...faults);
  }

  async stop(): Promise<void> {
    await this.server.stop(true);
  }

  private async pass(request: Request, target: string): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const path = pathname + search;
    const headers = Object.fromEntries(request.headers);
    this.requests.push({ method: request.method, path, headers });
    const fault = this.faults.shift();
    const body = await request.text();
    if (fault?.kind === "answer")
      return Response.json(fault.body, { status: fault.status, headers: fault.headers ?? {} });
    const { host: _host, connection: _connection, "content-length": _length, ...kept } = headers;
    const answer = await fetch(target + path, {
      method: request.method,
      headers: { ...kept, "accept-encoding": "identity" },
      ...(body === "" ? {} : { body }),
      signal: request.signal,
    });
    if (fault === undefined) return answer;
    const { "content-length": _whole, ...said } = Object.fromEntries(answer.headers);
    return new Response(cut(answer, fault.afterBytes), { status: answer.status, headers: said });
  }
}

/** The body as far as it goes. What comes after is read by nobody. */
function cut(answer: Response, bytes: number): ReadableStream<Uint8Array> {
  const reader = answer.body?.getReader();
  let left = bytes;
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done || value === undefined) return controller.close();
      controller.enqueue(value.subarray(0, left));
      left -= value.length;
      // An end, not an error: Bun's own client takes half a minute to notice a body that its server breaks off.
      if (left <= 0) controller.close();
    },
    async cancel() {
      await reader?.cancel();
    },
  });
}
