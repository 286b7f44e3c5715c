/**
 * The requests of an MCP client, as `fetch` over the guarded client (HOOK-11): nothing is followed,
 * only addresses that may be reached are. Besides,
 *
 * - each request has the server's secret headers, looked up for it alone;
 * - a request always gets an answer: where its stream breaks or ends without one, an error is added,
 *   so that nobody waits for the time-out (an error for a call that has its answer is ignored);
 * - a tool call that is called off is told to the server (`notifications/cancelled`): the end of a
 *   connection does not cancel anything in MCP;
 * - no stream is opened for what a server may say unasked: nobody would hear it.
 */
import type { Egress, EgressLimits, EgressRequest } from "../../egress/egress.ts";
import { EgressInterrupted } from "../../egress/failure.ts";
import { egressFailure, INTERRUPTED } from "./failure.ts";

/** For a cancel, and for the end of a session: nobody waits for either. */
const FAREWELL: EgressLimits = { timeoutMs: 2_000, maxResponseBytes: 4_096 };

interface RpcRequest {
  readonly id: number;
  readonly method: string;
}

type Fetch = (input: URL | Request | string, init?: RequestInit) => Promise<Response>;

/** `secretHeaders` throws where one cannot be had. */
export function egressFetch(
  egress: Pick<Egress, "open" | "request">,
  secretHeaders: () => Promise<Record<string, string>>,
  limits: EgressLimits,
): Fetch {
  return async (input, init = {}) => {
    const method = init.method ?? "GET";
    if (method !== "POST" && method !== "DELETE") return new Response(null, { status: 405 });
    const headers = { ...Object.fromEntries(new Headers(init.headers)), ...(await secretHeaders()) };
    const request: EgressRequest = {
      url: input instanceof Request ? input.url : String(input),
      method,
      headers,
      ...(typeof init.body === "string" ? { body: init.body } : {}),
      limits: method === "DELETE" ? FAREWELL : limits,
      ...(init.signal ? { signal: init.signal } : {}),
    };
    const rpc = requestIn(init.body);
    const settled = rpc?.method === "tools/call" ? cancelOnAbort(egress, request, rpc) : () => {};
    const answer = await egress.open(request);
    if (answer.kind === "failed") {
      if (answer.error !== "aborted") settled();
      throw egressFailure(answer.error);
    }
    const { status } = answer;
    const head = { status: status >= 200 && status <= 599 ? status : 502, headers: answer.headers };
    if (status === 204 || status === 205 || status === 304) {
      settled();
      await answer.body.cancel();
      return new Response(null, head);
    }
    const isStream = answer.headers.get("content-type")?.includes("text/event-stream") === true;
    return new Response(answered(answer.body, isStream ? rpc : null, settled), head);
  };
}

/** Tells the server when the request is called off before `settled` is called. */
function cancelOnAbort(egress: Pick<Egress, "request">, call: EgressRequest, rpc: RpcRequest): () => void {
  const { url, headers = {}, signal } = call;
  // Without a session the server could not know whose call is meant.
  if (signal === undefined || headers["mcp-session-id"] === undefined) return () => {};
  const params = { requestId: rpc.id, reason: "The call was stopped" };
  const body = JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params });
  const cancel = (): void => void egress.request({ url, method: "POST", headers, body, limits: FAREWELL });
  signal.addEventListener("abort", cancel, { once: true });
  return () => signal.removeEventListener("abort", cancel);
}

/** The body; a stream that answers `rpc` ends with an error for it. */
function answered(
  body: ReadableStream<Uint8Array>,
  rpc: RpcRequest | null,
  settled: () => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await reader.read().catch((cause: unknown) => cause);
        if (isChunk(next)) return controller.enqueue(next.value);
        const reason = next instanceof EgressInterrupted ? next.error : null;
        if (reason !== "aborted") settled();
        if (rpc === null) return reason === null ? controller.close() : controller.error(next);
        const message = reason ?? "connection_reset";
        const error = { jsonrpc: "2.0", id: rpc.id, error: { code: INTERRUPTED, message } };
        controller.enqueue(new TextEncoder().encode(`\n\ndata: ${JSON.stringify(error)}\n\n`));
        controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

const isChunk = (read: unknown): read is { readonly done: false; readonly value: Uint8Array } =>
  typeof read === "object" && read !== null && "done" in read && read.done === false;

function requestIn(body: RequestInit["body"]): RpcRequest | null {
  if (typeof body !== "string") return null;
  const message: unknown = JSON.parse(body);
  const { id, method } = message as Partial<RpcRequest>;
  return typeof id === "number" && typeof method === "string" ? { id, method } : null;
}
