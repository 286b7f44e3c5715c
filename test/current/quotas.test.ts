/** Quotas over HTTP: what is refused at the limit, what frees it, and that nothing passes it, at once or after a restart. */
import { describe, expect, test } from "bun:test";
import { type QuotaName, QUOTAS } from "../../actors/usage/quota.ts";
import { UNREFERRED_BYTES } from "../../db/stores/quota-directory.ts";
import { runCommand } from "../support/admin.ts";
import { until } from "../support/condition.ts";
import { answered, Client, type Json, refused } from "../support/current.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { sceneOfTest } from "../support/scene.ts";
import { type Caller, startService } from "../support/service.ts";
import { createAgent, expectFailure, success } from "../support/v1.ts";

const { service, owner, client } = sceneOfTest();

interface Quota extends Json {
  readonly quota: QuotaName;
  readonly limit: number | null;
  readonly used: number;
}
const quotas = async (by: Client = client): Promise<readonly Quota[]> =>
  (await by.get<{ quotas: Quota[] }>("/api/usage")).quotas;
const used = async (quota: QuotaName): Promise<number | undefined> =>
  (await quotas()).find((one) => one.quota === quota)?.used;
const setQuota = (quota: QuotaName, limit: number | string) =>
  runCommand(service, "org quota", { org: owner.organizationId, quota, limit: String(limit) });

const AGENT = { name: "Ada", system_prompt: "P" };
const upload = (path: string, text: string, by: Caller = owner) =>
  new Client(service, by).putFile(owner.workspaceId, path, text);

describe("at its limit each is refused with what and how much", () => {
  const makers: Readonly<Partial<Record<QuotaName, () => Promise<Response>>>> = {
    agents: () => client.call("POST", "/api/agents", AGENT),
    tasks: () => client.call("POST", "/api/v1/tasks", { title: "T" }),
    tokens: () => client.call("POST", "/api/personal-access-tokens", { name: "CI", scopes: ["mcp"] }),
    secrets: () => client.call("PUT", `/api/secrets/${crypto.randomUUID()}`, { value: "a long value" }),
    workspaces: () => client.call("POST", "/api/workspaces", { name: "W" }),
    files: () => upload(crypto.randomUUID(), "a"),
    file_bytes: () => upload(crypto.randomUUID(), "a"),
  };

  test.each(Object.entries(makers))("[QUOTA-1] %s", async (name, make) => {
    const quota = name as QuotaName;
    const before = (await used(quota)) ?? 0;
    await setQuota(quota, before + 2);
    for (let i = 0; i < 2; i++) expect([200, 201]).toContain((await make()).status);
    const answer = await make();
    if (quota === "tasks") {
      await expectFailure(
        answer,
        429,
        `The organization has reached its quota of tasks: ${before + 2} of ${before + 2}`,
      );
    } else {
      expect(answer.headers.has("retry-after")).toBe(false);
      expect(await refused(answer, 429, "quota_exceeded")).toEqual({ quota, limit: before + 2, used: before + 2 });
    }
    expect(await used(quota)).toBe(before + 2);
    await setQuota(quota, quota === "secrets" ? 64 : "unlimited");
    expect([200, 201]).toContain((await make()).status);
  });

  test("[QUOTA-1] the quota of chats applies to every way to create one: POST, an agent's first chat, an execution", async () => {
    const agent = await createAgent(service, owner);
    const chat = { agent_id: agent, workspace_id: owner.workspaceId };
    await setQuota("chats", 2);
    await answered(client.call("POST", "/api/chats", chat), 201);
    await refused(client.call("POST", "/api/chats", chat), 429, "quota_exceeded");
    await refused(client.call("POST", "/api/agents", AGENT), 429, "quota_exceeded");
    const execution = client.call("POST", `/api/v1/agents/${agent}/execute`, { message: "hi" });
    await expectFailure(await execution, 429, "The organization has reached its quota of chats: 2 of 2");
    expect(await used("agents")).toBe(1);
  });

  test("[QUOTA-1] missions have a quota", async () => {
    const agent = await createAgent(service, owner);
    const make = () => client.call("POST", "/api/missions", { title: "M", goal: "g", agent_id: agent });
    await setQuota("missions", 1);
    const { id } = await answered<{ id: string }>(make(), 201);
    expect(await refused(make(), 429, "quota_exceeded")).toEqual({ quota: "missions", limit: 1, used: 1 });
    await answered(client.call("DELETE", `/api/missions/${id}`));
    await until("the deleted mission has made room", async () => (await make()).status === 201);
  });
});

test("[QUOTA-1] full rows and bytes refuse new work; reads and running work continue", async () => {
  const agent = await createAgent(service, owner);
  const chat = await client.chat(agent, owner.workspaceId);
  for (const quota of ["stored_rows", "stored_bytes"] as const) {
    expect(await used(quota)).toBeGreaterThan(0);
    const { promise: hold, resolve: release } = Promise.withResolvers<void>();
    service.model.script = () => [{ hold }, { say: "done" }];
    const { job } = await client.send(chat, "hello");
    await setQuota(quota, 1);
    release();
    await client.reached(job.id, "completed");
    const sent = await client.call("POST", `/api/chats/${chat}/messages`, { content: "more" });
    expect(await refused(sent, 429, "quota_exceeded")).toMatchObject({ quota, limit: 1 });
    await expectFailure(
      await client.call("POST", "/api/v1/tasks", { title: "T" }),
      429,
      expect.stringContaining(quota.replace("_", " ")) as never,
    );
    await client.get(`/api/chats/${chat}`);
    await setQuota(quota, "default");
    await answered(client.call("POST", "/api/v1/tasks", { title: "T" }));
  }
});

test("[QUOTA-1] shares and invitations are refused like other new records", async () => {
  const share = () => client.call("POST", `/api/workspaces/${owner.workspaceId}/files/share`, { path: "a.txt" });
  const invite = () => client.call("POST", "/api/invitations", { email: "ada@example.com" });
  expect((await upload("a.txt", "a")).status).toBe(201);
  for (const make of [share, invite]) await answered(make(), 201);
  await setQuota("stored_rows", 1);
  for (const make of [share, invite]) expect(await refused(make(), 429, "quota_exceeded")).toMatchObject({ limit: 1 });
});

test("[QUOTA-2] of many concurrent requests exactly as many succeed as the quota allows", async () => {
  await setQuota("tasks", 25);
  const statuses = await Promise.all(
    Array.from({ length: 100 }, async () => (await client.call("POST", "/api/v1/tasks", { title: "T" })).status),
  );
  expect([statuses.filter((s) => s === 200).length, statuses.filter((s) => s === 429).length]).toEqual([25, 75]);
  expect(await used("tasks")).toBe(25);
});

test("[QUOTA-2] deleted and ended records free their quota", async () => {
  await setQuota("agents", 1);
  const make = () => client.call("POST", "/api/agents", AGENT);
  const { id } = await answered<{ id: string }>(make(), 201);
  await refused(make(), 429, "quota_exceeded");
  await answered(client.call("DELETE", `/api/agents/${id}`));
  await until("there is room for another agent", async () => (await make()).status === 201);
  const token = { name: "CI", scopes: ["mcp"] };
  await setQuota("tokens", 2);
  const made = await answered<{ id: string }>(client.call("POST", "/api/service-tokens", token), 201);
  await refused(client.call("POST", "/api/service-tokens", token), 429, "quota_exceeded");
  await answered(client.call("POST", `/api/service-tokens/${made.id}/revoke`));
  await until(
    "there is room for another token",
    async () => (await client.call("POST", "/api/service-tokens", token)).status === 201,
  );
});

test("[QUOTA-2] a file is moved and overwritten within its quota, and a secret is replaced", async () => {
  expect((await upload("a.txt", "0123456789")).status).toBe(201);
  await setQuota("files", 1);
  await setQuota("file_bytes", 10);
  await setQuota("secrets", 1);
  const move = { from: "a.txt", to: "b.txt" };
  await answered(client.call("POST", `/api/workspaces/${owner.workspaceId}/files/move`, move));
  await refused(upload("c.txt", "1"), 429, "quota_exceeded");
  await answered(client.call("PUT", "/api/secrets/one", { value: "a long value" }), 201);
  await answered(client.call("PUT", "/api/secrets/one", { value: "another value" }), 200);
  await refused(client.call("PUT", "/api/secrets/two", { value: "a long value" }), 429, "quota_exceeded");
});

test("[QUOTA-1] [WSP-12] content that nothing refers to counts past 1 GiB, so storing and deleting in turns fills no disk", async () => {
  const { organizationId } = owner;
  const { read } = service.database;
  expect((await upload("a.txt", "12345")).status).toBe(201);
  const claims = await read<
    { size: number }[]
  >`select size::int from blob_claim where organization_id = ${organizationId}`;
  expect(claims.map(({ size }) => size)).toEqual([5]);
  await setQuota("file_bytes", 12);
  // As deleted uploads leave it, until it is removed.
  const sha256 = "d".repeat(64);
  await read`insert into blob_claim (organization_id, sha256, claimed_at, size) values (${organizationId}, ${sha256}, now(), ${UNREFERRED_BYTES})`;
  const counted = async () =>
    (await service.quotas.report(organizationId)).find(({ quota }) => quota === "file_bytes")?.used;
  await until("it is free", async () => (await counted()) === 5);
  await read`update blob_claim set size = size + 7 where organization_id = ${organizationId} and sha256 = ${sha256}`;
  await until("it counts", async () => (await counted()) === 12);
  expect(await refused(upload("b.txt", "1"), 429, "quota_exceeded")).toMatchObject({ used: 12 });
  await read`delete from blob_claim where organization_id = ${organizationId} and sha256 = ${sha256}`;
  await until("it is removed", async () => (await counted()) === 5);
  expect((await upload("b.txt", "1")).status).toBe(201);
});

test("[QUOTA-1] [WSP-12] nothing is stored of a file over the quota, and content of a refused commit counts", async () => {
  const { organizationId } = owner;
  const stored = async () => {
    const rows = await service.database.read<{ n: number }[]>`
      select count(*)::int as n from blob_claim where organization_id = ${organizationId} and size is not null`;
    return rows[0]?.n;
  };
  expect((await upload("a.txt", "12345")).status).toBe(201);
  await setQuota("file_bytes", 10);
  expect(await refused(upload("b.txt", "123456"), 429, "quota_exceeded")).toEqual({
    quota: "file_bytes",
    limit: 10,
    used: 5,
  });
  const body = "1234567";
  const sha256 = new Bun.CryptoHasher("sha256").update(body).digest("base64");
  const part = await fetch(`${service.url}/api/workspaces/${owner.workspaceId}/files/content?path=c.txt`, {
    method: "PUT",
    headers: {
      authorization: `Bearer ${owner.token}`,
      "content-range": "bytes 0-2/7",
      "repr-digest": `sha-256=:${sha256}:`,
    },
    body: body.slice(0, 3),
  });
  await refused(part, 429, "quota_exceeded");
  expect(await stored()).toBe(1);
  // The file is there already, so the commit is refused. Nothing of it is free.
  await setQuota("file_bytes", UNREFERRED_BYTES);
  const again = await fetch(`${service.url}/api/workspaces/${owner.workspaceId}/files/content?path=a.txt`, {
    method: "PUT",
    headers: { authorization: `Bearer ${owner.token}`, "if-none-match": "*" },
    body: "another",
  });
  expect(again.status).toBeGreaterThanOrEqual(400);
  expect(await stored()).toBe(2);
  expect(await used("file_bytes")).toBe(12);
});

test("[QUOTA-2] nothing is stored of an agent's file over the quota of its organization", async () => {
  const { organizationId } = owner;
  const agent = await createAgent(service, owner, { name: "Ada", systemPrompt: "x" });
  await answered(client.call("PATCH", `/api/agents/${agent}`, { allowed_tools: ["write_file"] }));
  const chat = await client.chat(agent, owner.workspaceId);
  await setQuota("file_bytes", 3);
  const input = { path: "a.txt", text: "12345" };
  service.model.script = ({ entries }) =>
    entries.length > 1 ? [{ say: "done" }] : [{ use: { type: "tool_use", id: "c1", name: "write_file", input } }];
  const { job } = await client.send(chat, "write");
  await client.reached(job.id, "completed");
  const stored = await service.database.read<{ n: number }[]>`
    select count(*)::int as n from blob_claim where organization_id = ${organizationId} and size is not null`;
  expect(stored[0]?.n).toBe(0);
});

test("[QUOTA-1] [WSP-12] content of an agent's file counts after its commit was refused", async () => {
  const agent = await createAgent(service, owner, { name: "Ada", systemPrompt: "x" });
  await answered(client.call("PATCH", `/api/agents/${agent}`, { allowed_tools: ["write_file"] }));
  const chat = await client.chat(agent, owner.workspaceId);
  expect((await upload("notes/a.txt", "12345")).status).toBe(201);
  await setQuota("file_bytes", UNREFERRED_BYTES);
  expect(await used("file_bytes")).toBe(5);
  const input = { path: "notes", text: "1234567" };
  service.model.script = ({ entries }) =>
    entries.length > 1 ? [{ say: "done" }] : [{ use: { type: "tool_use", id: "c1", name: "write_file", input } }];
  const { job } = await client.send(chat, "write");
  await client.reached(job.id, "completed");
  expect(await used("file_bytes")).toBe(12);
});

test("[QUOTA-2] a restart forgets neither counts nor limits, and a refusal is not kept under its key", async () => {
  const testDatabase = await createTestDatabase();
  const before = await startService({ testDatabase });
  const founded = await before.found();
  const command = { org: founded.organizationId, quota: "tasks", limit: "3" };
  await runCommand(before, "org quota", command);
  for (let i = 0; i < 3; i++) await success(before.call(founded, "POST", "/api/v1/tasks", { title: "T" }));
  await before.stop();
  const after = await startService({ testDatabase });
  try {
    const send = () =>
      fetch(`${after.url}/api/v1/tasks`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${founded.token}`,
          "content-type": "application/json",
          "idempotency-key": "one",
        },
        body: JSON.stringify({ title: "T" }),
      });
    const all = await Promise.all(Array.from({ length: 10 }, async () => (await send()).status));
    expect(new Set(all)).toEqual(new Set([429]));
    await runCommand(after, "org quota", { ...command, limit: "4" });
    expect((await send()).status).toBe(200);
    expect((await after.call(founded, "POST", "/api/v1/tasks", { title: "T" })).status).toBe(429);
  } finally {
    await after.stop();
    await testDatabase.drop();
  }
});

test("[QUOTA-1] the operator sets the service's defaults, and an organization's own quotas override them", async () => {
  const small = await startService({ settings: { quotas: ["agents=1", "workspaces=unlimited"] } });
  try {
    const founded = await small.found();
    const by = new Client(small, founded);
    await answered(by.call("POST", "/api/agents", AGENT), 201);
    await refused(by.call("POST", "/api/agents", AGENT), 429, "quota_exceeded");
    expect((await quotas(by)).map(({ quota }) => quota)).toEqual([...QUOTAS]);
    expect((await quotas(by)).find(({ quota }) => quota === "workspaces")).toEqual({
      quota: "workspaces",
      limit: null,
      used: 1,
    });
    const org = founded.organizationId;
    const text = await runCommand(small, "org quota", { org, quota: "agents", limit: "2" });
    expect(text).toMatch(/agents +2 +1/);
    await answered(by.call("POST", "/api/agents", AGENT), 201);
    expect(await runCommand(small, "org quota", { org, quota: "agents", limit: "default" })).toMatch(/agents +1 +2/);
    await refused(by.call("POST", "/api/agents", AGENT), 429, "quota_exceeded");
    for (const [options, message] of [
      [{ quota: "agent", limit: "1" }, "did you mean `agents`?"],
      [{ quota: "agents" }, "--limit is missing"],
      [{ limit: "1" }, "--quota is missing"],
      [{ quota: "agents", limit: "-1" }, "whole number"],
      [{ quota: "secrets", limit: "65" }, "from 0 to 64"],
    ] as const)
      expect(runCommand(small, "org quota", { org, ...options })).rejects.toThrow(message);
  } finally {
    await small.stop();
  }
});

test("[QUOTA-1] a model gets the reason when its tool reaches a quota", async () => {
  const agent = await createAgent(service, owner);
  await answered(client.call("PATCH", `/api/agents/${agent}`, { allowed_tools: ["create_task"] }));
  const chat = await client.chat(agent, owner.workspaceId);
  await setQuota("tasks", 0);
  let told = "";
  service.model.script = ({ entries }) => {
    const last = JSON.stringify(entries.at(-1));
    if (!last.includes("quota"))
      return [{ use: { type: "tool_use", id: "c1", name: "create_task", input: { title: "T" } } }];
    told = last;
    return [{ say: "There is no room." }];
  };
  const { job } = await client.send(chat, "make a task");
  expect((await client.reached(job.id, "completed")).result).toContain("no room");
  expect(told).toContain("quota of tasks");
});
