/**
 * Messages of MCP over Streamable HTTP, in both eras on one path (MCP-1):
 *
 *   POST /mcp ─ Host, Origin ─┬─ 2026-07-28 ─────────────────────────────▶ stateless handler
 *                             └─ 2025-03-26 … 2025-11-25 ─┬─ most ──────▶ a server for this message, answers in JSON
 *                                                         └─ in a session: messages that wait for a job, cancel,
 *                                                            subscribe or answer ──▶ the session's server, a stream
 *   GET, DELETE /mcp ─────────────────────────────────────────────────▶ the session's server
 *
 * A session begins as an id and nothing else (`session-id.ts`). It is in memory only while something of it is open
 * (`sessions.ts`); `session-records.ts` stores what must outlive the process. Clients of the older era may do without
 * a session.
 */
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  type McpHttpHandler,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { refusalFields } from "./dialect.ts";
import { type Fault, mapped, ok, type Outcome, refuse } from "../../actors/fault.ts";
import { newId } from "../../actors/ids.ts";
import type { JsonObject } from "../../actors/schema.ts";
import type { Input } from "../http/contract/operation.ts";
import { MCP_RESOURCE } from "../http/contract/oauth-paths.ts";
import { type Caller, detached } from "../http/request/caller.ts";
import type { Services } from "../operations/services.ts";
import type { McpOperations } from "./operations.ts";
import { authInfoOf, hasLinks, OLDEST_REVISION } from "./auth-info.ts";
import { originFault } from "./origin.ts";
import { type Era, mcpServer, type ServedSession, type ServerParts } from "./server.ts";
import { toolResult } from "./answered-call.ts";
import { EventIds, type WaitingCall } from "./event-cursor.ts";
import { jobOfCall } from "./execute.ts";
import { withFileLinks } from "./file-links.ts";
import type { WaitedJob } from "./job-wait.ts";
import { type Message, messageIn } from "./message.ts";
import { listen, type ListenRequest } from "./modern-listen.ts";
import { type RevivedCall, revivedCall } from "./revived-call.ts";
import { SessionIds, type SessionTerms } from "./session-id.ts";
import { SessionRecords } from "./session-records.ts";
import { type FoundSession, type LiveSession, McpSessions } from "./sessions.ts";
import { scopeFault, type ToolAnswer } from "./tool-call.ts";
import { WAIT_SECONDS } from "./tools.ts";
import { watchedStream } from "./watched-stream.ts";

/** Silence on a stream after which a comment keeps the connection alive. */
const KEEP_ALIVE_MS = 10_000;
/** The connection is closed after so much silence. */
const QUIET_SECONDS = 30;

/** Characters of a message's value that an event id may carry. */
const SHORT = 128;
const LISTEN = "subscriptions/listen";

type Post = Input<McpOperations["sendMcpMessage"]>;
type Headed = Pick<Post, "headers">;

export interface EndpointParts extends ServerParts {
  readonly services: ServerParts["services"] & Pick<Services, "streams">;
  /** Replaces the servers behind the endpoint (all of their tools may wait), for the conformance suite. */
  readonly serve?: (era: Era) => Server;
}

export class McpEndpoint {
  private readonly parts: EndpointParts;
  private readonly modern: McpHttpHandler;
  private readonly ids: SessionIds;
  private readonly records: SessionRecords;
  readonly sessions: McpSessions;
  /** Calls that were resumed after their process had gone, by session and request. */
  private readonly revived = new Map<string, RevivedCall>();

  constructor(parts: EndpointParts) {
    this.parts = parts;
    this.ids = new SessionIds(parts.services);
    const { system, clock, sealing } = parts.services;
    this.records = new SessionRecords(system);
    this.sessions = new McpSessions({
      clock,
      sealing,
      watching: parts,
      serve: ({ name }, subscriptions) =>
        this.serve("legacy", {
          subscribe: async (principal, uri, version) => {
            const kept = await this.records.subscribe(principal, name, uri);
            if (kept.ok) subscriptions.add(uri, version);
            return kept;
          },
          unsubscribe: (principal, uri) => {
            subscriptions.remove(uri);
            return this.records.unsubscribe(principal, name, uri);
          },
        }),
    });
    this.modern = createMcpHandler(() => this.serve("modern"), {
      legacy: "reject",
      keepAliveMs: KEEP_ALIVE_MS,
      onerror: (err) => parts.services.log.info(refusalFields(err), "a message of MCP was refused"),
    });
  }

  /** Answers one message, or a batch in the oldest revision. */
  async take(caller: Caller, { headers, body }: Post): Promise<Outcome<Response>> {
    const foreign = this.foreignFault(headers);
    if (foreign !== null) return refuse(foreign);
    const parsed = messageIn(body.bytes);
    if (parsed === undefined) return ok(rpcError(400, -32_700, "Parse error: the body is no JSON"));
    const version = headers["mcp-protocol-version"];
    if (Array.isArray(parsed) && parsed.length === 0) return ok(rpcError(400, -32_600, "The batch is empty"));
    if (Array.isArray(parsed) && version !== undefined && version !== OLDEST_REVISION) return ok(NO_BATCHES());
    const messages = [parsed].flat() as readonly (Message | null)[];
    const lacking = this.lackingScope(caller, messages);
    if (lacking !== null) return refuse(lacking);
    const waits = messages.some((message) => this.isWaiting(message) || message?.method === LISTEN);
    const room = waits ? this.parts.services.streams.room(caller.principal.organizationId) : ok(null);
    if (!room.ok) return room;
    caller.keepOpen(QUIET_SECONDS);
    const request = this.requestOf("POST", headers, caller.signal);
    if (!(await isLegacyRequest(request, parsed))) return this.modernAnswer(caller, request, parsed as Message);
    const id = headers["mcp-session-id"];
    if (id === undefined) return ok(await this.legacy(caller, request, { parsed, waits }));
    const found = await this.find(caller, id);
    if (!found.ok) return found;
    const session = found.value;
    if (session === null) return ok(NO_SESSION());
    for (const message of messages) this.cancelRevived(session, message);
    return messages.some((message) => this.isWaiting(message) || isOfSession(message))
      ? this.inSession(caller, session, { request, parsed })
      : ok(await this.legacy(caller, request, { parsed, waits }));
  }

  private async modernAnswer(caller: Caller, request: Request, message: Message): Promise<Outcome<Response>> {
    if (message.method !== LISTEN)
      return ok(await this.modern.fetch(request, { parsedBody: message, authInfo: authInfoOf(caller, request) }));
    const parts = { ...this.parts, serve: () => this.serve("modern"), keepAliveMs: KEEP_ALIVE_MS };
    const listening = await listen(parts, caller, { request, message: message as ListenRequest });
    if (!listening.ok) return listening;
    const { response, end } = listening.value;
    return ok(this.watched(caller, response, end));
  }

  /** Opens a session's stream, or resumes one that was cut. */
  async listen(caller: Caller, { headers }: Headed): Promise<Outcome<Response>> {
    const foreign = this.foreignFault(headers);
    if (foreign !== null) return refuse(foreign);
    const id = headers["mcp-session-id"];
    if (id === undefined) return ok(NEEDS_SESSION());
    const found = await this.find(caller, id);
    if (!found.ok) return found;
    const session = found.value;
    if (session === null) return ok(NO_SESSION());
    const room = this.parts.services.streams.room(caller.principal.organizationId);
    if (!room.ok) return room;
    caller.keepOpen(QUIET_SECONDS);
    const { "last-event-id": last } = headers;
    if (last === undefined) return this.listenIn(caller, session, headers);
    const place = new EventIds(this.parts.services.sealing, session.name).open(last);
    if (this.sessions.hasEvent(id, last))
      return place === "listening"
        ? this.listenIn(caller, session, headers)
        : this.inSession(caller, session, { request: this.requestOf("GET", headers, caller.signal) });
    if (place === "listening") return this.listenIn(caller, session, { ...headers, "last-event-id": undefined });
    if (place === undefined || place === "unknown")
      return ok(rpcError(400, -32_000, "Nothing is known of Last-Event-ID"));
    return ok(this.revive(caller, session, { call: place, hasLinks: hasLinks(headers["mcp-protocol-version"]) }));
  }

  async end(caller: Caller, { headers }: Headed): Promise<Outcome<Response>> {
    const foreign = this.foreignFault(headers);
    if (foreign !== null) return refuse(foreign);
    const id = headers["mcp-session-id"];
    if (id === undefined) return ok(NEEDS_SESSION());
    const found = await this.find(caller, id);
    if (!found.ok) return found;
    if (found.value === null) return ok(NO_SESSION());
    const ended = await this.records.end(caller.principal, found.value.name);
    if (!ended.ok) return ended;
    await this.sessions.drop(id);
    return ok(new Response(null, { status: 200 }));
  }

  /** The person's session; null if it is invalid, somebody else's, too old, or ended. */
  private async find({ principal }: Caller, id: string): Promise<Outcome<FoundSession | null>> {
    const opened = this.ids.open(principal, id);
    if (opened === null) return ok(null);
    const kept = await this.records.find(principal, opened.name);
    return mapped(kept, ({ isOver, subscriptions }) => (isOver ? null : { ...opened, subscriptions }));
  }

  private foreignFault(headers: Headed["headers"]): Fault | null {
    const { host = null, origin = null } = headers;
    return originFault({ get: (name) => (name === "host" ? host : origin) }, this.parts.allowed());
  }

  private requestOf(method: string, headers: Headed["headers"], signal: AbortSignal): Request {
    const given = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, value]],
    );
    const url = this.parts.allowed().appUrl + MCP_RESOURCE;
    return new Request(url, { method, headers: [...given, ["content-type", "application/json"]], signal });
  }

  /** Refuses a tool that the token does not allow before anything else, so that a client can ask for the scope. */
  private lackingScope(caller: Caller, messages: readonly (Message | null)[]): Fault | null {
    const [message] = messages;
    const tool = messages.length === 1 ? this.toolOf(message) : undefined;
    return tool === undefined ? null : scopeFault(tool, caller);
  }

  /** Makes a server for this message only. Answers are JSON, except that calls that wait for a job are streams. */
  private async legacy(
    caller: Caller,
    request: Request,
    { parsed, waits }: { readonly parsed: unknown; readonly waits: boolean },
  ): Promise<Response> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      enableJsonResponse: !waits,
      keepAliveMs: KEEP_ALIVE_MS,
    });
    await this.serve("legacy").connect(transport);
    const authInfo = authInfoOf(caller, request);
    const response = await transport.handleRequest(request, { parsedBody: parsed, authInfo });
    const terms = response.ok ? openedBy(parsed) : null;
    if (terms !== null) response.headers.set("mcp-session-id", this.ids.make(caller.principal, terms));
    return response;
  }

  /** A call in a session survives a lost connection: its events are kept until the client resumes. */
  private inSession(
    caller: Caller,
    session: FoundSession,
    { request, parsed }: { readonly request: Request; readonly parsed?: unknown },
  ): Promise<Outcome<Response>> {
    return this.sessions.using(caller.principal, session, async (live) => {
      const key = newId("req");
      const call = this.callIn(parsed, key);
      // The SDK would send the answer of the first call with this id to the second one.
      if (call !== null && live.calls.has(call.id)) return usedId(call.id);
      const response = await this.sessions.take(live, request, {
        authInfo: authInfoOf(detached(caller), request, key),
        call,
        ...(parsed === undefined ? {} : { parsedBody: parsed }),
      });
      return this.held(caller, live, response);
    });
  }

  /** The stream of notifications for a session's subscriptions. */
  private listenIn(caller: Caller, session: FoundSession, headers: Headed["headers"]): Promise<Outcome<Response>> {
    return this.sessions.using(caller.principal, session, async (live) => {
      const { transport, subscriptions } = live;
      const response = await transport.handleRequest(this.requestOf("GET", headers, caller.signal));
      if (!response.ok) return response;
      const stop = subscriptions.listen(detached(caller));
      return this.held(caller, live, response, stop);
    });
  }

  private revive(
    caller: Caller,
    { id, name }: FoundSession,
    { call, hasLinks: isLinked }: { readonly call: WaitingCall; readonly hasLinks: boolean },
  ): Response {
    const { services, invoke } = this.parts;
    const ids = new EventIds(services.sealing, name);
    const key = revivedKey(id, call.id);
    const answerOf = (value: WaitedJob): ToolAnswer => (isLinked ? withFileLinks({ value }) : { value });
    const revived = revivedCall(
      {
        services,
        invoke,
        idAt: (place) => ids.make(place),
        resultOf: (job) => toolResult(this.parts, caller.requestId, mapped(job, answerOf)),
      },
      caller,
      call,
    );
    this.revived.set(key, revived);
    const headers = { "content-type": "text/event-stream", "cache-control": "no-cache, no-transform" };
    return this.watched(caller, new Response(revived.stream, { headers }), () => {
      if (this.revived.get(key) === revived) this.revived.delete(key);
    });
  }

  private cancelRevived({ id }: FoundSession, message: Message | null): void {
    const call = message?.method === "notifications/cancelled" ? message.params?.["requestId"] : undefined;
    if (typeof call === "string" || typeof call === "number") this.revived.get(revivedKey(id, call))?.cancel();
  }

  /** What the stream of a message can be resumed from; null if only this process can resume it. */
  private callIn(parsed: unknown, key: string): WaitingCall | null {
    const { id, params } = (parsed ?? {}) as Message;
    const runs = this.toolOf(parsed as Message)?.spec.runs;
    if (runs !== "execute" && runs !== "wait") return null;
    const given = (params?.["arguments"] ?? {}) as JsonObject;
    const token = (params?.["_meta"] as JsonObject | undefined)?.["progressToken"] ?? null;
    const job = runs === "wait" ? given["job_id"] : (given["idempotency_key"] ?? null) === null ? jobOfCall(key) : null;
    if (!isShort(id) || !(token === null || isShort(token)) || !(job === null || isShort(job))) return null;
    const seconds = Number(given["wait_seconds"] ?? WAIT_SECONDS.default);
    const endsAt = this.parts.services.clock.now() + seconds * 1_000;
    const jobId = job === null ? null : String(job);
    return { id, progressToken: token, progress: 0, jobId, isOwn: runs === "execute", endsAt };
  }

  /** A stream that keeps its session in memory. */
  private held(caller: Caller, session: LiveSession, response: Response, onEnd: () => void = () => {}): Response {
    if (!isStream(response)) return response;
    session.uses++;
    return this.watched(caller, response, () => {
      session.uses--;
      session.usedAt = this.parts.services.clock.monotonic();
      onEnd();
    });
  }

  /** A stream that ends with its token or with the service. */
  private watched(caller: Caller, response: Response, onEnd: () => void): Response {
    const { streams } = this.parts.services;
    const { body, status, headers } = response;
    if (body === null || !isStream(response)) return response;
    const open = { bearer: caller.principal, end: () => watched.end() };
    const watched = watchedStream(body, () => {
      onEnd();
      streams.remove(open);
    });
    streams.add(open);
    return new Response(watched.stream, { status, headers });
  }

  private toolOf(message: Message | null | undefined) {
    return message?.method === "tools/call" ? this.parts.tools.get(String(message.params?.name)) : undefined;
  }

  private serve(era: Era, session: ServedSession | null = null): Server {
    return this.parts.serve?.(era) ?? mcpServer(this.parts, era, session);
  }

  /** Whether the message calls a tool that waits for a job. */
  private isWaiting(message: Message | null): boolean {
    if (this.parts.serve !== undefined)
      return message?.method === "tools/call" || message?.method === "logging/setLevel";
    const runs = this.toolOf(message)?.spec.runs;
    return runs === "wait" || runs === "execute";
  }
}

const OF_SESSIONS: ReadonlySet<unknown> = new Set([
  undefined,
  "notifications/cancelled",
  "resources/subscribe",
  "resources/unsubscribe",
]);
/** Whether the message concerns a call in flight or a subscription, which only the session's server has. */
const isOfSession = (message: Message | null): boolean => OF_SESSIONS.has(message?.method);

const isStream = ({ headers }: Response): boolean => headers.get("content-type") === "text/event-stream";
const revivedKey = (sessionId: string, id: string | number): string => `${sessionId} ${JSON.stringify(id)}`;
/** Whether the value fits into an event id. */
const isShort = (value: unknown): value is string | number =>
  typeof value === "number" || (typeof value === "string" && value.length <= SHORT);

/** The client's terms, if the message opens a session; else null. The SDK answers an error to invalid terms. */
function openedBy(parsed: unknown): SessionTerms | null {
  if (!isInitializeRequest(parsed)) return null;
  const { protocolVersion, capabilities, clientInfo } = parsed.params;
  const { name, version } = clientInfo;
  return { protocolVersion, capabilities: capabilities as JsonObject, clientInfo: { name, version } };
}

const rpcError = (status: number, code: number, message: string, id: string | number | null = null): Response =>
  Response.json({ jsonrpc: "2.0", error: { code, message }, id }, { status });

const usedId = (id: string | number): Response =>
  rpcError(400, -32_600, "A call of this session with the same request id is in flight; send another id", id);

const NO_BATCHES = (): Response =>
  rpcError(400, -32_600, `Only revision ${OLDEST_REVISION} has batches; send one message`);
const NEEDS_SESSION = (): Response => rpcError(400, -32_000, "Mcp-Session-Id is required; `initialize` gives one");
const NO_SESSION = (): Response => rpcError(404, -32_001, "Session not found; begin a new one with `initialize`");
