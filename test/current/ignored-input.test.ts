/** Nothing that a request says is ignored: `null` where it is not allowed, and a body where none is taken, are 400. */
import { beforeAll, expect, test } from "bun:test";
import { OPERATIONS } from "../../src/contract/document.ts";
import { answered, type Json, refused } from "../support/current.ts";
import { sceneOfFile } from "../support/scene.ts";

let agent: string;

const { service, owner, client } = sceneOfFile();
beforeAll(async () => void (agent = await client.agent()));

test("[GEN-7] null where it is not allowed is 400 at its field, and changes nothing", async () => {
  const schedule = { type: "cron", value: "0 9 * * *" };
  const body = { title: "M", goal: "g", agent_id: agent, schedule };
  const mission = await answered<Json>(client.call("POST", "/api/missions", body), 201);
  const path = `/api/missions/${String(mission["id"])}`;
  for (const [method, at, given, field] of [
    ["PATCH", path, { schedule: null }, "/schedule"],
    ["PATCH", path, { schedule: { type: null } }, "/schedule/type"],
    ["PATCH", path, { title: null, goal: "another" }, "/title"],
    ["PUT", "/api/messaging-integration", { url: "https://example.com/hook", enabled: null }, "/enabled"],
    ["PATCH", `/api/agents/${agent}`, { system_prompt: null }, "/system_prompt"],
    [
      "POST",
      "/api/chats",
      { agent_id: agent, workspace_id: owner.workspaceId, options: { pinned: null } },
      "/options/pinned",
    ],
  ] as const) {
    const { errors } = (await refused(client.call(method, at, given), 400, "invalid_request")) as {
      errors: readonly { path: string; message: string }[];
    };
    expect(errors.map((error) => error.path)).toEqual([field]);
    expect(errors[0]?.message).toContain("must not be null");
  }
  expect(await client.get<Json>(path)).toEqual(mission);
});

test("[GEN-7] a record's own nulls may be sent back: no limit is null", async () => {
  const chat = await client.chat(agent, owner.workspaceId);
  const budget = { max_tokens: null, max_cost: null, max_steps: 3, deadline_at: null };
  expect((await client.send(chat, "Hello", { budget })).job).toMatchObject({ status: "queued" });
});

test("[GEN-7] null counts as absent on v1, as its clients send it", async () => {
  const body = { title: "T", description: null, priority: null, assignTo: null, spaceId: null };
  expect((await client.call("POST", "/api/v1/tasks", body)).status).toBe(200);
});

const call = (
  method: string,
  path: string,
  body: string | ReadableStream<Uint8Array> | null,
  headers: Record<string, string> = {},
) =>
  fetch(service.url + path, {
    method,
    headers: { authorization: `Bearer ${owner.token}`, "content-type": "application/json", ...headers },
    body,
  });

test("[GEN-7] a body for an operation without one is 400, on the whole current surface", async () => {
  const without = OPERATIONS.map(({ operation }) => operation).filter(
    ({ method, path, body, scope }) =>
      method !== "GET" && body === undefined && scope !== null && !path.includes("/v1/"),
  );
  expect(without.length).toBeGreaterThan(10);
  for (const { method, path } of without) {
    const at = path.replaceAll(/\{(\w+)\}/g, "x");
    const answer = await call(method, at, '{"force":true}');
    const { details } = (await answer.json()) as { details: { errors?: readonly { message: string }[] } };
    // An id that no record can have comes first.
    if (answer.status !== 404)
      expect([answer.status, details.errors?.map(({ message }) => message)]).toEqual([
        400,
        expect.arrayContaining(["This operation takes no request body"]) as string[],
      ]);
  }
  const chat = `/api/chats/${await client.chat(agent, owner.workspaceId)}`;
  const chunked = new Blob(['{"force":', "true}"]).stream();
  for (const [body, headers] of [
    ['{"force":true}', {}],
    ['{"force":true}', { "idempotency-key": "one" }],
    [chunked, {}],
    ["force", { "content-type": "text/plain" }],
  ] as const)
    await refused(call("DELETE", chat, body, headers), 400, "invalid_request");
  await client.get(`${chat}/messages`);
});

test("[GEN-7] an empty body and an empty object are accepted as no input", async () => {
  for (const body of [null, "", "{}", new Blob(["{ ", "}\n"]).stream(), new Blob([]).stream()]) {
    const chat = await client.chat(agent, owner.workspaceId);
    expect((await call("DELETE", `/api/chats/${chat}`, body)).status).toBe(200);
  }
});
