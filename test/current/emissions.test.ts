/** The events that requests leave in the feed: one of each mutating request, and none of any other (HOOK-12). */
import { beforeEach, expect, test } from "bun:test";
import { EVENT_TYPES } from "../../actors/webhook/events.ts";
import { CURRENT_OPERATIONS } from "../../src/current/operations.ts";
import { library } from "../../src/wiring/library.ts";
import { isRead, type OperationContract } from "../../src/http/contract/operation.ts";
import { answered, type Job, type Json } from "../support/current.ts";
import { until } from "../support/condition.ts";
import { grantOf, sessionOf } from "../support/credentials.ts";
import { eventsAfter, type FedEvent, feedHead } from "../support/event-feed.ts";
import { FakeTools } from "../support/fake-tools.ts";
import { sceneOfTest } from "../support/scene.ts";
import { unfinishedUpload } from "../support/uploads.ts";

let agent: string;

const fakeTools = new FakeTools();
fakeTools.clients.add("lookup");
const { service, owner, client } = sceneOfTest({ tools: fakeTools });
beforeEach(async () => void (agent = await newAgent()));

const newAgent = (): Promise<string> => client.agent();
const events = (after?: number): Promise<readonly FedEvent[]> => eventsAfter(client, after);
const head = (): Promise<number> => feedHead(client);

/** A job that has come to this status. */
async function jobIn(status: string, fields: Json = {}): Promise<Job> {
  const chat = await client.chat(agent, owner.workspaceId);
  const { job } = await client.send(chat, "hello", fields);
  return client.reached(job.id, status);
}
/** A chat with one turn. */
async function saidChat(): Promise<{ readonly chat: string; readonly message: string }> {
  const chat = await client.chat(agent, owner.workspaceId);
  const { job, message } = await client.send(chat, "hello");
  await client.reached(job.id, "completed");
  return { chat, message: message.id };
}
const make = async (path: string, body: Json): Promise<string> => {
  const made = await (await client.call("POST", path, body)).json();
  return (made as { id?: string; task?: { id: string } }).id ?? (made as { task: { id: string } }).task.id;
};
const mission = (): Promise<string> => make("/api/missions", { title: "M", goal: "g", agent_id: agent });
/** The path of a task of a new mission. */
async function missionTask(): Promise<string> {
  const tasks = `/api/missions/${await mission()}/tasks`;
  return `${tasks}/${await make(tasks, { title: "T" })}`;
}
const workspace = (): string => `/api/workspaces/${owner.workspaceId}`;
const file = (): Promise<Response> => client.call("PUT", `${workspace()}/files/content?path=f`, { x: 1 });
/** An app that begins with the file, under a slug that nothing else has. */
async function app(): Promise<Json> {
  await file();
  return { name: "App", slug: `app-${crypto.randomUUID().slice(0, 8)}`, path: "", entry: "f" };
}
const repositories = (): string => `${workspace()}/repos`;
/** Nobody listens there: a clone of it fails, and has been asked for all the same. */
const REPOSITORY = { url: "https://git.test/a.git", path: "mount" };
const token = { name: "CI", scopes: ["mcp"] };
const invited = { email: "ada@example.com" };
const member = async (): Promise<string> => (await service.join(owner.organizationId)).userId;
const hooks = { url: "https://hooks.test/x" };
const configured = (): Promise<Response> => client.call("PUT", "/api/messaging-integration", hooks);
const revocable = async (path: string): Promise<Call> => ["POST", `${path}/${await make(path, token)}/revoke`];

/** An OpenAPI document with one operation, and its choice. */
const ARTICLES = {
  document: {
    openapi: "3.1.0",
    servers: [{ url: "https://hooks.test" }],
    paths: { "/articles": { get: { operationId: "listArticles" } } },
  },
  operations: ["listArticles"],
};

type Call = readonly [method: string, path: string, body?: Json];

const MESSENGER = { name: "Ops", format: "slack", url: "https://hooks.test/x" };

/** For each mutating operation a request that succeeds; what it needs is made first. */
const REQUESTS: Readonly<Record<string, () => Promise<Call> | Call>> = {
  createAgent: () => ["POST", "/api/agents", { name: "Eve", system_prompt: "Be brief." }],
  updateAgent: () => ["PATCH", `/api/agents/${agent}`, { name: "Eve" }],
  importAgentTools: () => ["POST", `/api/agents/${agent}/tools/import`, ARTICLES],
  deleteAgent: () => ["DELETE", `/api/agents/${agent}`],
  setAgentInstallState: () => [
    "PATCH",
    `/api/agents/${library.of(owner.organizationId)[0]!.id}/install-state`,
    { action: "install" },
  ],
  createChat: () => ["POST", "/api/chats", { agent_id: agent, workspace_id: owner.workspaceId }],
  deleteChat: async () => ["DELETE", `/api/chats/${await client.chat(agent, owner.workspaceId)}`],
  updateChat: async () => ["PATCH", `/api/chats/${await client.chat(agent, owner.workspaceId)}`, { title: "U" }],
  updateChatOptions: async () => [
    "PATCH",
    `/api/chats/${await client.chat(agent, owner.workspaceId)}/options`,
    { pinned: true },
  ],
  sendMessage: async () => [
    "POST",
    `/api/chats/${await client.chat(agent, owner.workspaceId)}/messages`,
    { content: "hello" },
  ],
  updateMessage: async () => {
    const { chat, message } = await saidChat();
    return ["PATCH", `/api/chats/${chat}/messages/${message}`, { pinned: true }];
  },
  compactChat: async () => ["POST", `/api/chats/${(await saidChat()).chat}/compact`, {}],
  forkChat: async () => {
    const { chat, message } = await saidChat();
    return ["POST", `/api/chats/${chat}/fork`, { from_message_id: message }];
  },
  approveJob: async () => ["POST", `/api/jobs/${(await jobIn("needs_review", { review_required: true })).id}/approve`],
  cancelJob: async () => ["POST", `/api/jobs/${(await jobIn("needs_review", { review_required: true })).id}/cancel`],
  resumeJob: async () => {
    const { id } = await jobIn("needs_review", { review_required: true });
    await answered(client.decide(id, "cancel"));
    await client.reached(id, "cancelled");
    return ["POST", `/api/jobs/${id}/resume`, { input: "go on" }];
  },
  bulkJobs: async () => {
    await jobIn("needs_review", { review_required: true });
    return ["POST", "/api/jobs/bulk", { action: "cancel", filter: { status: ["needs_review", "cancelled"] } }];
  },
  sendToolResults: async () => {
    const tools = [{ kind: "client", name: "lookup", description: "A price", input_schema: { type: "object" } }];
    const clerk = await make("/api/agents", { name: "Clerk", system_prompt: "x", tools });
    const { script } = service.model;
    service.model.script = (call) =>
      call.entries.at(-1)!.role === "user"
        ? [{ use: { type: "tool_use", id: "c1", name: "lookup", input: {} } }]
        : [{ say: "done" }];
    const { job } = await client.send(await client.chat(clerk, owner.workspaceId), "hello");
    await client.reached(job.id, "blocked");
    service.model.script = script;
    return ["POST", `/api/jobs/${job.id}/tool-results`, { results: [{ tool_call_id: "c1", content: "7 EUR" }] }];
  },
  iterateJob: async () => ["POST", `/api/jobs/${(await jobIn("completed")).id}/iterate`, { feedback: "shorter" }],
  createMission: () => ["POST", "/api/missions", { title: "M", goal: "g", agent_id: agent }],
  updateMission: async () => ["PATCH", `/api/missions/${await mission()}`, { title: "N" }],
  deleteMission: async () => ["DELETE", `/api/missions/${await mission()}`],
  runMission: async () => ["POST", `/api/missions/${await mission()}/run`],
  addMissionTask: async () => ["POST", `/api/missions/${await mission()}/tasks`, { title: "T" }],
  updateMissionTask: async () => ["PATCH", await missionTask(), { title: "U" }],
  startMissionTask: async () => ["POST", `${await missionTask()}/start-work`],
  createTask: () => ["POST", "/api/tasks", { title: "T" }],
  deleteTask: async () => ["DELETE", `/api/tasks/${await make("/api/tasks", { title: "T" })}`],
  updateTask: async () => ["PATCH", `/api/tasks/${await make("/api/v1/tasks", { title: "T" })}`, { title: "U" }],
  createWorkspace: () => ["POST", "/api/workspaces", { name: "W" }],
  updateWorkspace: () => ["PATCH", workspace(), { name: "W" }],
  deleteWorkspace: async () => ["DELETE", `/api/workspaces/${await make("/api/workspaces", { name: "W" })}`],
  selectWorkspace: () => ["POST", `${workspace()}/select`],
  writeFile: () => ["PUT", `${workspace()}/files/content?path=f`, { sent: "as it is" }],
  deleteFile: async () => {
    await file();
    return ["DELETE", `${workspace()}/files/content?path=f`];
  },
  createUpload: () => ["POST", "/api/files?name=a.json", { x: 1 }],
  deleteUpload: async () => ["DELETE", `/api/files/${await make("/api/files?name=a.json", { x: 1 })}`],
  endUnfinishedUpload: async () => ["DELETE", `/api/unfinished-uploads/${await unfinishedUpload(service.url, owner)}`],
  createDirectory: () => ["POST", `${workspace()}/files/directory`, { path: "d" }],
  moveFile: async () => {
    await file();
    return ["POST", `${workspace()}/files/move`, { from: "f", to: "g" }];
  },
  shareFile: async () => {
    await file();
    return ["POST", `${workspace()}/files/share`, { path: "f" }];
  },
  revokeShare: async () => {
    await file();
    return ["DELETE", `${workspace()}/shares/${await make(`${workspace()}/files/share`, { path: "f" })}`];
  },
  createApp: async () => ["POST", `${workspace()}/apps`, await app()],
  deleteApp: async () => ["DELETE", `${workspace()}/apps/${await make(`${workspace()}/apps`, await app())}`],
  addRepository: () => ["POST", repositories(), REPOSITORY],
  cloneRepository: async () => ["POST", `${repositories()}/clone`, { repo_id: await make(repositories(), REPOSITORY) }],
  syncRepository: async () => ["POST", `${repositories()}/${await make(repositories(), REPOSITORY)}/sync`],
  removeRepository: async () => ["DELETE", `${repositories()}/${await make(repositories(), REPOSITORY)}`],
  createConnection: () => ["POST", "/api/connections", { url: "https://mcp.example/mcp" }],
  deleteConnection: async () => [
    "DELETE",
    `/api/connections/${await make("/api/connections", { url: "https://mcp.example/mcp" })}`,
  ],
  putSecret: () => ["PUT", "/api/secrets/KEY", { value: "a long value" }],
  putGroup: () => ["PUT", "/api/groups/finance", { members: [] }],
  deleteGroup: async () => {
    await client.call("PUT", "/api/groups/finance", { members: [] });
    return ["DELETE", "/api/groups/finance"];
  },
  deleteSecret: async () => {
    await client.call("PUT", "/api/secrets/KEY", { value: "a long value" });
    return ["DELETE", "/api/secrets/KEY"];
  },
  putProviderKey: async () => {
    await client.call("PUT", "/api/secrets/KEY", { value: "a long value" });
    return ["PUT", "/api/provider-keys/openai", { secret: "KEY" }];
  },
  deleteProviderKey: async () => {
    await client.call("PUT", "/api/secrets/KEY", { value: "a long value" });
    await client.call("PUT", "/api/provider-keys/openai", { secret: "KEY" });
    return ["DELETE", "/api/provider-keys/openai"];
  },
  createMessenger: () => ["POST", "/api/messengers", MESSENGER],
  deleteMessenger: async () => ["DELETE", `/api/messengers/${await make("/api/messengers", MESSENGER)}`],
  setApprovalMails: () => ["PUT", "/api/approval-mails", { enabled: false }],
  createServiceToken: () => ["POST", "/api/service-tokens", token],
  revokeServiceToken: () => revocable("/api/service-tokens"),
  createPersonalAccessToken: () => ["POST", "/api/personal-access-tokens", token],
  revokePersonalAccessToken: () => revocable("/api/personal-access-tokens"),
  updateMember: async () => ["PATCH", `/api/members/${await member()}`, { role: "owner" }],
  removeMember: async () => ["DELETE", `/api/members/${await member()}`],
  createInvitation: () => ["POST", "/api/invitations", invited],
  revokeInvitation: async () => ["POST", `/api/invitations/${await make("/api/invitations", invited)}/revoke`],
  revokeSession: async () => ["POST", `/api/sessions/${await sessionOf(service, owner)}/revoke`],
  revokeOtherSessions: async () => {
    await sessionOf(service, owner);
    return ["POST", "/api/sessions/revoke-others"];
  },
  revokeOauthGrant: async () => ["POST", `/api/oauth-grants/${await grantOf(service, owner)}/revoke`],
  putMessagingIntegration: () => ["PUT", "/api/messaging-integration", hooks],
  rotateSigningSecret: async () => {
    await configured();
    return ["POST", "/api/messaging-integration/signing-secret/rotate"];
  },
  testMessagingIntegration: async () => {
    await configured();
    return ["POST", "/api/messaging-integration/test"];
  },
  redeliverEvents: async () => {
    await configured();
    return ["POST", "/api/messaging-integration/redeliver", { since_sequence: 1, until_sequence: 1 }];
  },
  redeliverEvent: async () => {
    await configured();
    const { delivery } = await answered<{ delivery: Json }>(
      client.call("POST", "/api/messaging-integration/test"),
      202,
    );
    return ["POST", `/api/messaging-integration/deliveries/${delivery["id"] as string}/redeliver`];
  },
};

const MUTATIONS: Readonly<Record<string, OperationContract>> = Object.fromEntries(
  CURRENT_OPERATIONS.flatMap(({ operations }): [string, OperationContract][] =>
    Object.entries(operations).map(([id, { contract }]) => [id, contract]),
  ).filter(([, operation]) => !isRead(operation)),
);

/** Operations for which others are performed, each with its own event, and that request here. */
const PERFORMED: Readonly<Record<string, string>> = { bulkJobs: "cancelJob" };
const emittedBy = (id: string) => MUTATIONS[PERFORMED[id] ?? id]!.emits as string;

/** Waits until nothing of the organization's jobs runs any more, so that its lifecycle is told. */
const quiet = (): Promise<void> =>
  until("no job runs", async () => {
    const { jobs } = await client.get<{ jobs: Job[] }>("/api/jobs?limit=100");
    return jobs.every(({ status }) => !["queued", "running", "cancelling"].includes(status));
  });

test("[HOOK-4] the walk has a request for each mutating operation, and each declares an existing event type", () => {
  expect(Object.keys(REQUESTS).toSorted()).toEqual(Object.keys(MUTATIONS).toSorted());
  for (const id of Object.keys(MUTATIONS))
    expect([id, EVENT_TYPES.some((type) => type === emittedBy(id))]).toEqual([id, true]);
});

for (const [id, prepare] of Object.entries(REQUESTS)) {
  test(`[HOOK-12] ${id} emits exactly one event, of the type that it declares`, async () => {
    const [method, path, body] = await prepare();
    await quiet();
    const before = await head();
    const response = await client.call(method, path, body);
    const text = await response.text();
    expect([response.ok, text]).toEqual([true, text]);
    const own = (await events(before)).filter(({ source }) => source !== "job_lifecycle");
    expect(own.map(({ type }) => type)).toEqual([emittedBy(id)]);
    const [event] = own;
    expect(event).toMatchObject({
      source: id === "testMessagingIntegration" ? "test" : "api_mutation",
      actor: { type: "user", id: owner.userId },
      request_id: response.headers.get("x-request-id"),
    });
    const { token: shownOnce, secret, url } = JSON.parse(text) as { token?: string; secret?: string; url?: string };
    for (const hidden of [shownOnce, secret, id === "createInvitation" ? url : undefined])
      if (typeof hidden === "string") expect(JSON.stringify(event)).not.toContain(hidden);
    if (event!.resource.id !== null)
      expect(path.includes(event!.resource.id) || text.includes(event!.resource.id)).toBe(true);
    await quiet();
  });
}

/** Operations that change nothing when they are asked for the same again. */
const REPEATABLE = [
  "updateAgent",
  "importAgentTools",
  "setAgentInstallState",
  "updateChat",
  "updateChatOptions",
  "updateMessage",
  "cancelJob",
  "bulkJobs",
  "updateMission",
  "updateMissionTask",
  "updateTask",
  "updateWorkspace",
  "selectWorkspace",
  "writeFile",
  "createDirectory",
  "revokeShare",
  "putProviderKey",
  "setApprovalMails",
  "revokeServiceToken",
  "revokePersonalAccessToken",
  "updateMember",
  "revokeSession",
  "revokeOtherSessions",
  "revokeOauthGrant",
  "putMessagingIntegration",
];
for (const id of REPEATABLE) {
  test(`[HOOK-12] ${id} emits no event if it changes nothing`, async () => {
    const [method, path, body] = await REQUESTS[id]!();
    expect((await client.call(method, path, body)).ok).toBe(true);
    await quiet();
    const before = await head();
    expect((await client.call(method, path, body)).ok).toBe(true);
    await quiet();
    expect((await events(before)).map(({ type }) => type)).toEqual([]);
  });
}

test("[HOOK-12] moving a file to its own path emits no event, changing the spelling of its name does", async () => {
  const [method, path] = await REQUESTS["moveFile"]!();
  await quiet();
  const before = await head();
  const move = (to: string) => answered<Json>(client.call(method, path, { from: "f", to }));
  expect(await move("f")).toMatchObject({ path: "f" });
  await quiet();
  expect(await events(before)).toEqual([]);
  expect(await move("F")).toMatchObject({ path: "F" });
  await quiet();
  expect((await events(before)).map(({ type }) => type)).toEqual(["workspace_file.changed"]);
});

test("[HOOK-3] refused and replayed requests emit nothing", async () => {
  const before = await head();
  const keyed = (key: string, body: Json): Promise<Response> =>
    service.call(owner, "POST", "/api/agents", body, { "idempotency-key": key });
  const good = { name: "Eve", system_prompt: "Be brief." };
  for (let i = 0; i < 3; i++) await answered(keyed("k1", good), 201);
  for (let i = 0; i < 2; i++) expect((await keyed("k2", { name: "" })).status).toBe(400);
  expect((await client.call("PATCH", "/api/agents/agt_none", { name: "x" })).status).toBe(404);
  expect((await client.call("POST", "/api/messaging-integration/verify", { headers: {}, body: "" })).status).toBe(404);
  await client.get("/api/agents");
  expect((await events(before)).map(({ type }) => type)).toEqual(["agent.created"]);
});
