/** The floods of `floods.ts`: the actions of each hostile organization, and their setup. */
import { join } from "node:path";
import { newToken } from "../../src/http/admission/token.ts";
import { BATCH_MESSAGES } from "../../src/mcp/batch.ts";
import type { Lifetime } from "./lifetime.ts";
import type { Flood } from "./flood-worker.ts";
import { get, getPublic, headOfPost, post, readAgent } from "./http-requests.ts";
import { asked, fillTasks, newOrganization, type Organization } from "./organization.ts";
import type { RunningService } from "./service.ts";
import { lowest, LOWEST_PRIORITY, startWorker } from "./worker.ts";

export interface FloodPlan {
  readonly name: string;
  /** The organization whose work is cancelled after the flood. */
  readonly organization: Organization;
  readonly flood: Flood;
}

export interface FloodWorld {
  readonly service: RunningService;
  readonly lifetime: Lifetime;
  /** The address of the hostile pages and MCP server. */
  readonly hostileUrl: string;
}

const EXECUTES = 64;
const CALLS_OF_A_STEP = 64;
const BODY_BYTES = 1024 * 1024;

const PUBLIC_DOCUMENTS = [
  "/api/openapi.json",
  "/api/reference",
  "/llms.txt",
  "/.well-known/teamday-agent-api",
  "/api/sdk/typescript",
] as const;

type Prepare = (world: FloodWorld, of: Organization) => Promise<Flood>;

const json = (value: object): string => JSON.stringify(value);
const agentOf = async ({ service }: FloodWorld, of: Organization, settings: object = {}): Promise<string> =>
  (await asked(service, of, ["POST", "/api/agents"], { name: "Ada", system_prompt: "Be brief.", ...settings })).id;
const executes = (agentId: string, of: Organization, body: object): string =>
  post(`/api/v1/agents/${agentId}/execute`, of.token, json(body));
const calls = (line: string): string => Array.from({ length: CALLS_OF_A_STEP }, () => line).join("\n");

const FLOODS: Readonly<Record<string, Prepare>> = {
  "bad tokens": async ({ service: { agentId } }) => {
    const of = { name: "x", userId: "usr_x", scopes: [], expiresAt: "2030-01-01T00:00:00.000Z" };
    const tokens = Array.from({ length: 20_000 }, () => newToken("personal", of).secret);
    return { kind: "ask", connections: 64, requests: tokens.map((token) => readAgent({ token, agentId })) };
  },

  reads: async (world, of) => {
    const agentId = await agentOf(world, of);
    await fillTasks(world.service, of, { count: 100, characters: 10_000 });
    const page = get("/api/v1/tasks?limit=100", of.token);
    const agent = readAgent({ token: of.token, agentId });
    return { kind: "ask", connections: 64, requests: [agent, page, agent, agent] };
  },

  "60 KB tasks": async (_, of) => {
    const task = json({ title: "Large", description: "A long task. ".repeat(5_000).slice(0, 60_000) });
    return { kind: "ask", connections: 64, requests: [post("/api/v1/tasks", of.token, task)] };
  },

  "200 KB messages": async (world, of) => {
    const agentId = await agentOf(world, of);
    const message = "A long message. ".repeat(12_800).slice(0, 200_000);
    return { kind: "ask", connections: 32, requests: [executes(agentId, of, { message })] };
  },

  executes: async (world, of) => {
    const agentId = await agentOf(world, of);
    return { kind: "ask", connections: EXECUTES, requests: [executes(agentId, of, { message: "Say something." })] };
  },

  streams: async (world, of) => {
    const agentId = await agentOf(world, of);
    const execution = executes(agentId, of, { message: "/say word\n/repeat 2000", stream: true });
    const body = json({ agentId, message: "Hello" });
    const { chatId } = await asked<{ readonly chatId: string }>(
      world.service,
      of,
      ["POST", `/api/v1/agents/${agentId}/execute`],
      JSON.parse(body) as object,
    );
    const events = get(`/api/chats/${chatId}/events?replay=all`, of.token);
    return { kind: "drop", connections: 200, requests: [events, events, events, execution] };
  },

  "bodies held open": async (_, of) => ({
    kind: "hold",
    connections: 2_000,
    requests: [headOfPost("/api/v1/tasks", of.token, BODY_BYTES)],
    bodyBytes: BODY_BYTES,
  }),

  "hostile pages": async (world, of) => {
    const agentId = await agentOf(world, of, { allowed_tools: ["web_fetch"] });
    const message = calls(`/call web_fetch {"url": "${world.hostileUrl}/page/less"}`);
    return { kind: "ask", connections: 12, requests: [executes(agentId, of, { message })] };
  },

  "a hostile MCP server": async (world, of) => {
    const server = { name: "bad", url: `${world.hostileUrl}/mcp/elicitation-batch` };
    const agentId = await agentOf(world, of, { allowed_tools: ["bad__*"], mcp_servers: [server] });
    const message = calls("/call bad__go {}");
    return { kind: "ask", connections: 12, requests: [executes(agentId, of, { message })] };
  },

  /** Batches of the older MCP era, as long as they may be: of the longest list, and of calls of a tool. */
  "MCP batches": async (_, of) => {
    const batch = (method: string, params: object): string =>
      post(
        "/mcp",
        of.token,
        json(Array.from({ length: BATCH_MESSAGES }, (_, id) => ({ jsonrpc: "2.0", id, method, params }))),
      );
    const lists = batch("tools/list", {});
    return {
      kind: "ask",
      connections: 16,
      requests: [lists, lists, lists, batch("tools/call", { name: "list_agents", arguments: {} })],
    };
  },

  "public documents": async () => ({
    kind: "ask",
    connections: 64,
    requests: PUBLIC_DOCUMENTS.flatMap((path) => [getPublic(path), getPublic(path, ["Accept-Encoding: gzip"])]),
  }),

  "a slow webhook receiver": async ({ service, lifetime }, of) => {
    const receiver = startWorker<object, { readonly port: number }>(lifetime, "slow-receiver-worker.ts", {
      isLow: true,
    });
    const { port } = await receiver.ask({});
    await asked(service, of, ["PUT", "/api/messaging-integration"], { url: `http://127.0.0.1:${port}/hook` });
    const agent = json({ name: "Ada", system_prompt: "Be brief." });
    return { kind: "ask", connections: 32, requests: [post("/api/agents", of.token, agent)] };
  },
};

export const FLOOD_NAMES: readonly string[] = Object.keys(FLOODS);

/** Creates the flooding organization, and what it needs. */
export async function planned(world: FloodWorld, name: string): Promise<FloodPlan> {
  const organization = await newOrganization(world.service, name.replaceAll(/\W/g, "-").toLowerCase());
  return { name, organization, flood: await FLOODS[name]!(world, organization) };
}

/** Starts the hostile server of the tests in its own process; answers its address. */
export async function startHostile(lifetime: Lifetime): Promise<string> {
  const program = join(import.meta.dir, "../../test/support/hostile-server.ts");
  const child = Bun.spawn([...LOWEST_PRIORITY, process.execPath, program], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
    detached: true,
  });
  lowest(child);
  lifetime.add(async () => {
    child.kill("SIGKILL");
    await child.exited;
  });
  const { value } = await child.stdout.getReader().read();
  return `http://127.0.0.1:${Number(Buffer.from(value ?? []).toString())}`;
}
