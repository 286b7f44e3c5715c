/** An agent with an MCP server, from its settings to the end of its jobs: approval, cancel, foreign agents, and where the secret is not. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { ToolResultBlock } from "../../actors/job/schema.ts";
import { DEFAULT_SCOPES } from "../../actors/organization/principal.ts";
import { createEgress } from "../../src/egress/egress.ts";
import { until } from "../support/condition.ts";
import { answered, Client, type Job, type Json, refused } from "../support/current.ts";
import { type McpServerUnderTest, startMcpServer, textResult } from "../support/mcp-server.ts";
import { type Founded, type Service, startService } from "../support/service.ts";
import { storedText } from "../support/stored-text.ts";

const VALUE = `crm-key-${crypto.randomUUID()}`;

let service: Service;
let crm: McpServerUnderTest;
let owner: Founded;
let client: Client;

beforeAll(async () => {
  crm = startMcpServer([
    { name: "whoami", run: ({ headers }) => textResult(`You are ${headers.get("authorization")}`) },
    {
      name: "wait",
      run: ({ signal }) =>
        new Promise((resolve) => signal.addEventListener("abort", () => resolve(textResult("late")))),
    },
  ]);
  const egress = createEgress({ allow: ["127.0.0.1"], production: false });
  service = await startService({ egress });
});
afterAll(async () => {
  await service.stop();
  await crm.stop();
});
beforeEach(async () => {
  owner = await service.found();
  client = new Client(service, owner);
  await answered(client.call("PUT", "/api/secrets/crm", { value: VALUE }), 201);
  crm.calls.length = 0;
  crm.cancelled.length = 0;
  service.model.calls.length = 0;
});

const server = (): Json => ({
  name: "crm",
  url: crm.url,
  headers: [{ name: "authorization", secret: "crm", prefix: "Bearer " }],
});
const settings = (more: Json = {}): Json => ({
  name: "Ada",
  system_prompt: "Be brief.",
  allowed_tools: ["crm__*"],
  mcp_servers: [server()],
  ...more,
});
const agentWith = async (more: Json = {}): Promise<Json> =>
  answered(client.call("POST", "/api/agents", settings(more)), 201);

/** The model calls this tool once and then says what it heard. */
function use(name: string): void {
  service.model.script = (call) => {
    const last = call.entries.at(-1);
    const heard =
      last?.role === "assistant" ? last.blocks.find((b): b is ToolResultBlock => b.type === "tool_result") : null;
    return heard ? [{ say: `heard: ${heard.content}` }] : [{ use: { type: "tool_use", id: "c1", name, input: {} } }];
  };
}

async function send(by: Client, agentId: unknown, workspaceId: string): Promise<string> {
  const chatId = await by.chat(String(agentId), workspaceId);
  const sent = await answered<{ job: Job }>(by.call("POST", `/api/chats/${chatId}/messages`, { content: "go" }), 202);
  return sent.job.id;
}
const sentBy = async (more: Json = {}) => send(client, (await agentWith(more))["id"], owner.workspaceId);

test("[RUN-6] a job uses a tool of its agent's server, and the secret is nowhere but in the request", async () => {
  use("crm__whoami");
  const job = await client.reached(await sentBy(), "completed");
  expect(job.result).toBe("heard: You are Bearer [hidden]");
  expect(crm.authorizations).toContain(`Bearer ${VALUE}`);
  const [call] = service.model.calls;
  expect(call?.tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["crm__wait", "crm__whoami"]));
  const shown = [
    await storedText(service.database),
    JSON.stringify(service.log),
    JSON.stringify(service.model.calls),
    ...(await Promise.all(
      [
        `/api/jobs/${job.id}`,
        `/api/jobs/${job.id}/transcript-events`,
        `/api/chats/${job.chat_id}/messages`,
        "/api/agents",
      ].map(async (path) => (await client.call("GET", path)).text()),
    )),
  ];
  for (const text of shown) expect(text.includes(VALUE)).toBe(false);
  await until("the session is closed", () => crm.sessions.size === 0);
});

test("[RUN-6] a new value is used from the next request on", async () => {
  use("crm__whoami");
  const agent = await agentWith();
  await answered(client.call("PUT", "/api/secrets/crm", { value: `${VALUE}-new` }));
  await client.reached(await send(client, agent["id"], owner.workspaceId), "completed");
  expect(crm.authorizations.at(-1)).toBe(`Bearer ${VALUE}-new`);
});

test("[RUN-6] a tool that needs approval waits for a person before the server hears of it", async () => {
  use("crm__whoami");
  const jobId = await sentBy({ approval_tools: ["crm__*"] });
  const blocked = await client.reached(jobId, "blocked");
  expect(blocked.approvals).toMatchObject([{ tool_name: "crm__whoami" }]);
  expect(crm.calls).toEqual([]);
  await answered(client.decide(jobId, "approve", { decision: "approve" }));
  expect((await client.reached(jobId, "completed")).result).toBe("heard: You are Bearer [hidden]");
  expect(crm.calls).toEqual(["whoami"]);
});

test("[RUN-6] a cancel of the job reaches the server", async () => {
  use("crm__wait");
  const jobId = await sentBy();
  await until("the server works", () => crm.calls.includes("wait"));
  await client.decide(jobId, "cancel");
  await client.reached(jobId, "cancelled");
  await until("the server has heard of it", () => crm.cancelled.includes("wait") && crm.sessions.size === 0);
});

test("[RUN-9] without an optional server the job continues, and its record and the model get the reason", async () => {
  service.model.script = (call) => [{ say: call.system }];
  const jobId = await sentBy({ mcp_servers: [{ ...server(), url: "http://127.0.0.1:1/", optional: true }] });
  const message = "The MCP server crm cannot be used: it does not accept connections.";
  const job = await client.reached(jobId, "completed");
  expect(job.result).toContain(message);
  expect(job["warnings"]).toEqual([{ code: "tools_unavailable", message, at: expect.any(String) }]);
});

test("[RUN-9] without a required server the job fails, and names it", async () => {
  const jobId = await sentBy({ mcp_servers: [{ ...server(), url: "http://127.0.0.1:1/" }] });
  const message = "The MCP server crm cannot be used: it does not accept connections.";
  expect(await client.reached(jobId, "failed")).toMatchObject({
    error: { code: "tools_unavailable", message },
    warnings: [{ code: "tools_unavailable", message }],
  });
});

test("[V1-5] an agent of another organization runs without its owner's servers and secrets", async () => {
  use("crm__whoami");
  const agent = await agentWith();
  await answered(client.call("PATCH", `/api/agents/${String(agent["id"])}`, { visibility: "public" }));
  const stranger = await service.found("Other");
  const theirs = new Client(service, stranger);
  await answered(theirs.call("PUT", "/api/secrets/crm", { value: "a key of their own" }), 201);
  const heard = crm.authorizations.length;
  const job = await theirs.reached(await send(theirs, agent["id"], stranger.workspaceId), "completed");
  expect(job.result).toContain("There is no tool with the name crm__whoami.");
  expect(service.model.calls[0]?.tools.some(({ name }) => name.startsWith("crm__"))).toBe(false);
  expect(crm.authorizations.length).toBe(heard);
});

test("[RUN-6] the settings of a server are checked, and only an owner names secrets in them", async () => {
  const agent = await agentWith();
  expect(agent["mcp_servers"]).toEqual([server()]);
  const patch = (mcp_servers: unknown, by = client) =>
    by.call("PATCH", `/api/agents/${String(agent["id"])}`, { mcp_servers });
  const wrong: unknown[] = [
    [{ ...server(), name: "a__b" }],
    [{ ...server(), name: "a_" }],
    [{ ...server(), name: "a".repeat(33) }],
    [{ ...server(), url: "ftp://a.example" }],
    [{ ...server(), url: "https://" }],
    [{ ...server(), headers: [{ name: "a b", secret: "crm" }] }],
    [{ ...server(), headers: [{ name: "a", secret: "c r m" }] }],
    [{ ...server(), headers: [{ name: "a" }] }],
    [server(), server()],
  ];
  for (const servers of wrong) await refused(patch(servers), 400, "invalid_request");
  for (const [field, value, form] of [
    ["name", "a__b", "1 to 32 letters, digits, `-` and single `_` between them"],
    ["url", "ftp://a.example", "an address that begins with `https://` or `http://`"],
  ] as const) {
    const error = { path: `/mcp_servers/0/${field}`, message: `Field mcp_servers.0.${field} must be ${form}` };
    const details = await refused(patch([{ ...server(), [field]: value }]), 400, "invalid_request");
    expect(details).toEqual({ errors: [error] });
  }
  const nowhere = [{ ...server(), headers: [{ name: "authorization", secret: "nowhere" }] }];
  expect(await refused(patch(nowhere), 400, "invalid_request")).toMatchObject({
    errors: [{ path: "/mcp_servers/0/headers/0/secret", message: expect.stringContaining("no secret nowhere") }],
  });
  for (const name of ["a", "a_b", "A-1", "a".repeat(32)]) await answered(patch([{ ...server(), name }]));
  await answered(client.call("PATCH", `/api/agents/${String(agent["id"])}`, { visibility: "organization" }));
  const member = new Client(service, await service.join(owner.organizationId));
  await refused(patch([server()], member), 403, "owner_required");
  await refused(member.call("POST", "/api/agents", settings()), 403, "owner_required");
  await refused(patch([{ name: "crm", url: crm.url }], member), 403, "owner_required");
  await answered(patch([{ name: "crm", url: crm.url }]));
  await answered(patch([{ name: "other", url: crm.url }], member));
});

test("[AUTH-12] naming a secret needs secrets:use, and so does changing an agent that names one", async () => {
  const id = String((await agentWith({}))["id"]);
  const by = async (...scopes: string[]) => new Client(service, await service.tokenFor(owner, { scopes }));
  const everything = await by(...DEFAULT_SCOPES);
  const named = await by("agents:write", "secrets:use");
  const required = { required_scopes: ["secrets:use"] };
  const at = `/api/agents/${id}`;
  expect(await refused(everything.call("POST", "/api/agents", settings()), 403, "insufficient_scope")).toEqual(
    required,
  );
  for (const change of [{ mcp_servers: [server()] }, { system_prompt: "Tell me all." }, { allowed_tools: ["crm__*"] }])
    expect(await refused(everything.call("PATCH", at, change), 403, "insufficient_scope")).toEqual(required);
  const v1 = await everything.call("PATCH", `/api/v1/agents/${id}`, { systemPrompt: "Tell me all." });
  expect(v1.status).toBe(401);
  expect((await everything.get(at))["allowed_actions"]).toEqual(["delete", "execute"]);
  expect((await named.get(at))["allowed_actions"]).toEqual(["update", "delete"]);
  await answered(named.call("PATCH", at, { mcp_servers: [server()], system_prompt: "Be kind." }));
  const member = new Client(service, await service.join(owner.organizationId));
  await refused(member.call("POST", "/api/agents", settings()), 403, "owner_required");
  // Without a secret there is nothing to ask for.
  await answered(
    everything.call("POST", "/api/agents", settings({ mcp_servers: [{ name: "crm", url: crm.url }] })),
    201,
  );
  await answered(named.call("PATCH", at, { mcp_servers: [] }));
  await answered(everything.call("PATCH", at, { system_prompt: "Be brief." }));
});

test("[RUN-6] a header that the connection sets itself is refused when it is named, with its place", async () => {
  const headers = (name: string) => [
    { name: "X-Key", secret: "crm" },
    { name, secret: "crm" },
  ];
  for (const name of [
    "Host",
    "content-length",
    "Transfer-Encoding",
    "proxy-authorization",
    "Mcp-Session-Id",
    "Accept",
  ]) {
    const servers = [
      { name: "a", url: crm.url },
      { ...server(), headers: headers(name) },
    ];
    const details = await refused(
      client.call("POST", "/api/agents", settings({ mcp_servers: servers })),
      400,
      "invalid_request",
    );
    expect(details["errors"]).toEqual([
      { path: "/mcp_servers/1/headers/1/name", message: expect.any(String) as string },
    ]);
  }
});

test("[AGT-6] only owners set the instructions and tools of an agent with secrets; others execute it", async () => {
  const id = String((await agentWith({ allowed_tools: ["crm__other"] }))["id"]);
  await answered(client.call("PATCH", `/api/agents/${id}`, { visibility: "organization" }));
  const colleague = await service.join(owner.organizationId);
  const member = new Client(service, colleague);
  for (const change of [{ system_prompt: "Tell me all." }, { allowed_tools: ["crm__*"] }, { name: "Eve" }])
    await refused(member.call("PATCH", `/api/agents/${id}`, change), 403, "owner_required");
  const overV1 = await service.call(colleague, "PATCH", `/api/v1/agents/${id}`, { systemPrompt: "Tell me all." });
  expect(overV1.status).toBe(401);
  expect(await client.get(`/api/agents/${id}`)).toMatchObject({
    system_prompt: "Be brief.",
    allowed_tools: ["crm__other"],
    allowed_actions: ["update", "delete", "execute"],
  });
  expect((await member.get(`/api/agents/${id}`))["allowed_actions"]).toEqual(["delete", "execute"]);
  service.model.script = () => [{ say: "hello" }];
  const { job } = await member.send(await member.chat(id, owner.workspaceId), "hi");
  expect((await member.reached(job.id, "completed")).result).toBe("hello");
  await answered(client.call("PATCH", `/api/agents/${id}`, { mcp_servers: [] }));
  await answered(member.call("PATCH", `/api/agents/${id}`, { system_prompt: "Be kind." }));
});
