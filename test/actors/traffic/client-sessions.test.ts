/** What is kept of the sessions of MCP clients: bounded, and what has ended never opens again. */
import { expect, test } from "bun:test";
import type { Tx } from "../../../actors/runtime/actor.ts";
import { clientSessionHandlers } from "../../../actors/traffic/client-sessions.ts";
import {
  CLIENT_SESSION_MS,
  CLIENT_SESSIONS_KEPT,
  PERSON_SUBSCRIPTIONS,
  SESSION_SUBSCRIPTIONS,
} from "../../../actors/traffic/policy.ts";
import type { ClientSessions } from "../../../actors/traffic/schema.ts";

class Sessions {
  now = Date.parse("2026-01-01T00:00:00.000Z");
  record: ClientSessions | null = null;

  private tx(): Tx {
    const put = (_: unknown, record: ClientSessions) => (this.record = record);
    return { now: this.now, read: () => this.record, create: put, update: put } as unknown as Tx;
  }
  private name = (n: number) => ({ userId: "usr_1", key: String(n), openedAt: this.now - 10_000 + n });

  isOver(n: number): boolean {
    const found = clientSessionHandlers.find_session(this.tx(), { kind: "find_session", session: this.name(n) });
    return found.ok && found.value.isOver;
  }
  end = (n: number) => clientSessionHandlers.end_session(this.tx(), { kind: "end_session", session: this.name(n) });
  subscribe = (n: number, uri: string) =>
    clientSessionHandlers.subscribe(this.tx(), { kind: "subscribe", session: this.name(n), uri });
  unsubscribe = (n: number, uri: string) =>
    clientSessionHandlers.unsubscribe(this.tx(), { kind: "unsubscribe", session: this.name(n), uri });
}

test("[MCP-1] sessions that are only looked up leave no trace, and an ended one stays ended", () => {
  const sessions = new Sessions();
  for (let n = 0; n < 1_000; n++) expect(sessions.isOver(n)).toBe(false);
  expect(sessions.record).toBeNull();
  sessions.end(5);
  expect([sessions.isOver(4), sessions.isOver(5), sessions.isOver(6)]).toEqual([false, true, false]);
  expect(sessions.subscribe(5, "troupe://jobs/1").ok).toBe(false);
});

test("[MCP-1] the list is limited, and a removed session never opens again", () => {
  const sessions = new Sessions();
  for (let n = 0; n < 1_000; n++) sessions.end(n);
  expect(sessions.record?.sessions.length).toBe(CLIENT_SESSIONS_KEPT);
  for (let n = 0; n < 1_000; n++) expect(sessions.isOver(n)).toBe(true);
  expect(sessions.isOver(1_000)).toBe(false);
  const expiresAt = Date.parse(sessions.record?.expiresAt ?? "");
  expect(expiresAt).toBe(sessions.now + CLIENT_SESSION_MS);
  // Ids that are too old open nothing, whatever is known of them.
  sessions.now += CLIENT_SESSION_MS + 10_000;
  sessions.end(3);
  expect(sessions.record?.sessions.map(({ key }) => key)).toEqual(["3"]);
});

test("[MCP-1] sessions that ended with a clock a day ahead do not end later ones", () => {
  const sessions = new Sessions();
  const now = sessions.now;
  sessions.now += 86_400_000;
  for (let n = 0; n < 1_000; n++) sessions.end(n);
  sessions.now = now;
  expect(sessions.isOver(0)).toBe(false);
  sessions.end(1);
  expect(sessions.record?.sessions.map(({ key }) => key)).toEqual(["1"]);
  expect([sessions.isOver(0), sessions.isOver(1), sessions.isOver(2)]).toEqual([false, true, false]);
});

test("[MCP-6] subscriptions of a session and of a person are limited", () => {
  const sessions = new Sessions();
  const uri = (n: number): string => `troupe://jobs/${n}`;
  for (let n = 0; n < SESSION_SUBSCRIPTIONS; n++) expect(sessions.subscribe(1, uri(n)).ok).toBe(true);
  expect(sessions.subscribe(1, uri(0)).ok).toBe(true);
  expect(sessions.subscribe(1, uri(99))).toMatchObject({ ok: false, fault: { kind: "invalid_request" } });
  for (let n = SESSION_SUBSCRIPTIONS; n < PERSON_SUBSCRIPTIONS; n++)
    expect(sessions.subscribe(2 + Math.floor(n / SESSION_SUBSCRIPTIONS), uri(n)).ok).toBe(true);
  expect(sessions.subscribe(9, uri(1))).toMatchObject({ ok: false, fault: { kind: "invalid_request" } });
  for (let n = 0; n < SESSION_SUBSCRIPTIONS; n++) sessions.unsubscribe(1, uri(n));
  expect(sessions.record?.sessions.some(({ key }) => key === "1")).toBe(false);
  expect(sessions.subscribe(9, uri(1)).ok).toBe(true);
});
