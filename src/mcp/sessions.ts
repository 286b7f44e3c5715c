/**
 * Sessions of the older era that are in memory: those of clients that wait for a job, subscribe to resources or
 * listen on a GET stream. A session is evicted when nothing of it has been open for a while, or, if there are too
 * many, least recently used first. Its id restores it, but without its replay buffer, which the ids of its events
 * replace (`event-cursor.ts`).
 */
import { type Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { ok, type Outcome, refuse } from "../../actors/fault.ts";
import type { Principal } from "../../actors/organization/principal.ts";
import type { Clock } from "../../actors/runtime/ports.ts";
import type { Sealing } from "../../actors/sealing.ts";
import { CallStreams } from "./call-streams.ts";
import { EventIds } from "./event-cursor.ts";
import { KEEP_ALIVE_MS } from "./watched-stream.ts";
import { ReplayStore } from "./replay-store.ts";
import type { OpenedSession } from "./session-id.ts";
import { type SubscriptionParts, Subscriptions } from "./subscriptions.ts";

/** Limits of sessions in memory, per organization and in total; each may have a replay buffer of 1 MiB. */
export const LIVE_SESSIONS = { organization: 128, all: 1_024 } as const;
/** A session is evicted when nothing of it has been open for so long. */
export const MCP_SESSION_IDLE_MS = 5 * 60_000;
const SWEEP_MS = 60_000;

export interface LiveSession {
  readonly organizationId: string;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: Server;
  readonly calls: CallStreams;
  readonly replay: ReplayStore;
  readonly subscriptions: Subscriptions;
  /** Number of open streams, and of messages that are being taken. */
  uses: number;
  /** Monotonic ms. */
  usedAt: number;
}

export interface SessionsParts {
  readonly clock: Pick<Clock, "monotonic" | "after">;
  readonly sealing: Sealing;
  readonly watching: SubscriptionParts;
  /** Makes a server for one session. */
  readonly serve: (session: OpenedSession, by: Principal, subscriptions: Subscriptions) => Server;
}

/** A session with its subscriptions. */
export interface FoundSession extends OpenedSession {
  readonly subscriptions: readonly string[];
}

export class McpSessions {
  private readonly parts: SessionsParts;
  /** By id, least recently used first. */
  private readonly live = new Map<string, Promise<LiveSession>>();
  private readonly known = new Map<string, LiveSession>();
  private isSweeping = false;

  constructor(parts: SessionsParts) {
    this.parts = parts;
  }

  /** Number of sessions in memory. */
  get count(): number {
    return this.known.size;
  }

  /** Whether the replay buffer has the event. */
  hasEvent(id: string, eventId: string): boolean {
    return this.known.get(id)?.replay.has(eventId) === true;
  }

  /**
   * Runs with the session in memory, restored if necessary; refuses if all sessions of the organization are in use.
   * Until `run` has ended the session counts as in use: its stream is only open then.
   */
  async using<T>(by: Principal, found: FoundSession, run: (session: LiveSession) => Promise<T>): Promise<Outcome<T>> {
    const { id } = found;
    let opening = this.live.get(id);
    if (opening === undefined) {
      if (!this.makeRoom(by.organizationId)) return SESSIONS_FULL;
      opening = this.revive(by, found);
      opening.catch(() => void this.drop(id));
    }
    this.live.delete(id);
    this.live.set(id, opening);
    this.sweepLater();
    const used = this.known.get(id);
    if (used !== undefined) used.uses++;
    try {
      return ok(await run(await opening));
    } finally {
      if (used !== undefined) {
        used.uses--;
        used.usedAt = this.parts.clock.monotonic();
      }
    }
  }

  /** Restores the server of an opened session, in its state after `initialize`. */
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
    const server = this.parts.serve(found, by, subscriptions);
    const session = {
      organizationId: by.organizationId,
      transport,
      server,
      calls,
      replay,
      subscriptions,
      uses: 0,
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

  /** Evicts the session, and closes what it has open. */
  async drop(id: string): Promise<void> {
    this.live.delete(id);
    const session = this.known.get(id);
    this.known.delete(id);
    await session?.server.close();
  }

  /** Whether the organization may have one more session, evicting an unused one if necessary. */
  private makeRoom(organizationId: string): boolean {
    const own = [...this.known.values()].filter((session) => session.organizationId === organizationId).length;
    const isOwn = own >= LIVE_SESSIONS.organization;
    if (!isOwn && this.known.size < LIVE_SESSIONS.all) return true;
    for (const id of this.live.keys()) {
      const session = this.known.get(id);
      if (session === undefined || session.uses > 0) continue;
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
      const before = this.parts.clock.monotonic() - MCP_SESSION_IDLE_MS;
      for (const [id, session] of this.known) if (session.uses === 0 && session.usedAt <= before) void this.drop(id);
      if (this.known.size > 0) this.sweepLater();
    });
  }
}

const SESSIONS_FULL: Outcome<never> = refuse({ kind: "overloaded", retryAfterMs: 10_000 });

const openingRequest = (id: string): Request =>
  new Request("http://session/", {
    method: "POST",
    headers: {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "mcp-session-id": id,
    },
  });
