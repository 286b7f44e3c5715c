/** How many sessions of MCP are in memory, and how they leave it and come back (MCP-1). */
import { Server } from "@modelcontextprotocol/server";
import { expect, test } from "bun:test";
import type { Principal } from "../../actors/organization/principal.ts";
import { ReplayStore } from "../../src/mcp/replay-store.ts";
import { SessionIds, type SessionTerms } from "../../src/mcp/session-id.ts";
import {
  type FoundSession,
  MCP_SESSION_IDLE_MS,
  LIVE_SESSIONS,
  type LiveSession,
  McpSessions,
} from "../../src/mcp/sessions.ts";
import { createSealing } from "../../src/service/service-key.ts";
import { FakeClock } from "../support/fake-clock.ts";

const TERMS: SessionTerms = {
  protocolVersion: "2025-11-25",
  capabilities: { roots: {} },
  clientInfo: { name: "test", version: "1" },
};
const principal = (organizationId: string, userId = "usr_1"): Principal => ({
  organizationId,
  userId,
  role: "member",
  tokenId: "tok_1",
  tokenKind: "personal",
  expiresAt: "",
  scopes: ["mcp"],
});
const SEALING = createSealing(new Uint8Array(32).fill(1));
const found = (id: string): FoundSession => ({
  id,
  terms: TERMS,
  name: { userId: "usr_1", key: id, openedAt: 0 },
  subscriptions: [],
});
const ACME = principal("org_acme");

function sessionsAt(clock: FakeClock) {
  const servers: Server[] = [];
  const serve = (): Server => {
    const server = new Server({ name: "test", version: "1" }, { capabilities: {} });
    servers.push(server);
    return server;
  };
  const watching = { invoke: () => Promise.reject(new Error("nothing is watched")), services: {} as never };
  return { sessions: new McpSessions({ clock, sealing: SEALING, watching, serve }), servers };
}

const listening = (id: string): Request =>
  new Request("http://session/", { headers: { accept: "text/event-stream", "mcp-session-id": id } });

async function opened(sessions: McpSessions, by: Principal, id: string): Promise<LiveSession> {
  const session = await sessions.using(by, found(id), async (live) => live);
  if (!session.ok) throw new Error(session.fault.kind);
  return session.value;
}

test("[MCP-1] a session that was evicted from memory returns in its state after `initialize`", async () => {
  const clock = new FakeClock();
  const { sessions, servers } = sessionsAt(clock);
  const first = await opened(sessions, ACME, "a");
  expect(await opened(sessions, ACME, "a")).toBe(first);
  await clock.advance(MCP_SESSION_IDLE_MS + 120_000);
  expect(sessions.count).toBe(0);
  await opened(sessions, ACME, "a");
  expect(servers).toHaveLength(2);
  expect(servers[1]?.getClientCapabilities()).toEqual({ roots: {} });
  expect(servers[1]?.getClientVersion()).toMatchObject({ name: "test" });
});

test("[MCP-1] a session with an open stream stays in memory", async () => {
  const clock = new FakeClock();
  const { sessions } = sessionsAt(clock);
  (await opened(sessions, ACME, "a")).uses++;
  await clock.advance(MCP_SESSION_IDLE_MS + 120_000);
  expect(sessions.count).toBe(1);
});

test("[MCP-1] an organization has a limited number of sessions in memory, and those in use stay", async () => {
  const { sessions } = sessionsAt(new FakeClock());
  const busy = await opened(sessions, ACME, "0");
  busy.uses++;
  for (let n = 1; n <= LIVE_SESSIONS.organization; n++) await opened(sessions, ACME, String(n));
  expect(sessions.count).toBe(LIVE_SESSIONS.organization);
  expect(await opened(sessions, ACME, "0")).toBe(busy);
  for (let n = 2; n <= LIVE_SESSIONS.organization; n++) (await opened(sessions, ACME, String(n))).uses++;
  expect(await sessions.using(ACME, found("one more"), async () => {})).toMatchObject({
    ok: false,
    fault: { kind: "overloaded" },
  });
  await opened(sessions, principal("org_other"), "another organization's");
});

test("[MCP-1] a session is not evicted while it receives a message, before its stream is open", async () => {
  const { sessions } = sessionsAt(new FakeClock());
  const taking = Promise.withResolvers<void>();
  const uses = Array.from({ length: LIVE_SESSIONS.organization + 1 }, (_, n) =>
    sessions.using(ACME, found(String(n)), async ({ transport }) => {
      await taking.promise;
      return transport.handleRequest(listening(String(n)));
    }),
  );
  expect(await uses.at(-1)).toMatchObject({ ok: false, fault: { kind: "overloaded" } });
  taking.resolve();
  expect(await uses[0]).toMatchObject({ ok: true, value: { status: 200 } });
  // The first one is in use no more.
  await opened(sessions, ACME, "another one");
});

test("[MCP-1] a session id works for its person on every process with the service's key, for 30 days", async () => {
  const clock = new FakeClock();
  const sealing = createSealing(new Uint8Array(32).fill(1));
  const id = new SessionIds({ sealing, clock }).make(ACME, TERMS);
  expect(id).toMatch(/^[\x21-\x7e]+$/);
  const after = new SessionIds({ sealing: createSealing(new Uint8Array(32).fill(1)), clock });
  expect(after.open(ACME, id)?.terms).toEqual(TERMS);
  expect(after.open(principal("org_acme", "usr_2"), id)).toBeNull();
  expect(after.open(principal("org_other"), id)).toBeNull();
  expect(new SessionIds({ sealing: createSealing(new Uint8Array(32)), clock }).open(ACME, id)).toBeNull();
  await clock.advance(30 * 24 * 60 * 60 * 1_000);
  expect(after.open(ACME, id)).toBeNull();
  const ahead = after.make(ACME, TERMS);
  clock.setForward(-600_000);
  expect(after.open(ACME, ahead)?.terms).toEqual(TERMS);
  // One that was opened under a wrong clock would live longer than 30 days.
  clock.setForward(-1);
  expect(after.open(ACME, ahead)).toBeNull();
  const long = { ...TERMS, capabilities: { x: "y".repeat(10_000) } };
  expect(after.make(ACME, long).length).toBeLessThan(1_000);
});

test("[MCP-1] a replay has a limited number of messages, only of its own stream", async () => {
  let count = 0;
  const store = new ReplayStore(() => String(++count));
  const message = (n: number) => ({ jsonrpc: "2.0" as const, method: "notifications/message", params: { n } });
  const first = await store.storeEvent("one", message(0));
  const other = await store.storeEvent("two", message(1));
  await store.storeEvent("one", message(2));
  const sent: unknown[] = [];
  const send = (_: string, one: unknown): Promise<void> => Promise.resolve(void sent.push(one));
  expect(await store.replayEventsAfter(first, { send })).toBe("one");
  expect(sent).toEqual([message(2)]);
  for (let n = 3; n < 400; n++) await store.storeEvent("two", message(n));
  expect(await store.getStreamIdForEventId(other)).toBeUndefined();
  await store.storeEvent("two", { ...message(400), params: { long: "x".repeat(2 * 1024 * 1024) } });
  const last = await store.storeEvent("two", message(401));
  expect(await store.getStreamIdForEventId(last)).toBe("two");
});
