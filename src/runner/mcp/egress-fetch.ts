/**
 * `fetch` for an MCP client over the guarded client (HOOK-11): it follows no redirects and reaches only allowed
 * addresses. Also,
 *
 * - each request has the server's secret headers, which are read anew for it;
 * - a request always gets an answer: if its stream breaks or ends without one, an error is added, so that the client
 *   does not wait for the time-out (it ignores an error for a call that has its answer);
 * - the server is notified of a cancelled tool call (`notifications/cancelled`): in MCP, closing a connection cancels
 *   nothing;
 * - no stream is opened for unsolicited messages of a server: nothing would read them;
 * - no body is parsed here: `AnswerReader` has it reduced in the sandbox (GUARD-1).
 */
import type { JsonObject } from "../../../actors/schema.ts";
import type { Egress, EgressLimits, EgressRequest, EgressStream } from "../../egress/egress.ts";
import { EgressInterrupted } from "../../egress/failure.ts";
import { AnswerReader, type McpReading } from "./answer-reader.ts";
import { egressFailure, INTERRUPTED, McpFailure, MCP_REFUSED_CODE, SessionEnded } from "./failure.ts";

/** For the requests that cancel a call or end a session: nothing waits for either. */
const SESSION_END: EgressLimits = { timeoutMs: 2_000, maxResponseBytes: 4_096 };

interface RpcRequest {
  readonly id: number;
  readonly method: string;
}

type StreamedAnswer = Extract<EgressStream, { readonly kind: "response" }>;
type Fetch = (input: URL | Request | string, init?: RequestInit) => Promise<Response>;

/** `secretHeaders` throws if a header's secret is missing; a request in an ended session throws `SessionEnded`. */
export function egressFetch(
  egress: Pick<Egress, "open" | "request">,
  secretHeaders: () => Promise<Record<string, string>>,
  { limits, reading }: { readonly limits: EgressLimits; readonly reading: McpReading },
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
      limits: method === "DELETE" ? SESSION_END : limits,
      ...(init.signal ? { signal: init.signal } : {}),
      lane: reading.organizationId,
    };
    const rpc = rpcRequestIn(init.body);
    const settled = rpc?.method === "tools/call" ? cancelOnAbort(egress, request, rpc) : () => {};
    const opened = await egress.open(request).catch((cause: unknown) => {
      // The access is lacking: nothing was sent that could be cancelled.
      settled();
      throw cause;
    });
    if (opened.kind === "failed") {
      if (opened.error !== "aborted") settled();
      throw egressFailure(opened.error);
    }
    return await settledBy(settled, async () => {
      const isOfSession = method === "POST" && headers["mcp-session-id"] !== undefined;
      const answer = isOfSession ? await inSession(opened) : opened;
      return await clientResponse(answer, rpc, { reading, settled, signal: init.signal ?? undefined });
    });
  };
}

interface McpAnswering {
  readonly reading: McpReading;
  /** Nothing is left that could be cancelled. */
  readonly settled: () => void;
  readonly signal: AbortSignal | undefined;
}

/** Statuses with which servers refuse a session that they do not know; the protocol has 404, which says it alone. */
const SESSION_STATUSES = [400, 404, 410];
/** What they write then: "No valid session ID provided", "Server not initialized". */
const SESSION_WORDS = /session|not initiali[sz]ed/i;
/** Bytes of a refusal that are searched for these words. */
const REFUSAL_BYTES = 16 * 1024;

/** The answer to a request in a session. Throws `SessionEnded` if it says that the session is gone. */
async function inSession(answer: StreamedAnswer): Promise<StreamedAnswer> {
  const { status, body } = answer;
  if (!SESSION_STATUSES.includes(status)) return answer;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= REFUSAL_BYTES) break;
  }
  const content = Buffer.concat(chunks);
  if (status === 404 || SESSION_WORDS.test(content.toString("latin1"))) throw new SessionEnded(status);
  return { ...answer, body: new Blob([content]).stream() };
}

/** The answer for the client: its head, and messages of our own making. */
async function clientResponse(
  answer: StreamedAnswer,
  rpc: RpcRequest | null,
  answering: McpAnswering,
): Promise<Response> {
  const { status, body } = answer;
  const head = { status: status >= 200 && status <= 599 ? status : 502, headers: clientHeaders(answer.headers) };
  const type = answer.headers.get("content-type") ?? "";
  const hasContent = rpc !== null && ![202, 204, 205, 304].includes(status);
  if (!hasContent || (status >= 300 && !type.includes("application/json"))) {
    answering.settled();
    await body.cancel();
    return rpc !== null && status < 300 ? withoutAnswer(rpc, status) : new Response(null, head);
  }
  if ((answer.headers.get("content-encoding") ?? "identity").trim().toLowerCase() !== "identity") {
    await body.cancel();
    throw new McpFailure("its answer is compressed, although the request did not allow it");
  }
  const reader = new AnswerReader(answering.reading, rpc, answering.signal);
  if (type.includes("text/event-stream"))
    return new Response(events(reader.events(body), rpc, answering.settled), head);
  const messages = await reader.json(body);
  answering.settled();
  // Else the client would wait for an answer that never comes.
  if (messages.length === 0 && status < 300) throw new McpFailure(OTHER_REQUEST_WORDS);
  return new Response(JSON.stringify(messages.length === 1 ? messages[0] : messages), head);
}

/**
 * The answer to a request that the server has accepted as if it were a notification: the client would wait for its
 * answer until the time-out. An older server may do that with `server/discover`, and is then asked as an older one.
 */
function withoutAnswer({ id, method }: RpcRequest, status: number): Response {
  if (method !== "server/discover")
    throw new McpFailure(`it answered a request with HTTP status ${status}, which has no content`);
  return Response.json({ jsonrpc: "2.0", id, error: { code: METHOD_NOT_FOUND, message: "Method not found" } });
}

const METHOD_NOT_FOUND = -32_601;

const OTHER_REQUEST_WORDS = "its answer belongs to another request";

/** Only the headers that the client reads: a server may send 64 KiB of them. */
function clientHeaders(headers: Headers): Headers {
  const kept = new Headers();
  for (const name of ["content-type", "mcp-session-id"]) {
    const value = headers.get(name);
    if (value !== null) kept.set(name, value);
  }
  return kept;
}

/** Calls `settled` when the work fails, unless it was cancelled. */
async function settledBy<T>(settled: () => void, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof EgressInterrupted && cause.error === "aborted")) settled();
    throw cause;
  }
}

/** Notifies the server if the request is cancelled before `settled` is called. */
function cancelOnAbort(egress: Pick<Egress, "request">, call: EgressRequest, rpc: RpcRequest): () => void {
  const { url, headers = {}, signal } = call;
  // Without a session the server could not tell which client's call is meant.
  if (signal === undefined || headers["mcp-session-id"] === undefined) return () => {};
  const params = { requestId: rpc.id, reason: "The call was stopped" };
  const body = JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params });
  const cancel = (): void => void egress.request({ url, method: "POST", headers, body, limits: SESSION_END });
  signal.addEventListener("abort", cancel, { once: true });
  return () => signal.removeEventListener("abort", cancel);
}

/** The messages as an event stream; one that ends without the answer to `rpc` ends with an error for it. */
function events(
  messages: AsyncGenerator<JsonObject, void>,
  rpc: RpcRequest,
  settled: () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const frame = (message: object): Uint8Array => encoder.encode(`data: ${JSON.stringify(message)}\n\n`);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await messages.next().catch((cause: unknown) => cause);
        if (isMessage(next)) return controller.enqueue(frame(next.value));
        if (!(next instanceof EgressInterrupted && next.error === "aborted")) settled();
        // The client ignores the error if the call has its answer.
        controller.enqueue(frame({ jsonrpc: "2.0", id: rpc.id, error: rpcErrorOf(next) }));
        controller.close();
      },
      cancel: async () => {
        await messages.return();
      },
    },
    { highWaterMark: 0 },
  );
}

const isMessage = (next: unknown): next is { readonly done: false; readonly value: JsonObject } =>
  typeof next === "object" && next !== null && "done" in next && next.done === false;

function rpcErrorOf(cause: unknown): { readonly code: number; readonly message: string } {
  if (cause instanceof McpFailure) return { code: MCP_REFUSED_CODE, message: cause.message };
  return { code: INTERRUPTED, message: cause instanceof EgressInterrupted ? cause.error : "connection_reset" };
}

function rpcRequestIn(body: RequestInit["body"]): RpcRequest | null {
  if (typeof body !== "string") return null;
  const message: unknown = JSON.parse(body);
  const { id, method } = message as Partial<RpcRequest>;
  return typeof id === "number" && typeof method === "string" ? { id, method } : null;
}
