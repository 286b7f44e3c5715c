/** An organization is exported and erased beside another one, in a service that works; nothing of it is left. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { accountRef, attemptsRef, identityRef } from "../../actors/account/schema.ts";
import type { Message } from "../../actors/chat/schema.ts";
import type { Outcome } from "../../actors/fault.ts";
import { usageRef } from "../../actors/usage/schema.ts";
import { PostgresErasure } from "../../db/erasure.ts";
import { ORGANIZATION_TABLES } from "../../db/organization-tables.ts";
import { patiently } from "../../src/service/admin-door.ts";
import { type ExportSummary, writeExport } from "../../src/admin/organization-export.ts";
import { wholeFile, readArchive } from "../../src/archive/archive.ts";
import { OrganizationErased } from "../../src/files/files.ts";
import { attemptKeysOf } from "../../src/sign-in/accounts.ts";
import { runCommand } from "../support/admin.ts";
import { until } from "../support/condition.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { type Caller, type Founded, type Service, startService } from "../support/service.ts";
import { Client } from "../support/current.ts";
import { uploaded } from "../support/uploads.ts";
import { createAgent } from "../support/v1.ts";
import { emailOf } from "../support/signed-in.ts";

const SECRET = "correct horse battery staple";
const CONTENT = "what a customer has written";
const SENT = "what a customer has sent with a message";
const ANSWER = "what an agent has answered";
const PASSWORD_HASH = "$argon2id$of-the-owner";

let testDatabase: TestDatabase;
let service: Service;
let folder: string;
/** The tables, seen from beside the service. */
let sql: postgres.Sql;
/** The one that leaves, a member of it alone, and one who belongs to the other organization too. */
let leaving: Founded;
let member: Caller;
let staying: Founded;

async function made(answer: Promise<Response>): Promise<Record<string, unknown>> {
  const response = await answer;
  expect([200, 201, 202]).toContain(response.status);
  return (await response.json()) as Record<string, unknown>;
}

function value<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(`refused: ${JSON.stringify(outcome.fault)}`);
  return outcome.value;
}

/** A row of the organization in each table that has none yet, whatever the table is for. */
async function fillTables({ organizationId }: Founded): Promise<void> {
  const place = { sweep: "filled", at_rest_since: "", organization_id: organizationId, id: "x" };
  await sql`insert into sweep_position ${sql(place)}`;
  for (const table of Object.keys(ORGANIZATION_TABLES)) {
    const present = await sql`select 1 from ${sql(table)} where organization_id = ${organizationId} limit 1`;
    if (present.count > 0) continue;
    const id = `filled_${table}`;
    const address = { shard: 0, organization_id: organizationId, actor_kind: "job", actor_id: id };
    const rows: Record<string, object> = {
      actor_message: { ...address, id, command: {} },
      effect: { ...address, id, kind: "run", intent: {} },
      alarm: { ...address, name: id, due_at_ms: 4_102_444_800_000, command: {} },
      event: { organization_id: organizationId, stream: id, seq: 1, type: "filled", at: "", data: {} },
      blob_claim: { organization_id: organizationId, sha256: "0".repeat(64), claimed_at: new Date(0) },
    };
    const record = { organization_id: organizationId, id, version: 1, body: { id, organizationId } };
    await sql`insert into ${sql(table)} ${sql(rows[table] ?? record)}`;
  }
}

/** A message has its content; the upload itself is gone. */
async function sendFile(owner: Founded): Promise<void> {
  const client = new Client(service, owner);
  const { id } = await uploaded(client, "note.txt", SENT);
  const chat = await client.chat(await createAgent(service, owner), owner.workspaceId);
  const content = [{ type: "file", source: { kind: "upload", file_id: id } }];
  const { job } = await made(client.call("POST", `/api/chats/${chat}/messages`, { content }));
  await client.reached((job as { id: string }).id, "completed");
  await made(client.call("DELETE", `/api/files/${id}`));
}

/** How many rows of each table name this. */
async function mentions(what: string): Promise<Readonly<Record<string, number>>> {
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`;
  const found: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await sql<{ n: number }[]>`
      select count(*)::int as n from ${sql(name)} t where position(${what} in t::text) > 0`;
    if (row!.n > 0) found[name] = row!.n;
  }
  return found;
}

const filesNaming = (what: string): readonly string[] =>
  readdirSync(service.filesFolder, { recursive: true, encoding: "utf8" }).filter((path) => path.includes(what));

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  sql = postgres(testDatabase.url, { max: 1, onnotice: () => {} });
  folder = mkdtempSync(join(tmpdir(), "troupe-erasing-"));
  service = await startService({ testDatabase });
  service.model.script = () => [{ say: ANSWER }];
  [leaving, staying] = [await service.found("Leaving"), await service.found("Staying")];
  member = await service.join(leaving.organizationId);
  const { organizationId } = leaving;
  await runCommand(service, "user add", { org: organizationId, email: await emailOf(service, staying) });
  for (const owner of [leaving, staying]) {
    await made(service.call(owner, "POST", "/api/v1/tasks", { title: `of ${owner.organizationId}` }));
    await made(service.call(owner, "PUT", "/api/secrets/CRM_KEY", { value: SECRET }));
    await new Client(service, owner).putFile(owner.workspaceId, "notes.txt", CONTENT);
  }
  await sendFile(leaving);
  const { system } = service;
  for (const { userId } of [leaving, member, staying]) {
    const command = { kind: "set_password", passwordHash: PASSWORD_HASH, linkHash: null, keptId: null } as const;
    value(await system.dispatch(accountRef(userId), command));
    value(await system.dispatch(accountRef(userId), { kind: "choose_organization", organizationId }));
    value(await system.dispatch(identityRef(`idn_${userId}`), { kind: "name_owner", userId }));
  }
  const [key = ""] = attemptKeysOf({ id: member.userId, email: await emailOf(service, member) });
  value(await system.dispatch(attemptsRef(key), { kind: "admit_attempt", free: 5 }));
  await made(service.call(leaving, "GET", "/api/chats"));
  value(await system.settled(organizationId));
  await fillTables(leaving);
});
afterAll(async () => {
  await service.stop();
  await sql.end();
  await testDatabase.drop();
  rmSync(folder, { recursive: true, force: true });
});

test("[OPS-6] an export has the records and files of one organization, and nothing that is secret", async () => {
  const path = join(folder, "leaving.tar.gz");
  const of = { url: testDatabase.url, blobs: service.files.blobs, version: "1", now: 0 };
  const summary = await writeExport(path, { ...of, organizationId: leaving.organizationId });
  const files = new Map<string, string>();
  for await (const file of readArchive(path)) files.set(file.name, Buffer.from(await wholeFile(file)).toString());
  expect(JSON.parse(files.get("summary.json") ?? "") as ExportSummary).toEqual(summary);
  expect(summary).toMatchObject({
    files: 2,
    missingFiles: [],
    rows: { organization: 1, member: 3, account: 3, upload: 1, attachment: 1 },
  });
  const exported = Object.keys(ORGANIZATION_TABLES).filter((table) => ORGANIZATION_TABLES[table] !== null);
  expect(exported.filter((table) => !files.has(`records/${table}/000001.jsonl`))).toEqual([]);
  const contents = [...files.keys()].filter((name) => name.startsWith("files/")).map((name) => files.get(name));
  expect(new Set(contents)).toEqual(new Set([SENT, CONTENT]));
  const messages = (files.get("records/message/000001.jsonl") ?? "").trim().split("\n");
  expect(messages.map((line) => (JSON.parse(line) as Pick<Message, "blocks">).blocks)).toContainEqual([
    { type: "text", text: ANSWER },
  ]);
  const all = [...files.values()].join("\n");
  expect(all).toContain(`of ${leaving.organizationId}`);
  expect(all).not.toContain(staying.organizationId);
  const secret = await sql<{ text: string }[]>`
    select body ->> 'hash' as text from token where body ->> 'hash' is not null
    union all select s ->> 'sealed' from secret, jsonb_array_elements(body -> 'secrets') s where body ? 'secrets'`;
  expect(secret.length).toBeGreaterThan(3);
  for (const text of [SECRET, PASSWORD_HASH, ...secret.map((row) => row.text)]) expect(all).not.toContain(text);
  const nobody = writeExport(join(folder, "nobody"), { ...of, organizationId: "org_nobody" });
  expect(nobody).rejects.toThrow("There is no organization org_nobody");
});

test("[OPS-6] an erasure can be repeated, and leaves no trace in any table or folder except its own row", async () => {
  const { organizationId } = leaving;
  const others = await mentions(staying.organizationId);
  expect(Object.keys(await mentions(organizationId))).toEqual(
    expect.arrayContaining([...Object.keys(ORGANIZATION_TABLES), "account"]),
  );
  expect(filesNaming(organizationId).length).toBeGreaterThan(0);
  const erase = (flags: readonly string[] = []) => runCommand(service, "org erase", { org: organizationId }, flags);
  expect(erase()).rejects.toThrow("Add --yes to erase it");
  expect(runCommand(service, "org erase", {}, ["yes"])).rejects.toThrow("--org is missing");
  expect(JSON.parse(await erase(["yes", "json"]))).toMatchObject({
    organization_id: organizationId,
    name: "Leaving",
    accounts: 2,
    rows: { organization: 1, member: 3 },
  });
  expect(await mentions(organizationId)).toEqual({ erasure: 1 });
  for (const { userId } of [leaving, member]) expect(await mentions(userId)).toEqual({});
  expect(filesNaming(organizationId)).toEqual([]);
  // An account names the erased organization no more; the rest of the other organization is as it was.
  expect(await mentions(staying.organizationId)).toEqual(others);
  expect(erase(["yes"])).rejects.toThrow(`There is no organization ${organizationId}`);
});

test("[OPS-6] nothing more is stored for an erased organization, and the other one continues to work", async () => {
  const { system } = service;
  const { organizationId } = leaving;
  const command = { kind: "set_budget", limit: { kind: "unlimited" } } as const;
  await until("the shard is served again", async () => {
    const outcome = await system.dispatch(usageRef(organizationId), command);
    return !outcome.ok && outcome.fault.kind === "unauthenticated";
  });
  const late = service.files.receive(organizationId, new Response("late").body, 100);
  expect(late).rejects.toBeInstanceOf(OrganizationErased);
  await late.catch(() => {});
  expect(await mentions(organizationId)).toEqual({ erasure: 1 });
  expect(filesNaming(organizationId).filter((path) => /[0-9a-f]{64}/.test(path))).toEqual([]);
  const answer = await fetch(`${service.url}/api/chats`, { headers: { authorization: `Bearer ${leaving.token}` } });
  expect(answer.status).toBe(401);
  // Its shard may be on its way back to this replica, which a client meets as a 503 and tries again.
  await until("the other organization works", async () => {
    const response = await service.call(staying, "POST", "/api/v1/tasks", { title: "after" });
    return response.status < 300;
  });
  const chosen = value(await system.dispatch(accountRef(staying.userId), { kind: "read_credentials" }));
  expect(chosen).toMatchObject({ passwordHash: PASSWORD_HASH, chosenOrganizationId: null });
});

test("[OPS-6] an interrupted erasure is started again and completed", async () => {
  const half = await service.found("Half");
  const erasure = new PostgresErasure(service.database);
  await erasure.begin(half.organizationId);
  await sql`delete from agent where organization_id = ${half.organizationId}`;
  await runCommand(service, "org erase", { org: half.organizationId }, ["yes"]);
  expect(await mentions(half.organizationId)).toEqual({ erasure: 1 });
  const [row] = await sql<{ finished: boolean }[]>`
    select finished_at is not null as finished from erasure where organization_id = ${half.organizationId}`;
  expect(row).toEqual({ finished: true });
});

test("[OPS-6] a command that takes long keeps its connection alive until it answers", async () => {
  const { promise, resolve } = Promise.withResolvers<{ ok: boolean; text: string }>();
  const response = await patiently(promise, 1);
  const reader = response.body!.getReader();
  expect(new TextDecoder().decode((await reader.read()).value)).toBe("\n");
  resolve({ ok: true, text: "done" });
  let text = "";
  for (let next = await reader.read(); !next.done; next = await reader.read())
    text += new TextDecoder().decode(next.value);
  expect(JSON.parse(text)).toEqual({ ok: true, text: "done" });
  expect(await (await patiently(Promise.resolve({ ok: false, text: "no" }), 1_000)).json()).toEqual({
    ok: false,
    text: "no",
  });
});
