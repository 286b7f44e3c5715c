/**
 * What providers send and refuse, so that a model can be called as each of them answers: a tool call, and after its
 * result a text. The oddities are those of public reports; `docs/guides/model-providers.md` names them.
 */
import { HOSTED_WIRES } from "./hosted-wires.ts";
import { LOCAL_WIRES } from "./local-wires.ts";

export interface SentRequest {
  /** With its query. */
  readonly path: string;
  readonly headers: Headers;
  readonly body: WireBody;
}

export interface WireBody {
  readonly model: string;
  readonly messages?: readonly WireMessage[];
  readonly [field: string]: unknown;
}

export interface WireMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly { readonly id: string; readonly [field: string]: unknown }[];
  readonly [field: string]: unknown;
}

export interface ProviderWire {
  /** Where it takes requests. */
  readonly path: string;
  /** Why it refuses a request, with its status; null if it does not. */
  readonly refuses: (request: SentRequest) => { readonly status: number; readonly error: unknown } | null;
  /** Frames of an answer that calls `current_time`. */
  readonly calls: readonly string[];
  /** Frames of the answer to its result. */
  readonly says: readonly string[];
  /** What it then counts for `says`. */
  readonly counts: readonly [input: number, output: number];
  /** What else is sent back with the result. */
  readonly returned?: (body: WireBody) => unknown;
}

/** The text of every provider, in two pieces. The second one waits until the first one has been read. */
export const SAID = { begin: "It is ", end: "noon." };

export const PROVIDER_WIRES: Readonly<Record<string, ProviderWire>> = { ...HOSTED_WIRES, ...LOCAL_WIRES };

/** Serves all providers, each below `/<name>`. */
export function startProviders() {
  const requests: (SentRequest & { readonly provider: string })[] = [];
  let begun = Promise.withResolvers<void>();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const [, provider = "", ...rest] = pathname.split("/");
      const wire = PROVIDER_WIRES[provider];
      const path = `/${rest.join("/")}${search}`;
      if (wire === undefined || request.method !== "POST" || path !== wire.path)
        return Response.json({ error: { message: `Nothing is at ${path}` } }, { status: 404 });
      const sent = { path, headers: request.headers, body: (await request.json()) as WireBody };
      requests.push({ ...sent, provider });
      const refused = wire.refuses(sent);
      if (refused !== null) return Response.json(refused.error, { status: refused.status });
      const frames = hasResult(sent.body) ? wire.says : wire.calls;
      return new Response(pieces(frames, begun.promise), { headers: { "content-type": "text/event-stream" } });
    },
  });
  const wasRead = (): void => {
    begun.resolve();
    begun = Promise.withResolvers();
  };
  return { wasRead, origin: `http://127.0.0.1:${server.port}`, requests, stop: () => server.stop(true) };
}

/** Whether the last message has the result of a tool. */
function hasResult({ messages, input }: WireBody): boolean {
  const last = JSON.stringify((messages ?? (input as readonly unknown[])).at(-1));
  return /"role":"tool"|tool_result|function_call_output/.test(last);
}

/** Each frame in a write of its own. */
function pieces(frames: readonly string[], begun: Promise<void>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      const frame = frames[at++];
      if (frame === undefined) return controller.close();
      if (frame.includes(`"${SAID.end}"`)) await begun;
      controller.enqueue(encoder.encode(frame));
    },
  });
}
