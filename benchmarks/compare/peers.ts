/**
 * The systems of the comparison, each running the same loop of an agent over the same provider and tool: Troupe as an
 * operator starts it, the peers as their documentation says. Each is started once, and is idle while others are measured.
 */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { freePort } from "../../test/support/free-port.ts";
import { cpuOf, cpuOfTree } from "../support/cpu.ts";
import type { Lifetime } from "../support/lifetime.ts";
import type { Acknowledger } from "./acknowledgements.ts";
import { type Commits, commitsOf } from "./commits.ts";
import { installPeer, PeerProcess } from "../support/npm-peer.ts";
import { asked } from "../support/organization.ts";
import type { Server } from "../support/postgres.ts";
import { startService } from "../support/service.ts";

const PACKAGES = [
  "@restatedev/restate-server@1.7.12",
  "@restatedev/restate-sdk@1.17.2",
  "@dbos-inc/dbos-sdk@5.3.0",
] as const;

/** One system that runs agents. */
export interface AgentSystem {
  readonly name: string;
  /** What it does for each step that others may not do, and where it stores it. */
  readonly durability: string;
  /** Runs the agent on a message to its end. */
  run(message: string): Promise<void>;
  /** Resolves when the system has acknowledged the message as its own; null: it acknowledges nothing before the end. */
  readonly accept: ((message: string) => Promise<void>) | null;
  /** What acknowledges a message; null: nothing does. */
  readonly acknowledger: Acknowledger | null;
  /** The roots of its own processes at present. */
  pids(): readonly number[];
  /** Its PostgreSQL, if it has one. */
  readonly database: Server | null;
  /** Kills all its processes with -9, but not its database, and starts them again; resolves when it serves. */
  crash(): Promise<void>;
  /** Seconds of CPU of all its processes so far, with its database. */
  cpu(): number;
  /** Its commits so far; null: it does not count them. */
  readonly commits: (() => Promise<Commits>) | null;
}

/** Those that could be started, and why others could not. */
export interface AgentSystems {
  readonly systems: readonly AgentSystem[];
  readonly skipped: readonly string[];
}

export async function startSystems(lifetime: Lifetime, server: Server, worldPort: number): Promise<AgentSystems> {
  const systems = [await startTroupe(lifetime, server, worldPort)];
  const skipped: string[] = [];
  const folder = lifetime.folder();
  const isInstalled = await installPeer(folder, PACKAGES);
  for (const file of ["agent-loop.mjs", "bare-app.mjs", "dbos-app.mjs", "restate-app.mjs"])
    copyFileSync(join(import.meta.dir, file), join(folder, file));
  const place = { lifetime, folder, worldPort: String(worldPort) };
  const starts: readonly (readonly [name: string, start: () => Promise<AgentSystem | null>])[] = [
    ["Restate", () => startRestate(place)],
    ["DBOS", () => startDbos(place, server)],
    ["bare loop", () => startBare(place)],
  ];
  for (const [name, start] of starts) {
    const system = isInstalled ? await start() : null;
    if (system === null)
      skipped.push(`${name}: ${isInstalled ? "it did not start" : "its packages could not be installed"}`);
    else systems.push(system);
  }
  return { systems, skipped };
}

interface PeerPlace {
  readonly lifetime: Lifetime;
  readonly folder: string;
  readonly worldPort: string;
}

/** Chats of a sender, in turns: the queue of one chat is bounded, and its runs are slower than messages. */
const SENDER_CHATS = 32;

export async function startTroupe(lifetime: Lifetime, server: Server, worldPort: number): Promise<AgentSystem> {
  const world = `http://127.0.0.1:${worldPort}`;
  const metricsPort = freePort();
  const service = await startService(lifetime, server, {
    ADMIN_PORT: String(metricsPort),
    MODEL: "openai:fake-model",
    OPENAI_API_KEY: "none",
    OPENAI_BASE_URL: `${world}/v1`,
    EGRESS_ALLOW: world,
  });
  const tool = {
    name: "ping",
    description: "Answers at once",
    kind: "http",
    method: "POST",
    url: `${world}/tool`,
    // As the others do: a call that a crash has cut off is made again.
    repeatable: true,
    input_schema: { type: "object", properties: { key: { type: "string" } } },
  };
  const agent = { name: "Compared", system_prompt: "You are a test.", visibility: "organization", tools: [tool] };
  const owner = { id: "", token: service.token };
  const { id } = await asked(service, owner, ["POST", "/api/agents"], agent);
  const headers = { authorization: `Bearer ${service.token}` };
  const { workspaces } = await asked<{ readonly workspaces: readonly { readonly id: string }[] }>(service, owner, [
    "GET",
    "/api/workspaces",
  ]);
  const place = { agent_id: id, workspace_id: workspaces[0]?.id };
  return {
    name: "Troupe",
    durability: "each answer, call and result in PostgreSQL, synced; a chat, events, text and usage beside it",
    run: (message) => finished(`${service.url}/api/v1/agents/${id}/execute`, { message, stream: false }, headers),
    accept: async (content) => {
      const chat = await asked(service, owner, ["POST", "/api/chats"], place);
      await asked(service, owner, ["POST", `/api/chats/${chat.id}/messages`], { content });
    },
    acknowledger: {
      name: "Troupe",
      commits: () => commitsOf(metricsPort),
      stored: "the message, its job, both streams' events and the intent of the run, in PostgreSQL, synced",
      open: async () => {
        const open = () => asked(service, owner, ["POST", "/api/chats"], place);
        const chats = await Promise.all(Array.from({ length: SENDER_CHATS }, open));
        let sent = 0;
        return async (content) => {
          const { id: chatId } = chats[sent++ % SENDER_CHATS]!;
          await asked(service, owner, ["POST", `/api/chats/${chatId}/messages`], { content });
        };
      },
    },
    pids: () => [service.pid],
    database: server,
    crash: () => service.crash(),
    cpu: () => cpuOf(service.pid) + cpuOfTree(server.pid),
    commits: () => commitsOf(metricsPort),
  };
}

async function startDbos({ lifetime, folder, worldPort }: PeerPlace, server: Server): Promise<AgentSystem | null> {
  const sql = postgres(server.url, { max: 1, onnotice: () => {} });
  await sql`create database dbos`;
  await sql.end();
  const env = { DATABASE_URL: server.url.replace(/\/postgres$/, "/dbos"), DBOS__APPVERSION: "1" };
  return agentApp(lifetime, {
    name: "DBOS",
    durability: "the result of each call in the same PostgreSQL, synced",
    folder,
    program: "dbos-app.mjs",
    isDurable: true,
    env: { ...env, WORLD_PORT: worldPort },
    database: server,
  });
}

const startBare = ({ lifetime, folder, worldPort }: PeerPlace): Promise<AgentSystem | null> =>
  agentApp(lifetime, {
    name: "bare loop",
    durability: "nothing is stored",
    folder,
    program: "bare-app.mjs",
    isDurable: false,
    env: { WORLD_PORT: worldPort },
    database: null,
  });

interface AgentApp extends Pick<AgentSystem, "name" | "durability"> {
  readonly folder: string;
  readonly program: string;
  readonly isDurable: boolean;
  readonly env: Readonly<Record<string, string>>;
  /** Its PostgreSQL. */
  readonly database: Server | null;
}

async function agentApp(lifetime: Lifetime, app: AgentApp): Promise<AgentSystem | null> {
  const url = `http://127.0.0.1:${freePort()}`;
  const process = await PeerProcess.start(lifetime, {
    cmd: ["node", app.program],
    folder: app.folder,
    env: { ...app.env, PORT: new URL(url).port },
    probe: url,
  });
  if (process === null) return null;
  const { name, durability, database } = app;
  const accept = app.isDurable ? async (message: string) => void (await sent(`${url}/begin`, { message })) : null;
  return {
    name,
    durability,
    run: (message) => finished(`${url}/agent`, { message }),
    accept,
    acknowledger:
      accept === null
        ? null
        : {
            name,
            stored: "the workflow and its input, in the same PostgreSQL, synced",
            open: () => Promise.resolve(accept),
          },
    pids: () => [process.pid],
    database,
    crash: () => process.crash(),
    commits: null,
    cpu: () => cpuOfTree(process.pid) + (database === null ? 0 : cpuOfTree(database.pid)),
  };
}

async function startRestate({ lifetime, folder, worldPort }: PeerPlace): Promise<AgentSystem | null> {
  const [app, ingress, admin, node] = [freePort(), freePort(), freePort(), freePort()];
  const settings = `base-dir = ${JSON.stringify(join(lifetime.folder(), "restate"))}
bind-ip = "127.0.0.1"
bind-port = ${node}
listen-mode = "tcp"
disable-telemetry = true
[ingress]
bind-port = ${ingress}
[admin]
bind-port = ${admin}
disable-web-ui = true
`;
  await Bun.write(join(folder, "restate.toml"), settings);
  const server = await PeerProcess.start(lifetime, {
    cmd: [join(folder, "node_modules/.bin/restate-server"), "--config-file", join(folder, "restate.toml")],
    folder,
    probe: `http://127.0.0.1:${admin}/health`,
  });
  if (server === null) return null;
  // It speaks HTTP/2 only: its registration tells when it serves.
  const program = await PeerProcess.start(lifetime, {
    cmd: ["node", "restate-app.mjs"],
    folder,
    env: { WORLD_PORT: worldPort, PORT: String(app) },
    probe: null,
  });
  if (program === null || !(await isRegistered(admin, app))) return null;
  const url = `http://127.0.0.1:${ingress}/agent/run`;
  const accept = async (message: string) => void (await sent(`${url}/send`, { message }));
  return {
    name: "Restate",
    durability: "the result of each call in its own log, synced",
    run: (message) => finished(url, { message }),
    accept,
    acknowledger: {
      name: "Restate",
      stored: "the invocation in its own log, synced",
      open: () => Promise.resolve(accept),
    },
    pids: () => [server.pid, program.pid],
    database: null,
    crash: async () => void (await Promise.all([server.crash(), program.crash()])),
    commits: null,
    cpu: () => cpuOfTree(server.pid) + cpuOf(program.pid),
  };
}

async function isRegistered(admin: number, app: number): Promise<boolean> {
  for (let tried = 0; tried < 50; tried++, await Bun.sleep(200)) {
    const answer = await fetch(`http://127.0.0.1:${admin}/deployments`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ uri: `http://127.0.0.1:${app}` }),
    }).catch(() => null);
    if (answer?.ok === true) return true;
  }
  return false;
}

async function finished(url: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  const text = await sent(url, body, headers);
  if (!text.includes("Done.")) throw new Error(`${url}: ${text.slice(0, 500)}`);
}

async function sent(url: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text.slice(0, 500)}`);
  return text;
}
