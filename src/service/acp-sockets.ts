/**
 * ACP over WebSocket, at `/acp`: one message is one text frame.
 *
 *   GET /acp ─ Host, Origin ─▶ a call that verifies the token and stays open ─┬─ refused ─▶ its answer, over HTTP
 *                                                                              └─ taken ───▶ the socket
 *   the call ends: the token is revoked or expired ─▶ 1008       the service stops ─▶ 1012
 *   the client reads nothing for two minutes, or does not answer pings ─▶ gone
 *
 * The call that stays open counts as one of the organization's streams (SSE-14), and is at the owner of the
 * organization: so its end is known at every replica.
 */
import type { Server, ServerWebSocket, WebSocketHandler } from "bun";
import type { Fault } from "../../actors/fault.ts";
import type { MaybePromise } from "../../actors/maybe-promise.ts";
import { MIB } from "../../actors/units.ts";
import { targetFault } from "../http/request/request-target.ts";
import type { OpenStream, OpenStreams } from "../http/stream/open-streams.ts";
import { STALLED_READER_MS } from "../http/stream/event-stream.ts";
import type { HttpLog } from "../log/port.ts";
import { ACP_BYTES } from "../dialects/acp/run-operations.ts";
import type { AcpFrame } from "../dialects/acp/run-frames.ts";
import { AcpConnection } from "../dialects/acp/socket/connection.ts";
import { type FrameTaker, ServiceCalls } from "../dialects/acp/socket/service-calls.ts";

export interface AcpSocketParts {
  readonly pipeline: (request: Request) => MaybePromise<Response>;
  readonly server: () => Server<unknown> | null;
  readonly streams: Pick<OpenStreams, "add" | "remove" | "clock">;
  readonly addressOf: (request: Request) => string;
  /** The refusal of a request from a page of another origin, or null. */
  readonly originFault: (headers: Headers) => Fault | null;
  /** A refusal in the words of the protocol. */
  readonly refuse: (request: Request, fault: Fault) => Response;
  readonly log: HttpLog;
  readonly version: string;
}

/** What belongs to one socket. */
export interface AcpSocketData {
  readonly calls: ServiceCalls;
  /** Ends the call that stays open. */
  readonly gone: AbortController;
  /** Resolves when the token is no longer accepted. */
  readonly presence: PresenceEnd;
  connection: AcpConnection | null;
  open: OpenStream | null;
  drained: (() => void) | null;
}

/** The stream of the call that stays open: resolves to why it ended. */
type PresenceEnd = Promise<"refused" | "interrupted">;

const UPGRADE_REQUIRED = 426;
/** Close codes of WebSocket (RFC 6455, and the registry of IANA). */
const POLICY_VIOLATION = 1_008;
const SERVICE_RESTART = 1_012;
/** A client that answers no ping for this long is gone. */
const SOCKET_IDLE_SECONDS = 60;
/** Bytes that are queued for a client before its runs wait for it. */
const QUEUED_BYTES = 256 * 1024;
/** Bytes that may be queued for a client that does not read: what its runs have sent before they waited. */
const UNSENT_ACP_BYTES = 4 * ACP_BYTES;
/** Between two attempts to verify the token again, after the owner of the organization has changed. */
const VERIFY_MS = 1_000;

export class AcpSockets {
  private readonly parts: AcpSocketParts;

  constructor(parts: AcpSocketParts) {
    this.parts = parts;
  }

  /** Makes the request a socket, or answers why not. Undefined: it has become one. */
  async accept(request: Request): Promise<Response | undefined> {
    const { originFault, refuse, server, pipeline, addressOf } = this.parts;
    const listening = server();
    const fault = targetFault(request, listening) ?? originFault(request.headers);
    if (fault !== null) return refuse(request, fault);
    const calls = new ServiceCalls({
      pipeline,
      address: addressOf(request),
      headers: passedHeaders(request.headers),
      agent: new URL(request.url).searchParams.get("agent"),
    });
    const isUpgrade = request.headers.get("upgrade")?.toLowerCase() === "websocket";
    const gone = new AbortController();
    const presence = new PresenceFrames();
    const { response, over } = await calls.request("_connect", {}, gone.signal, presence);
    if (over === null) return response;
    const data: AcpSocketData = {
      calls,
      gone,
      presence: this.watch(calls, { presence, over }, gone.signal),
      connection: null,
      open: null,
      drained: null,
    };
    if (isUpgrade && listening?.upgrade(request, { data }) === true) return undefined;
    gone.abort();
    return new Response("This is a WebSocket: connect with Upgrade: websocket\n", {
      status: UPGRADE_REQUIRED,
      headers: { upgrade: "websocket", connection: "upgrade" },
    });
  }

  /** Reads the call that stays open. If it ends because its owner has changed, the token is verified there. */
  private async watch(
    calls: ServiceCalls,
    { presence, over: first }: { readonly presence: PresenceFrames; readonly over: Promise<null> },
    signal: AbortSignal,
  ): PresenceEnd {
    let over: Promise<null> | null = first;
    while (!signal.aborted) {
      await over;
      if (presence.isRefused) return "refused";
      over = null;
      await new Promise<void>((resolve) => void this.parts.streams.clock.after(VERIFY_MS, resolve));
      if (signal.aborted) break;
      const again = await calls.request("_connect", {}, signal, presence).catch(() => null);
      over = again?.over ?? null;
      if (again !== null && over === null && again.response.status < 500 && again.response.status !== 429)
        return "refused";
    }
    return "interrupted";
  }

  readonly websocket: WebSocketHandler<AcpSocketData> = {
    perMessageDeflate: false,
    maxPayloadLength: ACP_BYTES + MIB,
    backpressureLimit: UNSENT_ACP_BYTES,
    closeOnBackpressureLimit: true,
    idleTimeout: SOCKET_IDLE_SECONDS,
    sendPings: true,
    open: (socket) => this.opened(socket),
    message: (socket, message) => {
      void socket.data.connection?.receive(typeof message === "string" ? message : message.toString("utf8"));
    },
    drain: ({ data }) => {
      data.drained?.();
    },
    close: ({ data }) => {
      data.connection?.end();
      data.gone.abort();
      data.drained?.();
      if (data.open !== null) this.parts.streams.remove(data.open);
    },
  };

  private opened(socket: ServerWebSocket<AcpSocketData>): void {
    const { streams, log, version } = this.parts;
    const { data } = socket;
    const wire = {
      send: (text: string) => void socket.sendText(text),
      room: () => this.roomOf(socket),
      refuse: (reason: string) => socket.close(POLICY_VIOLATION, reason.slice(0, REASON_BYTES)),
    };
    data.connection = new AcpConnection({ calls: data.calls, wire, clock: streams.clock, log, version });
    // It counts at the owner of the organization; here it is only ended with the service.
    data.open = { bearer: null, end: () => socket.close(SERVICE_RESTART, "The service restarts") };
    streams.add(data.open);
    void data.presence.then((end) => {
      if (end === "refused") wire.refuse("The token is no longer accepted");
    });
  }

  /** Waits for a client that does not keep up; one that reads nothing for too long is cut off. */
  private roomOf(socket: ServerWebSocket<AcpSocketData>): Promise<void> | null {
    if (socket.getBufferedAmount() <= QUEUED_BYTES) return null;
    const { data } = socket;
    return new Promise((resolve) => {
      const cancel = this.parts.streams.clock.after(STALLED_READER_MS, () => socket.terminate());
      const before = data.drained;
      data.drained = () => {
        cancel();
        data.drained = null;
        before?.();
        resolve();
      };
    });
  }
}

/** What the call that stays open has said. */
class PresenceFrames implements FrameTaker {
  /** Whether the token is no longer accepted. */
  isRefused = false;

  take(frame: AcpFrame): void {
    this.isRefused ||= frame.kind === "interrupted" && (frame.reason === "revoked" || frame.reason === "expired");
  }

  room(): null {
    return null;
  }
}

/** Bytes of the reason in a close frame. */
const REASON_BYTES = 120;

/** The token, and the trace of the connection. */
function passedHeaders(given: Headers): Headers {
  const headers = new Headers();
  for (const name of ["authorization", "host", "user-agent"]) {
    const value = given.get(name);
    if (value !== null) headers.set(name, value);
  }
  return headers;
}
