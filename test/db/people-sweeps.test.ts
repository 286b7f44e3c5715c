/** What people leave behind goes when its time is over, and what they keep by name stays (AUTH-13, AUTH-17, MCP-5). */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Database, openDatabase } from "../../db/client.ts";
import { sweepOnce, sweepsOf } from "../../db/sweeps.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 5, 1);

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.url);
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

const ago = (days: number): string => new Date(NOW - days * DAY_MS).toISOString();

async function put(table: string, id: string, fields: object): Promise<void> {
  const { read } = database;
  const body = { id, organizationId: "org_1", version: 1, createdAt: ago(0), updatedAt: ago(0), ...fields };
  await read`insert into ${read(table)} (organization_id, id, version, body) values ('org_1', ${id}, 1, ${JSON.stringify(body)}::text::jsonb)`;
}

/** What a sweep leaves of a table. */
async function left(name: string, table: string): Promise<readonly string[]> {
  const sweep = sweepsOf({ eventDays: 90 }).find((one) => one.name === name);
  if (sweep === undefined) throw new Error(`no sweep ${name}`);
  await sweepOnce(database, sweep, { now: NOW, limit: 100 });
  const { read } = database;
  return (await read<{ id: string }[]>`select id from ${read(table)} order by id`).map(({ id }) => id);
}

test("[AUTH-13] sessions and tokens of programs are deleted a month after their end; named tokens stay", async () => {
  await put("token", "old session", { kind: "session", expiresAt: ago(31) });
  await put("token", "old program", { kind: "oauth", expiresAt: ago(31) });
  await put("token", "session", { kind: "session", expiresAt: ago(29) });
  await put("token", "personal", { kind: "personal", expiresAt: ago(400) });
  expect(await left("ended_credentials", "token")).toEqual(["personal", "session"]);
});

test("[ACC-7] a removed connection is deleted a month later; one that is not removed stays", async () => {
  await put("connection", "ended", { removedAt: null, status: "ended", end: { at: ago(400) } });
  await put("connection", "new", { removedAt: ago(29) });
  await put("connection", "old", { removedAt: ago(31) });
  expect(await left("removed_connections", "connection")).toEqual(["ended", "new"]);
});

test("[AUTH-14] attempts to sign in are forgotten after a day", async () => {
  await put("sign_in_attempts", "new", { updatedAt: ago(0.9) });
  await put("sign_in_attempts", "old", { updatedAt: ago(1.1) });
  expect(await left("sign_in_attempts", "sign_in_attempts")).toEqual(["new"]);
});

test("[AUTH-17] the audit is kept for 365 days", async () => {
  await put("audit_entry", "new", { createdAt: ago(364) });
  await put("audit_entry", "old", { createdAt: ago(366) });
  expect(await left("audit_entries", "audit_entry")).toEqual(["new"]);
});

test("[MCP-1] [MCP-5] [AUTH-21] sessions of clients past their time, programs that nobody uses and sign-ins that nobody ended go, and grants and invitations a month after their end", async () => {
  for (const [table, name, days] of [
    ["client_sessions", "client_sessions", 0.1],
    ["oauth_client", "oauth_clients", 0.1],
    ["sign_in_flow", "sign_in_flows", 0.1],
    ["oauth_grant", "oauth_grants", 31],
    ["invitation", "invitations", 31],
  ] as const) {
    await put(table, "old", { expiresAt: ago(days) });
    await put(table, "good", { expiresAt: ago(-1) });
    expect(await left(name, table)).toEqual(["good"]);
  }
});
