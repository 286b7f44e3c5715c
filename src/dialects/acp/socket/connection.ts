/**
 * A connection of a client, whatever carries its messages. `initialize` comes first; then each request is a call into
 * the service (`service-calls.ts`), and each run that the client follows is a turn (`run-turn.ts`).
 *
 * A client that leaves does not stop its runs.
 */
import { newId } from "../../../../actors/ids.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../../actors/schema.ts";
import type { Clock } from "../../../../actors/runtime/ports.ts";
import type { HttpLog } from "../../../log/port.ts";
import {
  ACP_INTERNAL_ERROR,
  ACP_REFUSED,
  INVALID_ACP_PARAMS,
  INVALID_ACP_REQUEST,
  isUnauthorized,
  UNKNOWN_METHOD,
} from "../error-codes.ts";
import type { Editor } from "../editor-tools.ts";
import { ownMeta } from "../own-meta.ts";
import type { EditorPort } from "./editor-port.ts";
import { agentCapabilities, editorOf } from "./handshake.ts";
import { errorText, notificationText, readRpc, responseText, type RpcId, type AcpMessage } from "./json-rpc.ts";
import { Questions } from "./questions.ts";
import { RunTurn, type RunTurnEnd } from "./run-turn.ts";
import type { ServiceCalls } from "./service-calls.ts";

/** What carries the messages. */
export interface AcpWire {
  /** Does nothing once the client is gone. */
  send(text: string): void;
  /** Resolves when the client has taken what was sent; null: it keeps up. */
  room(): Promise<void> | null;
  /** The token is no longer accepted. */
  refuse(reason: string): void;
}

export interface AcpConnectionParts {
  readonly calls: ServiceCalls;
  readonly wire: AcpWire;
  readonly clock: Pick<Clock, "after">;
  readonly log: HttpLog;
  /** The version of the service. */
  readonly version: string;
}

/** Requests of one connection that are not answered yet: a client has a few sessions, with one prompt each. */
const OPEN_REQUESTS = 64;
/** Messages of a session that a client is shown: the newest. */
const SHOWN_PAGES = 10;

/** What is known of a session here. */
interface OpenSession {
  readonly cwd: string | undefined;
  /** Whether calls are approved without asking. */
  isAuto: boolean;
  /** Whether the client has begun, loaded or resumed it by this connection. */
  readonly isOpened: boolean;
  /** Runs that it follows: those of prompts, and one that went on when it was loaded. */
  readonly turns: Set<RunTurn>;
}

type Handler = (connection: AcpConnection, params: JsonObject, id: RpcId) => Promise<RunTurnEnd>;

export class AcpConnection {
  private readonly parts: AcpConnectionParts;
  private readonly questions: Questions;
  private readonly sessions = new Map<string, OpenSession>();
  private readonly closed = new AbortController();
  /** Open prompts with the ids of their requests, which a client may have used twice, for `$/cancel_request`. */
  private readonly prompts = new Map<RunTurn, RpcId>();
  private editor: Editor | null = null;
  private requests = 0;

  constructor(parts: AcpConnectionParts) {
    this.parts = parts;
    this.questions = new Questions((text) => this.send(text));
  }

  /** Takes a message of the client. Does not reject. */
  async receive(text: string): Promise<void> {
    const message = readRpc(text);
    if (message.kind === "broken") this.send(errorText(message.id, message.error));
    else if (message.kind === "response") this.questions.take(message);
    else if (message.kind === "notification") this.notified(message);
    else await this.answer(message);
  }

  /** The client is gone. */
  end(): void {
    this.closed.abort();
    for (const { turns } of this.sessions.values()) for (const turn of turns) turn.end();
    this.questions.end();
  }

  private send(text: string): void {
    this.parts.wire.send(text);
  }

  private async answer({ id, method, params }: Extract<AcpMessage, { readonly kind: "request" }>): Promise<void> {
    const handler = Object.hasOwn(HANDLERS, method) ? HANDLERS[method] : undefined;
    if (handler === undefined)
      return this.send(errorText(id, { code: UNKNOWN_METHOD, message: `ACP 1 has no method ${method} here` }));
    if (this.editor === null && method !== "initialize")
      return this.send(errorText(id, { code: INVALID_ACP_REQUEST, message: "initialize comes first" }));
    if (this.requests >= OPEN_REQUESTS)
      return this.send(
        errorText(id, { code: ACP_REFUSED, message: `A connection has at most ${OPEN_REQUESTS} open requests` }),
      );
    this.requests++;
    try {
      const answer = await handler(this, params, id);
      this.send(responseText(id, answer));
      if ("error" in answer && isUnauthorized(answer.error)) this.parts.wire.refuse(answer.error.message);
    } catch (err) {
      if (this.closed.signal.aborted) return;
      this.parts.log.error({ err, method }, "a message of ACP failed");
      this.send(errorText(id, { code: ACP_INTERNAL_ERROR, message: "The service could not answer" }));
    } finally {
      this.requests--;
    }
  }

  private notified({ method, params }: Extract<AcpMessage, { readonly kind: "notification" }>): void {
    const { sessionId, requestId } = params;
    const { turns = [] } = this.sessions.get(String(sessionId)) ?? {};
    if (method === "session/cancel") for (const turn of turns) void turn.cancel();
    if (method === "$/cancel_request") for (const [turn, id] of this.prompts) if (id === requestId) void turn.cancel();
  }

  initialize(params: JsonObject): RunTurnEnd {
    const editor = editorOf(params);
    if (editor === null)
      return { error: { code: INVALID_ACP_PARAMS, message: "protocolVersion must be a whole number" } };
    this.editor = editor;
    return { result: agentCapabilities(this.parts.version) };
  }

  /** A call whose answer is the client's. */
  async call(method: string, params: JsonObject): Promise<RunTurnEnd> {
    const answer = await this.parts.calls.call(method, params, this.closed.signal);
    if (answer.kind === "error") return { error: answer.error };
    return { result: answer.kind === "result" ? answer.result : {} };
  }

  /** A session of this connection: new, loaded or resumed. */
  async open(method: string, params: JsonObject): Promise<RunTurnEnd> {
    const answer = await this.call(method, params);
    if ("error" in answer) return answer;
    const { sessionId = params["sessionId"], configOptions, _meta: meta } = answer.result;
    const { turns = new Set<RunTurn>() } = this.sessions.get(String(sessionId)) ?? {};
    const cwd = typeof params["cwd"] === "string" ? params["cwd"] : undefined;
    this.sessions.set(String(sessionId), { cwd, isAuto: isAuto(configOptions), turns, isOpened: true });
    const unused = ownMeta(meta)["unused_mcp_servers"];
    if (Array.isArray(unused) && unused.length > 0) this.tellUnused(String(sessionId), unused.map(String));
    return answer;
  }

  /** A client that shows no notices finds the same in the answer. */
  private tellUnused(sessionId: string, names: readonly string[]): void {
    if (this.editor?.hasNotices !== true) return;
    const title = `MCP servers of the editor are not used: ${names.join(", ")}`;
    const description = "The agent runs in the service. Servers that it should use are set on the agent.";
    this.notify("session/update", {
      sessionId,
      update: { sessionUpdate: "notice", severity: "info", title, description },
    });
  }

  /** Shows what was said in a session, then its run if one goes on. */
  async load(params: JsonObject): Promise<RunTurnEnd> {
    const sessionId = String(params["sessionId"]);
    const opened = await this.open("session/load", params);
    if ("error" in opened) return opened;
    const pages: Json[][] = [];
    let active: Json = null;
    for (let cursor: Json = null; pages.length < SHOWN_PAGES;) {
      const page = await this.call("_history", { sessionId, ...(cursor === null ? {} : { cursor }) });
      if ("error" in page) return page;
      if (pages.length === 0) active = page.result["active"] ?? null;
      pages.push(page.result["updates"] as Json[]);
      cursor = page.result["nextCursor"] ?? null;
      if (cursor === null) break;
    }
    for (const update of pages.toReversed().flat()) {
      this.notify("session/update", { sessionId, update });
      await this.parts.wire.room();
    }
    const session = this.sessions.get(sessionId);
    const { hasNotices = false } = this.editor ?? {};
    if (typeof active === "string" && session !== undefined)
      this.follow(session, sessionId, { method: "_follow", params: { jobId: active, hasNotices } }).catch(
        (err: unknown) => this.parts.log.error({ err, jobId: active }, "a run could not be followed"),
      );
    return opened;
  }

  async prompt(params: JsonObject, id: RpcId): Promise<RunTurnEnd> {
    const { sessionId, prompt, _meta: meta } = params;
    if (typeof sessionId !== "string" || !Array.isArray(prompt))
      return { error: { code: INVALID_ACP_PARAMS, message: "session/prompt has a sessionId, and a prompt of blocks" } };
    const session = this.sessions.get(sessionId) ?? {
      cwd: undefined,
      isAuto: false,
      turns: new Set(),
      isOpened: false,
    };
    this.sessions.set(sessionId, session);
    const given = ownMeta(meta)["message_id"];
    const messageId = typeof given === "string" ? given : newId("req");
    const place = session.cwd === undefined ? {} : { cwd: session.cwd };
    const editor = this.editor as unknown as JsonObject;
    const said = { sessionId, prompt, messageId, editor, ...place };
    return this.follow(session, sessionId, { method: "session/prompt", params: said }, id);
  }

  /** Follows a run in a session to its end. */
  private async follow(
    session: OpenSession,
    sessionId: string,
    call: { readonly method: string; readonly params: JsonObject },
    request: RpcId | null = null,
  ): Promise<RunTurnEnd> {
    const { calls, clock } = this.parts;
    const turn: RunTurn = new RunTurn({
      calls,
      clock,
      editor: this.port,
      sessionId,
      cwd: session.cwd,
      asksFirst: () => !session.isAuto,
      call,
      // The run of a prompt that is sent again may be followed already.
      onBegun: (jobId) => {
        for (const other of session.turns) if (other !== turn && other.jobId === jobId) other.end();
      },
    });
    session.turns.add(turn);
    if (request !== null) this.prompts.set(turn, request);
    try {
      return await turn.run();
    } finally {
      session.turns.delete(turn);
      // A session that was never opened here is known only as long as its prompt.
      if (!session.isOpened && session.turns.size === 0) this.sessions.delete(sessionId);
      this.prompts.delete(turn);
    }
  }

  async setOption(params: JsonObject): Promise<RunTurnEnd> {
    const answer = await this.call("session/set_config_option", params);
    const session = this.sessions.get(String(params["sessionId"]));
    if ("result" in answer && session !== undefined) session.isAuto = isAuto(answer.result["configOptions"]);
    return answer;
  }

  /** Cancels the prompts of the session, and forgets it here. The chat stays, and so does a run that was begun elsewhere. */
  async close({ sessionId }: JsonObject): Promise<RunTurnEnd> {
    const { turns = [] } = this.sessions.get(String(sessionId)) ?? {};
    this.sessions.delete(String(sessionId));
    for (const turn of turns) {
      if (turn.isOnlyWatched) turn.end();
      else await turn.cancel();
    }
    return { result: {} };
  }

  private notify(method: string, params: JsonObject): void {
    this.send(notificationText(method, params));
  }

  private readonly port: EditorPort = {
    notify: (method, params) => this.notify(method, params),
    ask: (method, params, { signal }) => this.questions.ask(method, params, signal),
    room: () => this.parts.wire.room(),
  };
}

/** Whether the session approves all calls. */
const isAuto = (options: Json | undefined): boolean =>
  Array.isArray(options) &&
  options.some((one) => isJsonObject(one) && one["category"] === "mode" && one["currentValue"] === "auto");

const forward =
  (method: string): Handler =>
  (connection, params) =>
    connection.call(method, params);

const HANDLERS: Readonly<Record<string, Handler>> = {
  initialize: async (connection, params) => connection.initialize(params),
  // The connection has its token from the start.
  authenticate: async () => ({ result: {} }),
  "session/new": (connection, params) => connection.open("session/new", params),
  "session/load": (connection, params) => connection.load(params),
  "session/resume": (connection, params) => connection.open("session/resume", params),
  "session/list": forward("session/list"),
  "session/delete": forward("session/delete"),
  "session/set_config_option": (connection, params) => connection.setOption(params),
  "session/prompt": (connection, params, id) => connection.prompt(params, id),
  "session/close": (connection, params) => connection.close(params),
};
