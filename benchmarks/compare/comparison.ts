/**
 * All systems of the comparison, started: the agents' loop in each of `peers.ts`, and what only some rows are about. A
 * peer that cannot be had is skipped by name.
 */
import { join } from "node:path";
import { freePort } from "../../test/support/free-port.ts";
import { type LangGraph, LANGGRAPH_PACKAGES, startLangGraph, writeLangGraph } from "../support/langgraph.ts";
import type { Lifetime } from "../support/lifetime.ts";
import { installPeer, PeerProcess } from "../support/npm-peer.ts";
import { openPgbench, type Pgbench } from "../support/pgbench.ts";
import { type Server, startServer } from "../support/postgres.ts";
import { durableStreamsPeer } from "../support/resume-durable-streams.ts";
import { langGraphPeer } from "../support/resume-langgraph.ts";
import type { ResumePeer } from "../support/resume-peer.ts";
import { troupePeer } from "../support/resume-troupe.ts";
import { type RunningService, startService } from "../support/service.ts";
import type { WorldNotes } from "../support/step-world.ts";
import { startWorker, type Worker } from "../support/worker.ts";
import type { Acknowledger } from "./acknowledgements.ts";
import { type FirstRunWay, npmFirstRun, troupeFirstRun } from "./first-run.ts";
import { relaySystem, type StreamingSystem } from "./first-text.ts";
import type { MeasuredSystem } from "./footprint.ts";
import { type AgentSystem, startSystems } from "./peers.ts";

export interface Comparison {
  readonly world: Worker<null, WorldNotes>;
  readonly systems: readonly AgentSystem[];
  readonly acknowledgers: readonly Acknowledger[];
  readonly pgbench: Pgbench | null;
  readonly streaming: readonly StreamingSystem[];
  readonly cut: readonly ResumePeer[];
  readonly measured: readonly MeasuredSystem[];
  readonly ways: readonly FirstRunWay[];
  readonly skipped: string[];
}

export async function startComparison(lifetime: Lifetime): Promise<Comparison> {
  const server = await startServer(lifetime);
  const world: Worker<null, WorldNotes> = startWorker(lifetime, "step-world.ts");
  const { port: worldPort } = await world.ask(null);
  const { systems, skipped: missing } = await startSystems(lifetime, server, worldPort);
  const skipped = [...missing];
  const provider = startWorker<null, { port: number }>(lifetime, "stream-provider.ts");
  const providerUrl = `http://127.0.0.1:${(await provider.ask(null)).port}/v1`;
  const relay = startWorker<null, { port: number }>(lifetime, "stream-relay.ts", { args: [providerUrl] });
  const { port: relayPort } = await relay.ask(null);
  const streamingServer = await startServer(lifetime);
  const service = await startService(lifetime, streamingServer, {
    MODEL: "openai:fake-model",
    OPENAI_API_KEY: "none",
    OPENAI_BASE_URL: providerUrl,
  });
  const ours = troupeStream(service);
  const langGraph = await startLangGraph(lifetime, providerUrl);
  const boss = await startPgBoss(lifetime, server);
  const durableStreams = await durableStreamsPeer(lifetime);
  const pgbench = await openPgbench(lifetime, server);
  for (const [name, isThere] of [
    ["LangGraph dev server", langGraph.kind === "there"],
    ["pg-boss", boss !== null],
    ["Durable Streams", durableStreams !== null],
    ["pgbench", pgbench !== null],
  ] as const)
    if (!isThere) skipped.push(`${name}: it could not be installed, or does not start`);
  const theirs = langGraph.kind === "there" ? langGraphStream(langGraph) : null;
  const streaming = [ours, ...(theirs === null ? [] : [theirs]), relaySystem(relayPort)];
  const acknowledgers = [
    ...systems.flatMap(({ acknowledger }) => acknowledger ?? []),
    ...(boss === null ? [] : [boss]),
    ...(langGraph.kind === "there" ? [langGraphAcknowledger(langGraph)] : []),
  ];
  const cut = [
    troupePeer(service),
    ...(langGraph.kind === "there" ? [await langGraphPeer(langGraph)] : []),
    ...(durableStreams === null ? [] : [durableStreams]),
  ];
  const measured = [
    measuredTroupe(service, streamingServer, ours),
    ...systems.filter(({ name }) => name !== "Troupe").map(measuredAgents),
    ...(langGraph.kind === "there" && theirs !== null ? [measuredLangGraph(langGraph, theirs)] : []),
    { name: "bare relay", pids: () => [relay.pid], database: null, converse: null, stream: relaySystem(relayPort) },
  ];
  return { world, systems, acknowledgers, pgbench, streaming, cut, measured, ways: waysFromNothing(lifetime), skipped };
}

const posted = (url: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
    // A server that closes idle connections would meet the next request half-way.
    keepalive: false,
  });

const troupeStream = ({ url, token, agentId }: RunningService): StreamingSystem => ({
  name: "Troupe",
  stored: "the chat, the message, the job and its start, in PostgreSQL, synced",
  send: (message) =>
    posted(`${url}/api/v1/agents/${agentId}/execute`, { message, stream: true }, { authorization: `Bearer ${token}` }),
  text: /"text_delta"/,
});

function measuredTroupe(service: RunningService, server: Server, stream: StreamingSystem): MeasuredSystem {
  const { url, token, agentId } = service;
  const headers = { authorization: `Bearer ${token}` };
  const say = async (body: object): Promise<string> =>
    (await posted(`${url}/api/v1/agents/${agentId}/execute`, body, headers)).text();
  return {
    name: "Troupe",
    pids: () => [service.pid],
    database: server,
    converse: async () => {
      const first = await say({ message: "deltas=5 every=0", stream: true });
      const [, chatId = ""] = /"chatId":"([^"]+)"/.exec(first) ?? [];
      return async (turn) => void (await say({ message: `deltas=5 every=0 turn ${turn}`, chatId, stream: true }));
    },
    stream,
  };
}

/** Agents of the loop keep no conversation: twenty runs of one question each stand for it. */
const measuredAgents = (system: AgentSystem): MeasuredSystem => ({
  name: system.name,
  pids: () => system.pids(),
  database: system.database,
  converse:
    system.accept === null
      ? null
      : () => Promise.resolve((turn) => system.run(`steps=0 key=turn${turn}x${Date.now().toString(36)}`)),
  note: "keeps no conversation: runs of one question each",
  stream: null,
});

type RunningLangGraph = Extract<LangGraph, { readonly kind: "there" }>;

const LANGGRAPH = "LangGraph dev server";
const langGraphThread = async (url: string): Promise<string> =>
  ((await (await posted(`${url}/threads`, {})).json()) as { readonly thread_id: string }).thread_id;
const langGraphInput = (message: string) => ({
  assistant_id: "agent",
  input: { messages: [{ role: "user", content: message }] },
});

const langGraphStream = ({ url }: RunningLangGraph): StreamingSystem => ({
  name: LANGGRAPH,
  stored: "nothing: it is in memory",
  send: async (message) =>
    posted(`${url}/threads/${await langGraphThread(url)}/runs/stream`, {
      ...langGraphInput(message),
      stream_mode: ["custom", "values"],
    }),
  text: /event: custom/,
});

const langGraphAcknowledger = ({ url }: RunningLangGraph): Acknowledger => ({
  name: LANGGRAPH,
  stored: "nothing: it is in memory",
  open: () =>
    Promise.resolve(async () => {
      // A thread takes one run at a time.
      const thread = await langGraphThread(url);
      await (await posted(`${url}/threads/${thread}/runs`, langGraphInput("deltas=1 every=0"))).text();
    }),
});

const measuredLangGraph = ({ url, process }: RunningLangGraph, stream: StreamingSystem): MeasuredSystem => ({
  name: LANGGRAPH,
  pids: () => [process.pid],
  database: null,
  converse: async () => {
    const thread = await langGraphThread(url);
    return async (turn) => {
      const run = { ...langGraphInput(`deltas=5 every=0 turn ${turn}`), stream_mode: ["values"] };
      await (await posted(`${url}/threads/${thread}/runs/stream`, run)).text();
    };
  },
  note: "a file three seconds after the last change",
  stream,
});

async function startPgBoss(lifetime: Lifetime, server: Server): Promise<Acknowledger | null> {
  const folder = lifetime.folder();
  if (!(await installPeer(folder, PG_BOSS))) return null;
  await Bun.write(join(folder, PG_BOSS_APP), Bun.file(join(import.meta.dir, PG_BOSS_APP)));
  const url = `http://127.0.0.1:${freePort()}`;
  const env = { DATABASE_URL: server.url, PORT: new URL(url).port };
  const process = await PeerProcess.start(lifetime, { cmd: ["node", PG_BOSS_APP], folder, env, probe: url });
  if (process === null) return null;
  return {
    name: "pg-boss",
    stored: "a job of its queue in the same PostgreSQL, synced",
    open: () => Promise.resolve(async (message) => void (await (await posted(url, { message })).text())),
  };
}
const PG_BOSS = ["pg-boss@10.4.2"] as const;
const PG_BOSS_APP = "pg-boss-app.mjs";

/** The peers that a newcomer can have without a database of his own. */
function waysFromNothing(lifetime: Lifetime): readonly FirstRunWay[] {
  return [
    troupeFirstRun(lifetime),
    npmFirstRun({
      name: LANGGRAPH,
      commands: "`npm install` of its server, a graph of 40 lines, `langgraphjs dev`, a run",
      packages: LANGGRAPH_PACKAGES,
      async start(folder) {
        const provider = startWorker<null, { port: number }>(lifetime, "stream-provider.ts");
        const providerUrl = `http://127.0.0.1:${(await provider.ask(null)).port}/v1`;
        const started = await writeLangGraph(lifetime, folder, providerUrl);
        if (started.kind === "not") return false;
        const { text, send } = langGraphStream(started);
        return text.test(await (await send("deltas=1 every=0")).text());
      },
    }),
  ];
}
