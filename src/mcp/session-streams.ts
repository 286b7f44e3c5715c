/**
 * What a session of the older era has open: calls that wait for a job, the stream of notifications for its
 * subscriptions, and streams that are resumed, also after the process that had them is gone.
 */
import { toolResult } from "./answered-call.ts";
import { mapOutcome, ok, type Outcome } from "../../actors/fault.ts";
import { newId } from "../../actors/ids.ts";
import { MCP_RESOURCE } from "../http/contract/paths.ts";
import { type Caller, detachCaller } from "../http/request/caller.ts";
import type { Services } from "../operations/services.ts";
import type { HeadedMessage } from "./operations.ts";
import { authInfoOf, hasLinks } from "./auth-info.ts";
import type { ServerParts, ToolAnswer } from "./call-parts.ts";
import { EventIds, type WaitingCall } from "./event-cursor.ts";
import { withFileLinks } from "./file-links.ts";
import type { WaitedJob } from "./job-wait.ts";
import { type PostedJson, rpcError, usedId } from "./message.ts";
import { type RevivedCall, revivedCall } from "./revived-call.ts";
import type { FoundSession, LiveSession, McpSessions } from "./sessions.ts";
import type { Toolset } from "./toolsets.ts";
import { waitingCall } from "./waiting-call.ts";
import { watchedResponse } from "./watched-stream.ts";
import { isEventStream } from "../http/stream/event-source.ts";

type MessageHeaders = HeadedMessage["headers"];

/** A message, or several, as they came. */
export interface Posted {
  readonly caller: Caller;
  readonly request: Request;
  readonly toolset: Toolset;
}

interface SessionStreamsParts extends ServerParts {
  readonly services: ServerParts["services"] & Pick<Services, "streams">;
  readonly sessions: McpSessions;
}

export class SessionStreams {
  private readonly parts: SessionStreamsParts;
  /** Calls that were resumed after their process had gone, by session and request. */
  private readonly revived = new Map<string, RevivedCall>();

  constructor(parts: SessionStreamsParts) {
    this.parts = parts;
  }

  /** Opens the session's stream, or resumes one that was cut. */
  async open(caller: Caller, session: FoundSession, headers: MessageHeaders): Promise<Outcome<Response>> {
    const { "last-event-id": last } = headers;
    if (last === undefined) return this.listenIn(caller, session, headers);
    const place = new EventIds(this.parts.services.sealing, session.name).open(last);
    if (this.parts.sessions.hasEvent(session.id, last))
      return place === "listening" ? this.listenIn(caller, session, headers) : this.resume(caller, session, headers);
    if (place === "listening") return this.listenIn(caller, session, { ...headers, "last-event-id": undefined });
    if (place === undefined || place === "unknown") return ok(rpcError(400, -32_000, "Unknown Last-Event-ID"));
    return ok(this.revive(caller, session, { call: place, hasLinks: hasLinks(headers["mcp-protocol-version"]) }));
  }

  /** Resumes the streams of a session whose events are kept. */
  private resume(caller: Caller, session: FoundSession, headers: MessageHeaders): Promise<Outcome<Response>> {
    const request = this.streamRequest(caller, headers);
    return this.parts.sessions.using(caller.principal, session, async (live) =>
      this.held(caller, live, await live.transport.handleRequest(request)),
    );
  }

  /** A call in a session survives a lost connection: its events are kept until the client resumes. */
  call({ caller, request, toolset }: Posted, session: FoundSession, message: PostedJson): Promise<Outcome<Response>> {
    return this.parts.sessions.using(caller.principal, session, async (live) => {
      const key = newId("req");
      const runs = calledTool(this.parts.tools, message)?.spec.runs;
      const call = waitingCall(message, { runs, key, now: this.parts.services.clock.now() });
      // The SDK would send the answer of the first call with this id to the second one.
      if (call !== null && live.calls.has(call.id)) return usedId(call.id);
      const authInfo = authInfoOf(request, { caller: detachCaller(caller), toolset, callKey: key });
      const handle = () => live.transport.handleRequest(request, { authInfo, parsedBody: message });
      const response = await live.calls.take(call, handle);
      return this.held(caller, live, response);
    });
  }

  /** The stream of notifications for a session's subscriptions. */
  private listenIn(caller: Caller, session: FoundSession, headers: MessageHeaders): Promise<Outcome<Response>> {
    return this.parts.sessions.using(caller.principal, session, async (live) => {
      const response = await live.transport.handleRequest(this.streamRequest(caller, headers));
      return response.ok
        ? this.held(caller, live, response, live.subscriptions.listen(detachCaller(caller)))
        : response;
    });
  }

  private streamRequest({ signal }: Caller, headers: MessageHeaders): Request {
    return sessionRequest(this.parts.allowed().appUrl, { method: "GET", headers, signal });
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
        resultOf: (job) => toolResult(this.parts, caller.requestId, mapOutcome(job, answerOf)),
      },
      caller,
      call,
    );
    this.revived.set(key, revived);
    const headers = { "content-type": "text/event-stream", "cache-control": "no-cache, no-transform" };
    return watchedResponse(this.parts.services.streams, caller, new Response(revived.stream, { headers }), () => {
      if (this.revived.get(key) === revived) this.revived.delete(key);
    });
  }

  /** Ends a resumed call that the message cancels. */
  cancel({ id }: FoundSession, message: PostedJson | null): void {
    const call = message?.method === "notifications/cancelled" ? message.params?.["requestId"] : undefined;
    if (typeof call === "string" || typeof call === "number") this.revived.get(revivedKey(id, call))?.cancel();
  }

  /** A stream that keeps its session in memory. */
  private held(caller: Caller, session: LiveSession, response: Response, onEnd: () => void = () => {}): Response {
    if (!isEventStream(response)) return response;
    session.uses++;
    return watchedResponse(this.parts.services.streams, caller, response, () => {
      session.uses--;
      session.usedAt = this.parts.services.clock.monotonic();
      onEnd();
    });
  }
}

/** The request for the SDK; its address is ours, whatever the client has called. */
export function sessionRequest(
  appUrl: string,
  {
    method,
    headers,
    signal,
  }: { readonly method: string; readonly headers: MessageHeaders; readonly signal: AbortSignal },
): Request {
  const given = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  return new Request(appUrl + MCP_RESOURCE, {
    method,
    headers: [...given, ["content-type", "application/json"]],
    signal,
  });
}

/** The tool that the message calls, if it calls one of ours. */
export const calledTool = (tools: ServerParts["tools"], message: PostedJson | null | undefined) =>
  message?.method === "tools/call" ? tools.get(String(message.params?.name)) : undefined;

const revivedKey = (sessionId: string, id: string | number): string => `${sessionId} ${JSON.stringify(id)}`;
