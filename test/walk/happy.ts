/**
 * A call that succeeds, for each operation of the contract and each status of its success. What a call
 * makes or needs is its own, so that any of them can be made again in any order.
 */
import { happyDocuments } from "./happy-documents.ts";
import { happyWorkspaces } from "./happy-workspaces.ts";
import { of, PAGE, type Happy, type HappyAsk } from "./happy-ask.ts";
import type { Ask } from "./walker.ts";
import { ENDLESS, INTEGRATION, type World } from "./world.ts";

const TASK_CALL = '/call create_task {"title": "Write"}';
const CLERK = {
  tools: [{ kind: "client", name: "lookup", description: "A price", input_schema: { type: "object" } }],
};
const MESSENGER = { format: "slack", url: "https://hooks.example.com/x" };
const CAREFUL = { allowed_tools: ["create_task"], approval_tools: ["create_task"] };

/** The id of what was said first in this chat, and was answered. */
async function firstMessage(world: World, chat: string): Promise<string> {
  await world.said(chat, "hello", "completed");
  const { messages } = await world.call<{ messages: { id: string }[] }>("listMessages", of(chat));
  return messages[0]!.id;
}

/** A record by a long poll: as it is, and not newer than it is. */
const polled = (id: string): readonly HappyAsk[] => [
  { ...of(id), status: 200 },
  { ...of(id), query: [["since_version", "1000000"]], status: 304 },
];

/** A stream that is over: all of it, and nothing for a reader who has all of it. */
const ended = (ask: Ask, head: number, query: readonly (readonly [string, string])[] = []): readonly HappyAsk[] => [
  { ...ask, query: [...query, ["replay", "all"]], status: 200 },
  { ...ask, query: [...query, ["after", String(head)]], status: 204 },
];

export const HAPPY: Readonly<Record<string, Happy>> = {
  listAgents: () => ({
    query: [...PAGE, ["name", "agent"], ["tag", "one"], ["source", "private"], ["visibility", "private,public"]],
  }),
  createAgent: () => ({
    body: {
      name: "Ada",
      system_prompt: "Be brief.",
      visibility: "organization",
      role: "Analyst",
      description: null,
      allowed_tools: ["create_task"],
      approval_expiry: { after_seconds: 3_600, on_expiry: "deny" },
      tags: ["one"],
    },
  }),
  getAgent: async (world) => of(await world.agent()),
  updateAgent: async (world) => ({
    ...of(await world.agent()),
    body: { name: "Grace", visibility: "organization" },
    headers: { "if-match": "1", "idempotency-key": world.name("key") },
  }),
  tryApprovalRules: async (world) => ({
    ...of(await world.agent()),
    body: { approval_rules: [{ tool: "list_tasks", then: "ask" }] },
  }),
  importAgentTools: async (world) => ({
    ...of(await world.agent()),
    body: {
      document: { openapi: "3.0.3", paths: { "/articles": { get: { operationId: "listArticles" } } } },
      operations: ["listArticles"],
      server_url: "https://127.0.0.1:9/v1",
      headers: [{ name: "x-version", value: "3" }],
      retry: { times: 1 },
    },
  }),
  deleteAgent: async (world) => of(await world.agent()),
  setAgentInstallState: async (world) => ({ ...of(await world.libraryAgent()), body: { action: "install" } }),

  listChats: () => ({
    query: [...PAGE, ["status", "standby,working"], ["title", "no"], ["pinned", "false"], ["text", "hello"]],
  }),
  createChat: async (world) => ({
    body: {
      agent_id: await world.agent(),
      workspace_id: await world.workspace(),
      title: "Notes",
      options: { pinned: true, on_busy: "steer", tools: null },
      metadata: { ticket: { number: 7 } },
    },
  }),
  getChat: async (world) => polled(await world.chat()),
  deleteChat: async (world) => of(await world.chat()),
  updateChat: async (world) => ({
    ...of(await world.chat()),
    body: { title: "Renamed", pinned: false, metadata: { ticket: "T-7" } },
  }),
  updateChatOptions: async (world) => ({ ...of(await world.chat()), body: { pinned: true, title: "Kept" } }),
  listMessages: async (world) => {
    const chat = await world.chat();
    await world.said(chat, "hello", "completed");
    return of(chat);
  },
  sendMessage: async (world) => ({
    ...of(await world.chat()),
    body: {
      content: "hello",
      on_busy: "queue",
      priority: "high",
      metadata: { from: "the walk" },
      budget: { max_tokens: 10_000, max_cost: "2.50", max_steps: 4, deadline_at: "2100-01-01T00:00:00Z" },
    },
  }),
  updateMessage: async (world) => {
    const chat = await world.chat();
    return { params: { id: chat, message_id: await firstMessage(world, chat) }, body: { pinned: true } };
  },
  compactChat: async (world) => {
    const chat = await world.chat();
    await world.said(chat, "hello", "completed");
    return { ...of(chat), body: { instructions: "Keep the greeting." } };
  },
  forkChat: async (world) => {
    const chat = await world.chat();
    const from = await firstMessage(world, chat);
    return { ...of(chat), body: { from_message_id: from, content: "hello again", title: "Again" } };
  },

  listUploads: async (world) => {
    await world.uploaded();
    return { query: PAGE };
  },
  createUpload: () => ({ query: [["name", "note.txt"]], raw: "a note", headers: { "content-type": "text/plain" } }),
  getUpload: async (world) => of((await world.uploaded()).id),
  readUpload: async (world) => {
    const { id, sha256 } = await world.uploaded();
    return [
      { ...of(id), status: 200 },
      { ...of(id), headers: { range: "bytes=0-2" }, status: 206 },
      { ...of(id), headers: { "if-none-match": `"${sha256}"` }, status: 304 },
    ];
  },
  deleteUpload: async (world) => of((await world.uploaded()).id),

  listJobs: () => ({
    query: [
      ...PAGE,
      ["created_after", "2020-01-01"],
      ["metadata", '{"ticket":"T-7"}'],
      ["status", "failed,cancelled"],
      ["status", "running"],
    ],
  }),
  getJob: async (world) => polled((await world.job("hello", "completed")).id),
  getJobLineage: async (world) => of((await world.job("hello", "completed")).id),
  listTranscriptEvents: async (world) => ({
    ...of((await world.job("hello", "completed")).id),
    query: [
      ["after", "0"],
      ["limit", "3"],
    ],
  }),
  approveJob: async (world) => ({ ...of((await world.job(TASK_CALL, "blocked", { agent: CAREFUL })).id), body: {} }),
  cancelJob: async (world) => ({ ...of((await world.job(ENDLESS, "running")).id), query: [["wait", "20"]] }),
  resumeJob: async (world) => ({ ...of((await world.job("/fail provider_rejected", "failed")).id) }),
  bulkJobs: async (world) => {
    for (const text of ["/fail provider_rejected", "/fail provider_rejected"]) await world.job(text, "failed");
    const filter = { status: ["failed"], created_after: "2020-01-01" };
    return { query: [["limit", "1"]], body: { action: "resume", filter, dry_run: false } };
  },
  sendToolResults: async (world) => ({
    ...of((await world.job("/call lookup {}", "blocked", { agent: CLERK })).id),
    body: { results: [{ tool_call_id: "demo_call_1", content: "7 EUR" }] },
  }),
  iterateJob: async (world) => ({
    ...of((await world.job("hello", "needs_review", { fields: { review_required: true } })).id),
    body: { feedback: "Shorter." },
  }),

  streamChatEvents: async (world) => {
    const chat = await world.chat();
    await world.said(chat, "hello", "completed");
    const { last_seq: head } = await world.call<{ last_seq: number }>("getChat", of(chat));
    return ended(of(chat), head, [["wait", "end"]]);
  },
  streamJobEvents: async (world) => {
    const { id, last_seq: head } = await world.job("hello", "completed");
    return ended(of(id), head);
  },
  streamSignedJobEvents: async (world) => {
    const { id, links, last_seq: head } = await world.job("hello", "completed");
    const { searchParams } = new URL(links["app_stream"] ?? "", world.walker.url);
    return ended({ ...of(id), token: null }, head, [...searchParams]);
  },

  listMissions: () => ({ query: [...PAGE, ["status", "pending,running"]] }),
  createMission: async (world) => ({
    body: {
      title: "Morning report",
      goal: "hello",
      agent_id: await world.agent(),
      workspace_id: await world.workspace(),
      visibility: "private",
      priority: "high",
      review_required: false,
      budget: { max_tokens: 10_000, max_cost: "2.50", max_steps: 4 },
      schedule: {
        type: "cron",
        value: "0 9 * * 1-5",
        timezone: "Europe/London",
        start_at: "2027-01-01",
        end_at: "2100-01-01T00:00:00Z",
        max_runs: 3,
        overlap: "buffer_one",
        catchup_window_seconds: 600,
        jitter_seconds: 30,
      },
    },
  }),
  getMission: async (world) => polled(await world.mission()),
  updateMission: async (world) => ({
    ...of(await world.mission()),
    body: { status: "paused", paused_reason: "Holidays", title: "Evening report", schedule: { value: "@daily" } },
  }),
  deleteMission: async (world) => of(await world.mission()),
  runMission: async (world) => of(await world.mission()),
  listMissionRuns: async (world) => ({
    ...of(await world.missionWithRun()),
    query: [...PAGE, ["outcome", "started,succeeded"]],
  }),
  forecastSchedule: () => ({
    body: { schedule: { type: "cron", value: "30 2 * * *", timezone: "Europe/Berlin" }, count: 3 },
  }),
  getMissionForecast: async (world) => ({ ...of(await world.mission()), query: [["count", "3"]] }),
  addMissionTask: async (world) => ({
    ...of(await world.mission()),
    body: { title: "Ask the team", description: null, priority: "high", assigned_to: null, depends_on: [] },
  }),
  getMissionTask: async (world) => ({ params: await world.missionTask() }),
  updateMissionTask: async (world) => ({
    params: await world.missionTask(),
    body: { title: "Ask Ada", status: "in_progress", position: 0 },
  }),
  startMissionTask: async (world) => [
    { params: await world.missionTask(), status: 202 },
    { params: await world.missionTask(true), status: 200 },
  ],

  listTasks: () => ({ query: [...PAGE, ["status", "pending"]] }),
  createTask: () => ({ body: { title: "Written here", priority: "low", assigned_to: null } }),
  deleteTask: async (world) => of(await world.task()),
  getTask: async (world) => of(await world.task()),
  updateTask: async (world) => ({ ...of(await world.task()), body: { status: "in_progress", priority: "urgent" } }),
  listWorkspaces: () => ({ query: PAGE }),
  getWorkspace: async (world) => of(await world.workspace()),
  listModels: () => ({}),
  listTools: () => ({}),
  getUsage: () => ({ query: [["group_by", "model"]] }),
  getCostliestJobs: () => ({ query: [["limit", "2"]] }),
  listStateMachines: () => ({}),
  checkInvariants: () => ({}),
  getLoad: () => ({}),

  listSecrets: () => ({}),
  listProviderKeys: () => ({}),
  ...happyWorkspaces,
  listConnections: async (world) => {
    await world.connection();
    return { query: PAGE };
  },
  createConnection: () => ({ body: { url: "https://mcp.example/mcp", owner: "organization", scopes: ["files:read"] } }),
  getConnection: async (world) => of(await world.connection()),
  tryConnection: async (world) => of(await world.connection()),
  deleteConnection: async (world) => of(await world.connection()),
  putSecret: async (world) => [
    { params: { name: world.name("SECRET") }, body: { value: "not to be seen" }, status: 201 },
    { params: { name: await world.secret() }, body: { value: "another value" }, status: 200 },
  ],
  listGroups: () => ({}),
  getGroup: async (world) => ({ params: { name: await world.group() } }),
  putGroup: async (world) => [
    { params: { name: `group-${world.name("g").length}-new` }, body: { members: [] }, status: 201 },
    { params: { name: await world.group() }, body: { members: [(await world.person()).userId] }, status: 200 },
  ],
  deleteGroup: async (world) => ({ params: { name: await world.group() } }),
  deleteSecret: async (world) => ({ params: { name: await world.secret() } }),
  putProviderKey: async (world) => [
    { params: { provider: "openai" }, body: { secret: await world.secret() }, status: 201 },
    { params: { provider: "openai" }, body: { secret: await world.secret() }, status: 200 },
  ],
  deleteProviderKey: async (world) => {
    await world.call("putProviderKey", { params: { provider: "anthropic" }, body: { secret: await world.secret() } });
    return { params: { provider: "anthropic" } };
  },
  listMessengers: () => ({}),
  createMessenger: (world) => ({ body: { ...MESSENGER, name: world.name("ops") }, status: 201 }),
  deleteMessenger: async (world) => {
    const { id } = await world.call<{ id: string }>("createMessenger", {
      body: { ...MESSENGER, name: world.name("ops") },
    });
    return of(id);
  },
  listApprovalNotices: () => ({ query: PAGE }),
  getApprovalMails: () => ({}),
  setApprovalMails: () => ({ body: { enabled: true } }),
  listMembers: () => ({ query: PAGE }),
  getMember: async (world) => of((await world.person()).userId),
  updateMember: async (world) => ({ ...of((await world.person()).userId), body: { role: "owner" } }),
  removeMember: async (world) => of((await world.newPerson()).userId),
  listInvitations: () => ({ query: PAGE }),
  createInvitation: (world) => ({ body: { email: `${world.name("guest")}@example.com`, role: "member" } }),
  revokeInvitation: async (world) => {
    const body = { email: `${world.name("guest")}@example.com` };
    return of((await world.call("createInvitation", { body })).id);
  },
  listSessions: async (world) => ({ query: PAGE, token: (await world.person()).token }),
  revokeSession: async (world) => {
    const { sessionId, token } = await world.person();
    return { ...of(sessionId), token };
  },
  revokeOtherSessions: async (world) => ({ token: (await world.person()).token }),
  listOauthGrants: async (world) => ({ query: PAGE, token: (await world.person()).token }),
  revokeOauthGrant: async (world) => {
    const { grantId, token } = await world.person();
    return { ...of(grantId), token };
  },
  exportAudit: () => ({
    query: [
      ["format", "ndjson"],
      ["created_after", "2026-01-01"],
    ],
  }),
  listAuditEntries: () => ({ query: PAGE }),
  listServiceTokens: () => ({ query: PAGE }),
  createServiceToken: () => ({ body: { name: "CI", scopes: ["agents:read", "jobs:write"], expires_in_days: 7 } }),
  revokeServiceToken: async (world) => of((await world.token(["mcp"])).id),
  listPersonalAccessTokens: () => ({ query: PAGE }),
  createPersonalAccessToken: () => ({ body: { name: "Laptop", scopes: ["*"] } }),
  revokePersonalAccessToken: async (world) => of((await world.token(["mcp"], "PersonalAccess")).id),

  getMessagingIntegration: async (world) => {
    await world.integration();
    return {};
  },
  putMessagingIntegration: async (world) => {
    await world.integration();
    return { body: { ...INTEGRATION, name: "Ours", enabled: true }, status: 200 };
  },
  listDeliveries: () => ({ query: [...PAGE, ["event_type", "webhook.test"]] }),
  redeliverEvent: async (world) => of(await world.delivery()),
  redeliverEvents: async (world) => {
    await world.delivery();
    return { body: { since_sequence: 1, until_sequence: 1, event_types: ["webhook.*"] } };
  },
  rotateSigningSecret: async (world) => {
    await world.integration();
    return { body: { grace_seconds: 60 } };
  },
  testMessagingIntegration: async (world) => {
    await world.integration();
    return {};
  },
  verifySignature: () => ({
    body: { headers: { "webhook-id": "evt_1" }, body: "{}", secret: "whsec_bm90IGEgc2VjcmV0IG9mIGFueWJvZHk=" },
  }),
  listEvents: () => ({ query: [["limit", "3"]] }),

  ...happyDocuments,

  v1ListAgents: () => ({}),
  v1CreateAgent: () => ({ body: { name: "Ada", systemPrompt: "Be brief." } }),
  v1GetAgent: async (world) => of(await world.v1Agent()),
  v1UpdateAgent: async (world) => ({ ...of(await world.v1Agent()), body: { name: "Grace" } }),
  v1DeleteAgent: async (world) => of(await world.v1Agent()),
  v1ExecuteAgent: async (world) => {
    const agent = await world.v1Agent();
    return [
      { ...of(agent), body: { message: "hello" } },
      { ...of(agent), body: { message: "hello", stream: true } },
    ];
  },
  v1ListTasks: () => ({ query: [["status", "pending"]] }),
  v1CreateTask: () => ({ body: { title: "Read the report", priority: "high" } }),
};

/** The calls of an operation, by its id; empty where there are none. */
export async function happyAsks(world: World, id: string): Promise<readonly HappyAsk[]> {
  const asks = await HAPPY[id]?.(world);
  if (asks === undefined) return [];
  return Array.isArray(asks) ? (asks as readonly HappyAsk[]) : [asks as HappyAsk];
}
