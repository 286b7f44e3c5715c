/**
 * The server that git talks to in place of the repository: on the loopback, for one clone. It forwards git's two kinds
 * of requests through the guarded client. So names are resolved once, addresses are checked as for webhooks, redirects
 * follow our rules, bytes are counted, and the credentials never reach git, its configuration, its environment or the
 * list of processes.
 *
 *   git ──http, with a key──▶ 127.0.0.1 ──guarded client, https, with the credentials──▶ repository
 *
 * A git in a bubble has its own loopback, so it reaches the server by a Unix socket instead.
 */
import type { Egress } from "../egress/egress.ts";
import { type EgressError, EgressInterrupted } from "../egress/failure.ts";

/** The limit of a request of git. One for a shallow clone has some hundred bytes. */
const REQUEST_BYTES = 4 * 1024 * 1024;
const REDIRECTS = 3;
const KEY_HEADER = "x-troupe-key";
/** Headers of git that are forwarded to the repository's server. */
const PASSED = ["accept", "content-type", "content-encoding", "git-protocol", "user-agent"];
const UPLOAD_PACK_QUERY = "service=git-upload-pack";

/** Why the repository could not be read, as far as the network knows. */
export type RemoteFailure =
  | { readonly kind: "network"; readonly error: EgressError }
  | { readonly kind: "status"; readonly status: number }
  | { readonly kind: "too_large" };

export interface ProxySettings {
  /** The repository, https, without user info. */
  readonly url: string;
  /** `Authorization` of the requests, or null. It is sent only to the origin of `url`. */
  readonly authorization: string | null;
  /** Of all answers together, in bytes. */
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** The path of the socket, and its URL inside the bubble. Null: the server listens on a port of this machine. */
  readonly socket: { readonly path: string; readonly url: string } | null;
}

export interface PinningProxy {
  /** The URL for git. For a proxy at a socket, its origin is that of the bubble's relay. */
  readonly url: string;
  /**
   * `http.extraHeader`: other processes on this machine do not have it, and get nothing. Pass it in a file, not in
   * arguments.
   */
  readonly header: string;
  /** The first failure; null if there was none. */
  failure(): RemoteFailure | null;
  received(): number;
  close(): Promise<void>;
}

export function openProxy(egress: Pick<Egress, "open">, settings: ProxySettings): PinningProxy {
  const { authorization, maxBytes, timeoutMs, signal } = settings;
  const key = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
  let base = settings.url.replace(/\/+$/, "");
  let failure: RemoteFailure | null = null;
  let received = 0;
  const fail = (why: RemoteFailure): Response => {
    failure ??= why;
    return new Response(null, { status: 502 });
  };

  async function forward(request: Request, path: "/info/refs" | "/git-upload-pack"): Promise<Response> {
    const isFirst = path === "/info/refs";
    const url = isFirst ? `${base}${path}?${UPLOAD_PACK_QUERY}` : `${base}${path}`;
    const isHome = new URL(url).origin === new URL(settings.url).origin;
    const headers = Object.fromEntries(PASSED.flatMap((name) => pair(name, request.headers.get(name))));
    const body = isFirst ? undefined : await boundedBytes(request);
    if (body === null) return fail({ kind: "too_large" });
    const answer = await egress.open({
      url,
      method: isFirst ? "GET" : "POST",
      headers: { ...headers, ...(authorization !== null && isHome ? { authorization } : {}) },
      ...(body === undefined ? {} : { body }),
      limits: { timeoutMs, maxResponseBytes: Math.max(1, maxBytes - received), maxRedirects: isFirst ? REDIRECTS : 0 },
      signal,
    });
    if (answer.kind === "failed") return fail({ kind: "network", error: answer.error });
    if (answer.status !== 200) {
      await answer.body.cancel().catch(() => {}); // broken already
      return fail({ kind: "status", status: answer.status });
    }
    // Later requests go where the first answer came from.
    if (isFirst) {
      const moved = new URL(answer.finalUrl);
      if (!moved.pathname.endsWith(path)) return fail({ kind: "status", status: 404 });
      base = `${moved.origin}${moved.pathname.slice(0, -path.length)}`;
    }
    const type = answer.headers.get("content-type") ?? "";
    return new Response(counted(answer.body), {
      headers: { "content-type": type, "cache-control": "no-cache" },
    });
  }

  /** Counts the bytes. A stream that fails ends early for git; the reason is kept here. */
  function counted(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const reader = body.getReader();
    return new ReadableStream({
      async pull(sink) {
        try {
          const { done, value } = await reader.read();
          if (done) return sink.close();
          received += value.byteLength;
          sink.enqueue(value);
        } catch (cause) {
          const error = cause instanceof EgressInterrupted ? cause.error : "connection_reset";
          failure ??= error === "too_large" ? { kind: "too_large" } : { kind: "network", error };
          sink.close();
        }
      },
      cancel: (reason) => reader.cancel(reason),
    });
  }

  const { socket } = settings;
  const server = Bun.serve({
    ...(socket === null ? { hostname: "127.0.0.1", port: 0 } : { unix: socket.path }),
    maxRequestBodySize: REQUEST_BYTES,
    async fetch(request, self) {
      // A repository may take long to answer; `timeoutMs` is the limit.
      self.timeout(request, 0);
      if (request.headers.get(KEY_HEADER) !== key) return new Response(null, { status: 403 });
      const { pathname, search } = new URL(request.url);
      if (request.method === "GET" && pathname === "/repository/info/refs" && search === `?${UPLOAD_PACK_QUERY}`)
        return forward(request, "/info/refs");
      if (request.method === "POST" && pathname === "/repository/git-upload-pack")
        return forward(request, "/git-upload-pack");
      return new Response(null, { status: 404 });
    },
  });
  return {
    url: `${socket?.url ?? `http://127.0.0.1:${server.port}`}/repository`,
    header: `${KEY_HEADER}: ${key}`,
    failure: () => failure,
    received: () => received,
    close: () => server.stop(true),
  };
}

const pair = (name: string, value: string | null): readonly (readonly [string, string])[] =>
  value === null ? [] : [[name, value]];

/** Null where it is longer than the limit. */
async function boundedBytes(request: Request): Promise<Uint8Array<ArrayBuffer> | null> {
  const bytes = new Uint8Array(await request.arrayBuffer());
  return bytes.length > REQUEST_BYTES ? null : bytes;
}
