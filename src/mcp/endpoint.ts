/**
 * Messages of MCP over Streamable HTTP, in both eras on one path (MCP-1):
 *
 *   POST /mcp ─ Host, Origin ─┬─ 2026-07-28 ─────────────────────────────▶ stateless handler
 *                             └─ 2025-03-26 … 2025-11-25 ─┬─ most ──────▶ a server for this message, answers in JSON
 *                                                         └─ in a session: what waits for a job, cancels,
 *                                                            subscribes or answers ──▶ the session's server, a stream
 *   GET, DELETE /mcp ─────────────────────────────────────────────────▶ the session's server
 *
 * A session begins as nothing but its id (`session-id.ts`), and is in memory only while something of it is open
 * (`sessions.ts`). Clients of the older era may do without one.
 */
import {
  createMcpHandler,
  isLegacyRequest,
  type McpHttpHandler,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { isDeeper } from "../../actors/json-shape.ts";
import { MAX_JSON_DEPTH } from "../../actors/clean-text.ts";
import { type Fault, ok, type Outcome, refuse } from "../../actors/fault.ts";
import type { JsonObject } from "../../actors/schema.ts";
import type { Input } from "../http/contract/operation.ts";
import { MCP_RESOURCE } from "../http/contract/oauth-paths.ts";
import { type Caller, detached } from "../http/request/caller.ts";
import type { Services } from "../operations/services.ts";
import type { McpOperations } from "./operations.ts";
import { type Allowed, originFault } from "./origin.ts";
import { authInfoOf, type Era, mcpServer, type ServerParts } from "./server.ts";
import { SessionIds, type SessionTerms } from "./session-id.ts";
import { type LiveSession, McpSessions } from "./sessions.ts";
import { scopeFault } from "./tool-call.ts";
import { watchedStream } from "./watched-stream.ts";

/** Silence on a stream after which a comment shows that the connection lives. */
const KEEP_ALIVE_MS = 10_000;
/** A stream may be silent for so long before the connection is closed. */
const QUIET_SECONDS = 30;

type Post = Input<McpOperations["sendMcpMessage"]>;
type Headed = Pick<Post, "headers">;

export interface EndpointParts extends ServerParts {
  readonly services: ServerParts["services"] & Pick<Services, "sealing" | "streams">;
  readonly allowed: () => Allowed;
  /** Other servers than ours behind the endpoint, whose tools may all wait; for the conformance suite. */
  readonly serve?: (era: Era) => Server;
}

/** A message as JSON; what it says is looked at before the SDK checks its form. */
interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly name?: unknown } & JsonObject;
}

export class McpEndpoint {
  private readonly parts: EndpointParts;
  private readonly modern: McpHttpHandler;
  private readonly ids: SessionIds;
  readonly sessions: McpSessions;

  constructor(parts: EndpointParts) {
    this.parts = parts;
    this.ids = new SessionIds(parts.services);
    this.sessions = new McpSessions({ clock: parts.services.clock, serve: () => this.serve("legacy") });
    this.modern = createMcpHandler(() => this.serve("modern"), {
      legacy: "reject",
      keepAliveMs: KEEP_ALIVE_MS,
      onerror: (err) => parts.services.log.info({ err }, "a message of MCP was refused"),
    });
  }

  /** Answers one message, or a batch of the oldest revision. */
  async take(caller: Caller, { headers, body }: Post): Promise<Outcome<Response>> {
    const foreign = this.foreignFault(headers);
    if (foreign !== null) return refuse(foreign);
    const parsed = messageIn(body.bytes);
    if (parsed === undefined) return ok(rpcError(400, -32_700, "Parse error: the body is no JSON"));
    const messages = [parsed].flat() as readonly (Message | null)[];
    const lacking = this.lackingScope(caller, messages);
    if (lacking !== null) return refuse(lacking);
    const waits = messages.some((message) => this.isWaiting(message));
    const room = waits ? this.parts.services.streams.room(caller.principal.organizationId) : ok(null);
    if (!room.ok) return room;
    caller.keepOpen(QUIET_SECONDS);
    const request = this.requestOf("POST", headers, caller.signal);
    if (!(await isLegacyRequest(request, parsed)))
      return ok(await this.modern.fetch(request, { parsedBody: parsed, authInfo: authInfoOf(caller) }));
    const id = headers["mcp-session-id"];
    if (id === undefined) return ok(await this.legacy(caller, request, { parsed, waits }));
    const terms = this.termsOf(caller, id);
    if (terms === null) return ok(NO_SESSION());
    return messages.some((message) => this.isWaiting(message) || isOfSession(message))
      ? this.inSession(caller, { id, terms, request, parsed })
      : ok(await this.legacy(caller, request, { parsed, waits }));
  }

  /** Opens the stream of a session, or goes on with one that was cut. */
  async listen(caller: Caller, { headers }: Headed): Promise<Outcome<Response>> {
    const foreign = this.foreignFault(headers);
    if (foreign !== null) return refuse(foreign);
    const id = headers["mcp-session-id"];
    if (id === undefined) return ok(rpcError(400, -32_000, "Mcp-Session-Id is required; `initialize` gives one"));
    const terms = this.termsOf(caller, id);
    if (terms === null) return ok(NO_SESSION());
    const room = this.parts.services.streams.room(caller.principal.organizationId);
    if (!room.ok) return room;
    caller.keepOpen(QUIET_SECONDS);
    return this.inSession(caller, { id, terms, request: this.requestOf("GET", headers, caller.signal) });
  }

  async end(caller: Caller, { headers }: Headed): Promise<Outcome<Response>> {
    const foreign = this.foreignFault(headers);
    if (foreign !== null) return refuse(foreign);
    const id = headers["mcp-session-id"];
    if (id === undefined) return ok(rpcError(400, -32_000, "Mcp-Session-Id is required; `initialize` gives one"));
    if (this.termsOf(caller, id) === null) return ok(NO_SESSION());
    await this.sessions.end(id);
    return ok(new Response(null, { status: 200 }));
  }

  private termsOf({ principal }: Caller, id: string): SessionTerms | null {
    return this.sessions.hasEnded(id) ? null : this.ids.open(principal, id);
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

  /** A tool that the token does not allow is refused before anything else, so that a client can ask for the scope. */
  private lackingScope(caller: Caller, messages: readonly (Message | null)[]): Fault | null {
    const [message] = messages;
    const tool = messages.length === 1 ? this.toolOf(message) : undefined;
    return tool === undefined ? null : scopeFault(tool, caller);
  }

  /** A server for this message only. Answers are JSON; only calls that wait for a job are streams. */
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
    const response = await transport.handleRequest(request, { parsedBody: parsed, authInfo: authInfoOf(caller) });
    const terms = response.ok ? openedBy(parsed) : null;
    if (terms !== null) response.headers.set("mcp-session-id", this.ids.make(caller.principal, terms));
    return response;
  }

  /** What runs in a session goes on when its connection is lost, and is kept for the client's return. */
  private async inSession(
    caller: Caller,
    {
      id,
      terms,
      request,
      parsed,
    }: { readonly id: string; readonly terms: SessionTerms; readonly request: Request; readonly parsed?: unknown },
  ): Promise<Outcome<Response>> {
    const opened = await this.sessions.of(caller.principal, id, terms);
    if (!opened.ok) return opened;
    const response = await opened.value.transport.handleRequest(request, {
      authInfo: authInfoOf(detached(caller)),
      ...(parsed === undefined ? {} : { parsedBody: parsed }),
    });
    return ok(this.watched(caller, opened.value, response));
  }

  /** A stream ends with its token and with the service, and holds its session in memory. */
  private watched(caller: Caller, session: LiveSession, response: Response): Response {
    const { streams, clock } = this.parts.services;
    const { body, status, headers } = response;
    if (body === null || headers.get("content-type") !== "text/event-stream") return response;
    session.streams++;
    const open = { bearer: caller.principal, end: () => watched.end() };
    const watched = watchedStream(body, () => {
      session.streams--;
      session.usedAt = clock.monotonic();
      streams.remove(open);
    });
    streams.add(open);
    return new Response(watched.stream, { status, headers });
  }

  private toolOf(message: Message | null | undefined) {
    return message?.method === "tools/call" ? this.parts.tools.get(String(message.params?.name)) : undefined;
  }

  private serve(era: Era): Server {
    return this.parts.serve?.(era) ?? mcpServer(this.parts, era);
  }

  /** Whether the message calls a tool that waits for a job. */
  private isWaiting(message: Message | null): boolean {
    if (this.parts.serve !== undefined)
      return message?.method === "tools/call" || message?.method === "logging/setLevel";
    const runs = this.toolOf(message)?.spec.runs;
    return runs === "wait" || runs === "execute";
  }
}

/** Whether the message is about something that the session's server holds: a call under way, or a subscription. */
const isOfSession = (message: Message | null): boolean =>
  message?.method === undefined || message.method === "notifications/cancelled";

/** What a message that opens a session says of its client; null for any other. */
function openedBy(parsed: unknown): SessionTerms | null {
  const { method, params } = parsed as Message;
  if (method !== "initialize") return null;
  const { protocolVersion, capabilities, clientInfo } = (params ?? {}) as Partial<SessionTerms>;
  // Without these the SDK has answered an error.
  if (protocolVersion === undefined || capabilities === undefined || clientInfo === undefined) return null;
  const { name, version } = clientInfo;
  return { protocolVersion, capabilities, clientInfo: { name, version } };
}

/** The JSON in a body; undefined where there is none that we take. */
function messageIn(bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (isDeeper(text, MAX_JSON_DEPTH)) return undefined;
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

const rpcError = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status });

const NO_SESSION = (): Response => rpcError(404, -32_001, "Session not found; begin a new one with `initialize`");
