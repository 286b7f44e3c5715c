/**
 * Messages of MCP over Streamable HTTP, in both eras on one path (MCP-1):
 *
 *   POST /mcp ─ Host, Origin ─┬─ 2026-07-28 ─────────────────────────────▶ stateless handler
 *                             └─ 2025-03-26 … 2025-11-25 ─┬─ most ──────▶ a server for this message, answers in JSON
 *                                                         ├─ a batch ───▶ its messages, one after the other
 *                                                         └─ in a session: messages that wait for a job, cancel,
 *                                                            subscribe or answer ──▶ the session's server, a stream
 *   GET, DELETE /mcp ─────────────────────────────────────────────────▶ the session's server
 *
 * A session begins as an id and nothing else (`session-id.ts`). It is in memory only while something of it is open
 * (`sessions.ts`); the organization's actor stores what must outlive the process. Clients of the older era may do
 * without a session.
 */
import {
  createMcpHandler,
  isJSONRPCRequest,
  isLegacyRequest,
  type McpHttpHandler,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { refusalFields } from "./dialect.ts";
import { type Fault, mapOutcome, ok, type Outcome, refuse } from "../../actors/fault.ts";
import type { Principal } from "../../actors/organization/principal.ts";
import { trafficRef } from "../../actors/traffic/schema.ts";
import { originFault } from "../http/admission/allowed-origin.ts";
import type { Batches } from "../http/request/batches.ts";
import { type Caller, chargeTo } from "../http/request/caller.ts";
import type { Services } from "../operations/services.ts";
import type { HeadedMessage, PostedMessage } from "./operations.ts";
import { authInfoOf, callerInAuth } from "./auth-info.ts";
import { batchAnswers, batchFault, isAnswered, jsonArray, NO_EFFECT } from "./batch.ts";
import { mcpServer, type Serving } from "./server.ts";
import type { Era, ServerParts } from "./call-parts.ts";
import {
  type PostedJson,
  messageFault,
  messageIn,
  messageText,
  needsSession,
  noSession,
  refusedMessage,
  rpcError,
} from "./message.ts";
import { DirectTransport } from "./direct-transport.ts";
import { listenForChanges, type ListenRequest } from "./modern-listen.ts";
import { SessionIds, termsIn } from "./session-id.ts";
import { calledTool, sessionRequest, type Posted, SessionStreams } from "./session-streams.ts";
import { type FoundSession, McpSessions } from "./sessions.ts";
import { scopeFault } from "./tool-call.ts";
import { Toolsets, withTools, withToolsIn } from "./toolsets.ts";
import { KEEP_ALIVE_MS, watchedResponse } from "./watched-stream.ts";

/** The connection is closed after so much silence. */
const MCP_QUIET_SECONDS = 30;

const LISTEN = "subscriptions/listen";
const LIST = "tools/list";
type Headed = Pick<HeadedMessage, "headers">;

export interface EndpointParts extends ServerParts {
  readonly services: ServerParts["services"] & Pick<Services, "streams">;
  /** Parses, counts and paces messages. */
  readonly batches: Pick<Batches, "count" | "inTurn" | "parse">;
  /** Replaces the servers behind the endpoint (all of their tools may wait), for the conformance suite. */
  readonly serve?: (era: Era) => Server;
}

export class McpEndpoint {
  private readonly parts: EndpointParts;
  private readonly modern: McpHttpHandler;
  private readonly toolsets: Toolsets;
  private readonly ids: SessionIds;
  readonly sessions: McpSessions;
  private readonly streams: SessionStreams;

  constructor(parts: EndpointParts) {
    this.parts = parts;
    this.toolsets = new Toolsets(parts.tools);
    this.ids = new SessionIds(parts.services);
    const { system, clock, sealing } = parts.services;
    this.sessions = new McpSessions({
      clock,
      sealing,
      watching: parts,
      serve: ({ name }, { organizationId }, subscriptions) =>
        this.serve({
          era: "legacy",
          timed: (work) => system.loopTime.measure(organizationId, "requests", work),
          session: {
            subscribe: async (by, uri, version) => {
              const kept = await system.dispatch(sessionsOf(by), { kind: "subscribe", session: name, uri });
              if (kept.ok) subscriptions.add(uri, version);
              return kept;
            },
            unsubscribe: (by, uri) => {
              subscriptions.remove(uri);
              return system.dispatch(sessionsOf(by), { kind: "unsubscribe", session: name, uri });
            },
          },
        }),
    });
    this.streams = new SessionStreams({ ...parts, sessions: this.sessions });
    this.modern = createMcpHandler(({ authInfo }) => this.serve(servingOf("modern", callerInAuth(authInfo))), {
      legacy: "reject",
      keepAliveMs: KEEP_ALIVE_MS,
      onerror: (err) => parts.services.log.info(refusalFields(err), "an MCP message was refused"),
    });
  }

  /** Answers one message, or a batch in the oldest revision. */
  async take(caller: Caller, { headers, query, body }: PostedMessage): Promise<Outcome<Response>> {
    const foreign = this.foreignFault(headers);
    if (foreign !== null) return refuse(foreign);
    const { batches } = this.parts;
    const read = await batches.parse(caller, body.bytes.byteLength, () => messageIn(body.bytes));
    if (!read.ok) return read;
    const parsed = read.value;
    const unread = messageFault(parsed);
    if (unread !== null) return ok(rpcError(400, ...unread));
    const messages = [parsed].flat() as readonly (PostedJson | null)[];
    const wrong = Array.isArray(parsed) ? batchFault(messages, headers["mcp-protocol-version"]) : null;
    if (wrong !== null) return ok(rpcError(400, -32_600, wrong));
    const lacking = this.lackingScope(caller, messages);
    if (lacking !== null) return refuse(lacking);
    const request = sessionRequest(this.parts.allowed().appUrl, { method: "POST", headers, signal: caller.signal });
    const isLegacy = await chargeTo(caller, () => isLegacyRequest(request, parsed));
    const counted = await batches.count(caller, messages.length);
    if (!counted.ok) return counted;
    const waiting = messages.filter((message) => this.isWaiting(message) || message?.method === LISTEN).length;
    const room = waiting > 0 ? this.parts.services.streams.room(caller.principal.organizationId, waiting) : ok(null);
    if (!room.ok) return room;
    caller.keepOpen(MCP_QUIET_SECONDS);
    const sent: Posted = { caller, request, toolset: this.toolsets.of(query.tools) };
    if (!isLegacy) return this.modernAnswer(sent, parsed as PostedJson);
    const id = headers["mcp-session-id"];
    const found = id === undefined ? ok(undefined) : await this.find(caller, id);
    if (!found.ok) return found;
    if (found.value === null) return ok(noSession());
    if (Array.isArray(parsed)) return ok(await this.batch(sent, messages as readonly PostedJson[], found.value));
    return this.legacyAnswer(sent, parsed as PostedJson, { session: found.value, waits: waiting > 0 });
  }

  /** Answers one message of the older era. */
  private async legacyAnswer(
    sent: Posted,
    message: PostedJson,
    { session, waits }: { readonly session: FoundSession | undefined; readonly waits: boolean },
  ): Promise<Outcome<Response>> {
    if (session === undefined) return ok(await this.legacy(sent, message, waits));
    this.streams.cancel(session, message);
    return waits || isOfSession(message)
      ? this.streams.call(sent, session, message)
      : ok(await this.legacy(sent, message, false));
  }

  /** Answers the messages of a batch as one JSON array. A call that waits for a job reports no progress there. */
  private async batch(
    sent: Posted,
    messages: readonly PostedJson[],
    session: FoundSession | undefined,
  ): Promise<Response> {
    // The SDK checks the headers, as for a single message.
    const checked = await this.legacy(sent, NO_EFFECT, false);
    if (!checked.ok) return checked;
    const answer = async (message: PostedJson): Promise<string | null> => {
      const done = await this.parts.batches.inTurn(sent.caller, (caller) =>
        this.batchAnswer({ ...sent, caller }, message, session),
      );
      const answered = done.ok ? done.value : done;
      if (answered.ok) return answered.value;
      return refusedMessage(message, this.parts.refusal(answered.fault, sent.caller.requestId));
    };
    const answers = batchAnswers(messages, { answer, waits: (message) => this.isWaiting(message) });
    const { clock } = this.parts.services;
    if (isAnswered(messages)) return new Response(jsonArray(answers, clock), { headers: JSON_HEADERS });
    for await (const _ of answers);
    return new Response(null, { status: 202 });
  }

  /** Answers a message of a batch, as JSON. */
  private async batchAnswer(
    sent: Posted,
    message: PostedJson,
    session: FoundSession | undefined,
  ): Promise<Outcome<string | null>> {
    if (session === undefined) return ok(await this.direct(sent, message));
    this.streams.cancel(session, message);
    if (!isOfSession(message)) return ok(await this.direct(sent, message));
    const answered = await this.streams.call(sent, session, message);
    return answered.ok ? ok(await messageText(answered.value)) : answered;
  }

  private async modernAnswer({ caller, request, toolset }: Posted, message: PostedJson): Promise<Outcome<Response>> {
    const authInfo = authInfoOf(request, { caller, toolset, leavesTools: message.method === LIST });
    if (message.method !== LISTEN) {
      const answer = await chargeTo(caller, () => this.modern.fetch(request, { parsedBody: message, authInfo }));
      return ok(message.method === LIST ? await withTools(answer, caller, toolset) : answer);
    }
    const serve = () => this.serve(servingOf("modern", caller));
    const parts = { ...this.parts, serve, keepAliveMs: KEEP_ALIVE_MS };
    const listening = await listenForChanges(parts, caller, { request, message: message as ListenRequest, authInfo });
    if (!listening.ok) return listening;
    const { response, end } = listening.value;
    return ok(watchedResponse(this.parts.services.streams, caller, response, end));
  }

  /** Opens a session's stream, or resumes one that was cut. */
  async listen(caller: Caller, { headers }: Headed): Promise<Outcome<Response>> {
    const foreign = this.foreignFault(headers);
    if (foreign !== null) return refuse(foreign);
    const id = headers["mcp-session-id"];
    if (id === undefined) return ok(needsSession());
    const found = await this.find(caller, id);
    if (!found.ok) return found;
    const session = found.value;
    if (session === null) return ok(noSession());
    const room = this.parts.services.streams.room(caller.principal.organizationId);
    if (!room.ok) return room;
    caller.keepOpen(MCP_QUIET_SECONDS);
    return this.streams.open(caller, session, headers);
  }

  async end(caller: Caller, { headers }: Headed): Promise<Outcome<Response>> {
    const foreign = this.foreignFault(headers);
    if (foreign !== null) return refuse(foreign);
    const id = headers["mcp-session-id"];
    if (id === undefined) return ok(needsSession());
    const found = await this.find(caller, id);
    if (!found.ok) return found;
    if (found.value === null) return ok(noSession());
    // Its id is invalid from now on, at every replica and after any restart.
    const command = { kind: "end_session", session: found.value.name } as const;
    const ended = await this.parts.services.system.dispatch(sessionsOf(caller.principal), command);
    if (!ended.ok) return ended;
    await this.sessions.drop(id);
    return ok(new Response(null, { status: 200 }));
  }

  /** The person's session; null if it is invalid, somebody else's, too old, or ended. */
  private async find({ principal }: Caller, id: string): Promise<Outcome<FoundSession | null>> {
    const opened = this.ids.open(principal, id);
    if (opened === null) return ok(null);
    const command = { kind: "find_session", session: opened.name } as const;
    const kept = await this.parts.services.system.dispatch(sessionsOf(principal), command);
    return mapOutcome(kept, ({ isOver, subscriptions }) => (isOver ? null : { ...opened, subscriptions }));
  }

  private foreignFault(headers: Headed["headers"]): Fault | null {
    const { host = null, origin = null } = headers;
    return originFault({ get: (name) => (name === "host" ? host : origin) }, this.parts.allowed());
  }

  /** Refuses a tool that the token does not allow before anything else, so that a client can ask for the scope. */
  private lackingScope(caller: Caller, messages: readonly (PostedJson | null)[]): Fault | null {
    const [message] = messages;
    const tool = messages.length === 1 ? calledTool(this.parts.tools, message) : undefined;
    return tool === undefined ? null : scopeFault(tool, caller);
  }

  /** Makes a server for this message only. Answers are JSON, except that calls that wait for a job are streams. */
  private async legacy({ caller, request, toolset }: Posted, message: PostedJson, waits: boolean): Promise<Response> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      enableJsonResponse: !waits,
      keepAliveMs: KEEP_ALIVE_MS,
    });
    await chargeTo(caller, () => this.serve(servingOf("legacy", caller)).connect(transport));
    const isList = message.method === LIST;
    const authInfo = authInfoOf(request, { caller, toolset, leavesTools: isList });
    const response = await chargeTo(caller, () => transport.handleRequest(request, { parsedBody: message, authInfo }));
    if (isList) return withTools(response, caller, toolset);
    const terms = response.ok ? termsIn(message) : null;
    if (terms !== null) response.headers.set("mcp-session-id", this.ids.make(caller.principal, terms));
    return response;
  }

  /** Makes a server for this message only, whose headers were checked with its batch. Answers in JSON. */
  private async direct({ caller, request, toolset }: Posted, message: PostedJson): Promise<string | null> {
    // Anything that is no message at all was refused with its batch: `isLegacyRequest` is false for that.
    if (!isJSONRPCRequest(message)) return null;
    const transport = new DirectTransport();
    await chargeTo(caller, () => this.serve(servingOf("legacy", caller)).connect(transport));
    const isList = message.method === LIST;
    const authInfo = authInfoOf(request, { caller, toolset, leavesTools: isList });
    const answer = await chargeTo(caller, () => transport.take(message, { request, authInfo }));
    return chargeTo(caller, () => {
      const text = JSON.stringify(answer);
      return isList ? withToolsIn(text, toolset) : text;
    });
  }

  private serve(serving: Serving): Server {
    return this.parts.serve?.(serving.era) ?? mcpServer(this.parts, serving);
  }

  /** Whether the message calls a tool that waits for a job. */
  private isWaiting(message: PostedJson | null): boolean {
    if (this.parts.serve !== undefined)
      return message?.method === "tools/call" || message?.method === "logging/setLevel";
    const runs = calledTool(this.parts.tools, message)?.spec.runs;
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
const isOfSession = (message: PostedJson | null): boolean => OF_SESSIONS.has(message?.method);

/** The actor that has the sessions of the person's organization. */
const sessionsOf = ({ organizationId }: Principal) => trafficRef(organizationId);

/** A server for one message. */
const servingOf = (era: Era, caller: Caller): Serving => ({
  era,
  timed: (work) => chargeTo(caller, work),
  session: null,
});

const JSON_HEADERS = { "content-type": "application/json" };
