/**
 * A call that succeeds, for each operation of the contract and each status of its success. What a call
 * makes or needs is its own, so that any of them can be made again in any order.
 */
import type { Ask } from "./walker.ts";
import { INTEGRATION, type World } from "./world.ts";

export interface HappyAsk extends Ask {
  /** Where there is more than one status of success. */
  readonly status?: number;
}

type Happy = (world: World) => Promise<HappyAsk | readonly HappyAsk[]> | HappyAsk | readonly HappyAsk[];

const of = (id: string): Pick<Ask, "params"> => ({ params: { id } });
const PAGE = [["limit", "2"]] as const;
/** Writes until it is stopped. */
const SLOW = "/say one two three\n/repeat 1000\n/slow 200";
const TASK_CALL = '/call create_task {"title": "Write"}';
const CAREFUL = { allowed_tools: ["create_task"], approval_tools: ["create_task"] };

/** A record by a long poll: as it is, and not newer than it is. */
const polled = (id: string): readonly HappyAsk[] => [
  { ...of(id), status: 200 },
  { ...of(id), query: [["since_version", "1000000"]], status: 304 },
];

/** A public document: for whom it is new, and for whom it is not. */
const DOCUMENT: readonly HappyAsk[] = [
  { token: null, status: 200 },
  { token: null, headers: { "if-none-match": "*" }, status: 304 },
];

export const HAPPY: Readonly<Record<string, Happy>> = {
  listAgents: () => ({ query: PAGE }),
  createAgent: () => ({
    body: {
      name: "Ada",
      system_prompt: "Be brief.",
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
  deleteAgent: async (world) => of(await world.agent()),
  setAgentInstallState: async (world) => ({ ...of(await world.libraryAgent()), body: { action: "install" } }),

  listChats: () => ({ query: [...PAGE, ["status", "standby"]] }),
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
      budget: { max_tokens: 10_000, max_steps: 4, deadline_at: "2100-01-01T00:00:00Z" },
    },
  }),

  listJobs: () => ({ query: [...PAGE, ["created_after", "2020-01-01"]] }),
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
  cancelJob: async (world) => ({ ...of((await world.job(SLOW, "running")).id), query: [["wait", "20"]] }),
  resumeJob: async (world) => ({ ...of((await world.job("/fail provider_rejected", "failed")).id) }),
  iterateJob: async (world) => ({
    ...of((await world.job("hello", "needs_review", { fields: { review_required: true } })).id),
    body: { feedback: "Shorter." },
  }),

  streamChatEvents: async (world) => {
    const chat = await world.chat();
    await world.said(chat, "hello", "completed");
    return {
      ...of(chat),
      query: [
        ["replay", "all"],
        ["wait", "end"],
      ],
    };
  },
  streamJobEvents: async (world) => ({
    ...of((await world.job("hello", "completed")).id),
    query: [["replay", "all"]],
  }),
  streamSignedJobEvents: async (world) => {
    const { id, links } = await world.job("hello", "completed");
    const { searchParams } = new URL(links["app_stream"] ?? "", world.walker.url);
    return { ...of(id), query: [...searchParams], token: null };
  },

  listTasks: () => ({ query: [...PAGE, ["status", "pending"]] }),
  getTask: async (world) => of(await world.task()),
  updateTask: async (world) => ({ ...of(await world.task()), body: { status: "in_progress", priority: "urgent" } }),
  listWorkspaces: () => ({ query: PAGE }),
  getWorkspace: async (world) => of(await world.workspace()),
  listModels: () => ({}),
  getUsage: () => ({ query: [["group_by", "model"]] }),
  listStateMachines: () => ({}),
  checkInvariants: () => ({}),

  listSecrets: () => ({}),
  putSecret: async (world) => [
    { params: { name: world.name("SECRET") }, body: { value: "not to be seen" }, status: 201 },
    { params: { name: await world.secret() }, body: { value: "another value" }, status: 200 },
  ],
  deleteSecret: async (world) => ({ params: { name: await world.secret() } }),
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

  getVersion: () => DOCUMENT,
  getOpenApi: () => DOCUMENT,
  getReference: () => DOCUMENT,
  getRateLimitPolicy: () => DOCUMENT,
  getDeprecationPolicy: () => DOCUMENT,
  getAgentReadiness: () => DOCUMENT,
  getAgentApiManifest: () => DOCUMENT,
  getLlmsText: () => DOCUMENT,
  getSdkManifest: () => DOCUMENT,
  getTypeScriptSdk: () => DOCUMENT,
  getPythonSdk: () => DOCUMENT,
  getSdkExamples: () => DOCUMENT,

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
