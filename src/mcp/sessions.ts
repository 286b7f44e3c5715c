/**
 * Sessions of the older era that are in memory: those of clients that wait for a job, subscribe to resources or listen
 * on a GET stream. A session is dropped when nothing of it is open for a while, or when there are too many, the one
 * that was used longest ago first; with its id it comes back as it was, without what was kept for a replay, which the
 * ids of its events make good (`event-cursor.ts`).
 */
import { type Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { ok, type Outcome, refuse } from "../../actors/fault.ts";
import type { Principal } from "../../actors/organization/principal.ts";
import type { Clock } from "../../actors/runtime/clock.ts";
import type { Sealing } from "../../actors/sealing.ts";
import { CallStreams } from "./call-streams.ts";
import { EventIds, type WaitingCall } from "./event-cursor.ts";
import { ReplayStore } from "./replay-store.ts";
import type { OpenedSession } from "./session-id.ts";
import { Subscriptions, type SubscriptionParts } from "./subscriptions.ts";

/** Sessions in memory, of one organization and in all; each may have a replay of 1 MiB. */
export const LIVE_SESSIONS = { organization: 128, all: 1_024 } as const;
/** A session of which nothing has been open for so long is dropped. */
export const IDLE_MS = 5 * 60_000;
const SWEEP_MS = 60_000;
/** Silence on a stream after which a comment shows that the connection lives. */
const KEEP_ALIVE_MS = 10_000;

export interface LiveSession {
  readonly organizationId: string;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: Server;
  readonly calls: CallStreams;
  readonly replay: ReplayStore;
  readonly subscriptions: Subscriptions;
  /** Streams that are open. */
  streams: number;
  /** Monotonic ms. */
  usedAt: number;
}

export interface SessionsParts {
  readonly clock: Pick<Clock, "monotonic" | "after">;
  readonly sealing: Sealing;
  readonly watching: SubscriptionParts;
  /** A server for one session. */
  readonly serve: (session: OpenedSession, subscriptions: Subscriptions) => Server;
}

/** A session, and what it is subscribed to. */
export interface FoundSession extends OpenedSession {
  readonly subscriptions: readonly string[];
}

export class McpSessions {
  private readonly parts: SessionsParts;
  /** By their ids; the one that was used longest ago first. */
  private readonly live = new Map<string, Promise<LiveSession>>();
  private readonly known = new Map<string, LiveSession>();
  private isSweeping = false;

  constructor(parts: SessionsParts) {
    this.parts = parts;
  }

  /** How many are in memory. */
  get count(): number {
    return this.known.size;
  }

  /** Whether the event is kept for a replay. */
  hasEvent(id: string, eventId: string): boolean {
    return this.known.get(id)?.replay.has(eventId) === true;
  }

  /** The session in memory, made where it is not there; refuses where every one of the organization's is in use. */
  async of(by: Principal, found: FoundSession): Promise<Outcome<LiveSession>> {
    const { id } = found;
    let opening = this.live.get(id);
    if (opening === undefined) {
      if (!this.makeRoom(by.organizationId)) return FULL;
      opening = this.revive(by, found);
      opening.catch(() => void this.drop(id));
    }
    this.live.delete(id);
    this.live.set(id, opening);
    this.sweepLater();
    const session = await opening;
    session.usedAt = this.parts.clock.monotonic();
    return ok(session);
  }

  /** Gives its message to the session; `call` is what the events of the answer go on from. */
  take(
    { transport, calls }: LiveSession,
    request: Request,
    { call, ...options }: MessageOptions & { readonly call: WaitingCall | null },
  ): Promise<Response> {
    return calls.take(call, () => transport.handleRequest(request, options));
  }

  /** The server of a session that has been opened already, as it was after `initialize`. */
  private async revive(by: Principal, found: FoundSession): Promise<LiveSession> {
    const { id, terms, name } = found;
    const ids = new EventIds(this.parts.sealing, name);
    const calls = new CallStreams();
    const replay = new ReplayStore((streamId, message) => ids.make(calls.placeOf(streamId, message)));
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      eventStore: replay,
      keepAliveMs: KEEP_ALIVE_MS,
    });
    const subscriptions = new Subscriptions(this.parts.watching, found.subscriptions, (uri) => {
      server.sendResourceUpdated({ uri }).catch(() => {}); // the session has been dropped
    });
    const server = this.parts.serve(found, subscriptions);
    const session = {
      organizationId: by.organizationId,
      transport,
      server,
      calls,
      replay,
      subscriptions,
      streams: 0,
      usedAt: this.parts.clock.monotonic(),
    };
    this.known.set(id, session);
    await server.connect(transport);
    for (const parsedBody of [
      { jsonrpc: "2.0", id: "opening", method: "initialize", params: terms },
      { jsonrpc: "2.0", method: "notifications/initialized" },
    ]) {
      const answer = await transport.handleRequest(openingRequest(id), { parsedBody });
      await answer.text();
    }
    return session;
  }

  /** Takes it out of memory, with what is open of it. */
  async drop(id: string): Promise<void> {
    this.live.delete(id);
    const session = this.known.get(id);
    this.known.delete(id);
    await session?.server.close();
  }

  /** Whether one more of this organization has its place, after one that is not in use has made room for it. */
  private makeRoom(organizationId: string): boolean {
    const own = [...this.known.values()].filter((session) => session.organizationId === organizationId).length;
    const isOwn = own >= LIVE_SESSIONS.organization;
    if (!isOwn && this.known.size < LIVE_SESSIONS.all) return true;
    for (const id of this.live.keys()) {
      const session = this.known.get(id);
      if (session === undefined || session.streams > 0) continue;
      if (isOwn && session.organizationId !== organizationId) continue;
      void this.drop(id);
      return true;
    }
    return false;
  }

  private sweepLater(): void {
    if (this.isSweeping) return;
    this.isSweeping = true;
    this.parts.clock.after(SWEEP_MS, () => {
      this.isSweeping = false;
      const before = this.parts.clock.monotonic() - IDLE_MS;
      for (const [id, session] of this.known) if (session.streams === 0 && session.usedAt <= before) void this.drop(id);
      if (this.known.size > 0) this.sweepLater();
    });
  }
}

type MessageOptions = NonNullable<Parameters<WebStandardStreamableHTTPServerTransport["handleRequest"]>[1]>;

const FULL: Outcome<never> = refuse({ kind: "overloaded", retryAfterMs: 10_000 });

const openingRequest = (id: string): Request =>
  new Request("http://session/", {
    method: "POST",
    headers: {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "mcp-session-id": id,
    },
  });
