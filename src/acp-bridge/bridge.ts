/**
 * `troupe acp`: an editor at one side, by lines of JSON-RPC, and the service at the other, by WebSocket. Messages pass as
 * they are. When the connection to the service is lost, the bridge opens it again and goes on where the editor is:
 *
 *   initialize, as the editor sent it ─▶ session/resume of its sessions ─▶ its open requests once more
 *
 * A prompt has a name of its own (`message_id`), so it finds its run, and what the editor has been shown of the run is
 * left out (`RepeatedRun`).
 */
import type { JsonObject } from "../../actors/schema.ts";
import {
  ACP_INTERNAL_ERROR,
  type AcpError,
  INVALID_ACP_REQUEST,
  RUN_INTERRUPTED,
} from "../dialects/acp/error-codes.ts";
import { ownMeta } from "../dialects/acp/own-meta.ts";
import {
  type AcpMessage,
  errorText,
  notificationText,
  readRpc,
  requestText,
  responseText,
  resultText,
  type RpcId,
} from "../dialects/acp/socket/json-rpc.ts";
import { RepeatedRun } from "../dialects/acp/socket/repeated-run.ts";
import { AskedEditor } from "./asked-editor.ts";
import type { LinkEvents } from "./service-link.ts";

/** The side of the service. */
export interface BridgeLink {
  open(): void;
  send(text: string): void;
}

export interface BridgeParts {
  /** Makes the connection, which tells the bridge what happens to it. */
  readonly link: (events: LinkEvents) => BridgeLink;
  readonly toEditor: (text: string) => void;
  /** For the person, beside the protocol. */
  readonly note: (text: string) => void;
  /** Runs it later; the result cancels it. */
  readonly after: (ms: number, run: () => void) => () => void;
  readonly newId: () => string;
}

/** A request of the editor that the service has not answered. */
interface OpenRequest {
  readonly id: RpcId;
  readonly method: string;
  readonly params: JsonObject;
  readonly sessionId: string;
  /** What the editor was shown for it; null: nothing is. */
  readonly shown: RepeatedRun | null;
  isCancelled: boolean;
  retries: number;
}

type RequestMessage = Extract<AcpMessage, { readonly kind: "request" }>;
type NotificationMessage = Extract<AcpMessage, { readonly kind: "notification" }>;
type ResponseMessage = Extract<AcpMessage, { readonly kind: "response" }>;

/** How long the editor's requests wait for a service that cannot be reached; and the first one, which starts the agent. */
const BRIDGE_PATIENCE_MS = 600_000;
const FIRST_PATIENCE_MS = 30_000;
/** Between two attempts to find a run whose stream the service has lost. */
const FIND_AGAIN_MS = 2_000;
const FIND_AGAIN_TIMES = 30;
const SERVICE_UNREACHABLE: AcpError = { code: ACP_INTERNAL_ERROR, message: "The service cannot be reached" };
const OPENS_SESSION: ReadonlySet<string> = new Set(["session/new", "session/load", "session/resume"]);
const ENDS_SESSION: ReadonlySet<string> = new Set(["session/close", "session/delete"]);

export class Bridge implements LinkEvents {
  private readonly parts: BridgeParts;
  private readonly link: BridgeLink;
  private readonly asked = new AskedEditor();
  /** By the id that the service knows. */
  private readonly open = new Map<string, OpenRequest>();
  /** What a session is resumed with. */
  private readonly sessions = new Map<string, JsonObject>();
  private initialize: JsonObject | null = null;
  private wasInitialized = false;
  /** Whether messages pass: the connection is open, and the service knows its sessions. */
  private isReady = false;
  /** Whether the connection is open. */
  private isOpen = false;
  /** Answers that come before messages pass again. */
  private readonly awaited = new Set<string>();
  private last = 0;
  private cancelPatience: (() => void) | null = null;

  constructor(parts: BridgeParts) {
    this.parts = parts;
    this.link = parts.link(this);
  }

  /** Whether a request of the editor waits for its answer. */
  get isAsked(): boolean {
    return this.open.size > 0;
  }

  /** Takes a line of the editor. */
  fromEditor(text: string): void {
    const message = readRpc(text);
    if (message.kind === "broken") this.parts.toEditor(errorText(message.id, message.error));
    else if (message.kind === "request") this.request(message);
    else if (message.kind === "notification") this.notification(message);
    else this.answered(message);
  }

  private request({ id, method, params: given }: RequestMessage): void {
    const params = this.named(method, given);
    if (method !== "initialize" && this.initialize === null)
      return this.parts.toEditor(errorText(id, { code: INVALID_ACP_REQUEST, message: "initialize comes first" }));
    const wireId = String(++this.last);
    if (method === "initialize") this.initialize = params;
    const isShown = method === "session/prompt" || method === "session/load";
    const { sessionId } = params;
    const request = {
      id,
      method,
      params,
      sessionId: String(sessionId),
      shown: isShown ? new RepeatedRun() : null,
      isCancelled: false,
      retries: 0,
    };
    this.open.set(wireId, request);
    this.link.open();
    const isFirst = method === "initialize" && this.isOpen && !this.wasInitialized;
    if (this.isReady || isFirst) this.send(wireId, request);
    else this.waitForService();
  }

  /** The params with names by which the same request once more is no second one. */
  private named(method: string, params: JsonObject): JsonObject {
    const name = method === "session/prompt" ? "message_id" : method === "session/new" ? "key" : null;
    if (name === null) return params;
    const { _meta: meta } = params;
    const own = { [name]: this.parts.newId(), ...ownMeta(meta) };
    return { ...params, _meta: { ...(meta as JsonObject | undefined), troupe: own } };
  }

  private send(wireId: string, { method, params }: OpenRequest): void {
    this.link.send(requestText(wireId, method, params));
  }

  private notification({ method, params }: NotificationMessage): void {
    const { sessionId, requestId } = params;
    if (method === "session/cancel")
      for (const request of this.open.values())
        if (request.method === "session/prompt" && request.sessionId === sessionId) request.isCancelled = true;
    if (!this.isReady) return;
    if (method !== "$/cancel_request") return this.link.send(notificationText(method, params));
    for (const [wireId, request] of this.open)
      if (request.id === requestId) this.link.send(notificationText(method, { requestId: wireId }));
  }

  private answered({ id, result, error }: ResponseMessage): void {
    const answer = error === null ? { result } : { error };
    const serviceId = this.asked.answered(id, answer);
    if (serviceId !== null && this.isReady) this.link.send(responseText(serviceId, answer));
  }

  opened(): void {
    this.isOpen = true;
    this.awaited.clear();
    if (this.initialize === null) return;
    if (this.wasInitialized) return this.ask("initialize", this.initialize);
    // The editor's own initialize passes like any request.
    for (const [wireId, request] of this.open) if (request.method === "initialize") this.send(wireId, request);
  }

  /** Asks the service for the bridge itself; messages pass when all of it is answered. */
  private ask(method: string, params: JsonObject): void {
    const wireId = `bridge-${++this.last}`;
    this.awaited.add(wireId);
    this.link.send(requestText(wireId, method, params));
  }

  message(text: string): void {
    const message = readRpc(text);
    if (message.kind === "request") this.fromService(message);
    else if (message.kind === "notification") this.told(message);
    else if (message.kind === "response") this.response(message);
    else this.parts.note(`the service has sent an invalid message: ${message.error.message}`);
  }

  private response(message: ResponseMessage): void {
    const wireId = String(message.id);
    if (this.awaited.delete(wireId)) return this.resumed(message);
    const request = this.open.get(wireId);
    if (request === undefined) return;
    const { result, error } = message;
    if (error?.data?.["code"] === RUN_INTERRUPTED && request.retries++ < FIND_AGAIN_TIMES)
      return this.findAgain(wireId, request);
    this.open.delete(wireId);
    this.show(request.sessionId, request.shown?.end() ?? []);
    if (request.method === "session/prompt") this.asked.forget(request.sessionId);
    if (error === null) this.noteSession(request, result as JsonObject);
    this.parts.toEditor(error === null ? resultText(request.id, result) : errorText(request.id, error));
    if (request.method !== "initialize") return;
    if (error !== null) this.initialize = null;
    this.wasInitialized = error === null;
    if (this.wasInitialized) this.ready();
  }

  /** The service has lost the stream of a run that goes on. */
  private findAgain(wireId: string, request: OpenRequest): void {
    this.parts.after(FIND_AGAIN_MS, () => {
      if (!this.isReady || !this.open.has(wireId)) return;
      request.shown?.rewind();
      this.send(wireId, request);
    });
  }

  private noteSession({ method, params, sessionId: given }: OpenRequest, result: JsonObject): void {
    if (ENDS_SESSION.has(method)) this.sessions.delete(given);
    if (!OPENS_SESSION.has(method)) return;
    const { sessionId = given } = result;
    this.sessions.set(String(sessionId), { sessionId, cwd: params["cwd"] ?? "/", mcpServers: [] });
  }

  /** The service has answered a part of what goes before all else on a new connection. */
  private resumed({ id, error }: ResponseMessage): void {
    if (error !== null) this.parts.note(`the service has refused to go on (${String(id)}): ${error.message}`);
    if (this.awaited.size > 0) return;
    const { sessions } = this;
    if (!this.hasResumed && sessions.size > 0) {
      this.hasResumed = true;
      for (const session of sessions.values()) this.ask("session/resume", session);
    } else this.ready();
  }

  /** Whether the sessions are being resumed on this connection. */
  private hasResumed = false;

  private ready(): void {
    this.isReady = true;
    this.cancelPatience?.();
    this.cancelPatience = null;
    for (const [wireId, request] of this.open) {
      request.shown?.rewind();
      this.send(wireId, request);
      if (request.isCancelled) this.link.send(notificationText("session/cancel", { sessionId: request.sessionId }));
    }
  }

  private fromService({ id, method, params }: RequestMessage): void {
    const taken = this.asked.take(id, params);
    if (taken === null) return;
    if ("answer" in taken) return this.link.send(responseText(id, taken.answer));
    this.parts.toEditor(requestText(taken.editorId, method, params));
  }

  private told({ method, params }: NotificationMessage): void {
    if (method === "$/cancel_request") {
      const editorId = this.asked.takenBack(params["requestId"] as RpcId);
      if (editorId !== null) this.parts.toEditor(notificationText(method, { requestId: editorId }));
      return;
    }
    if (method !== "session/update") return this.parts.toEditor(notificationText(method, params));
    const sessionId = String(params["sessionId"]);
    const update = params["update"] as JsonObject;
    // Prompts of a session run one after the other: the oldest one is shown.
    const request = [...this.open.values()].find(({ shown, sessionId: of }) => shown !== null && of === sessionId);
    this.show(sessionId, request?.shown?.take(update) ?? [update]);
  }

  private show(sessionId: string, updates: readonly JsonObject[]): void {
    for (const update of updates) this.parts.toEditor(notificationText("session/update", { sessionId, update }));
  }

  lost(): void {
    if (this.isReady) this.parts.note("the connection to the service is lost; it is opened again");
    this.isReady = false;
    this.isOpen = false;
    this.hasResumed = false;
    this.awaited.clear();
    this.asked.lost();
    if (this.open.size > 0) this.waitForService();
  }

  refused(error: AcpError): void {
    this.parts.note(`the service refuses the connection: ${error.message}`);
    this.fail(error);
  }

  private waitForService(): void {
    const ms = this.wasInitialized ? BRIDGE_PATIENCE_MS : FIRST_PATIENCE_MS;
    this.cancelPatience ??= this.parts.after(ms, () => {
      this.cancelPatience = null;
      this.fail(SERVICE_UNREACHABLE);
    });
  }

  /** Answers all open requests with this error. */
  private fail(error: AcpError): void {
    this.cancelPatience?.();
    this.cancelPatience = null;
    for (const { id } of this.open.values()) this.parts.toEditor(errorText(id, error));
    this.open.clear();
    if (!this.wasInitialized) this.initialize = null;
  }
}
