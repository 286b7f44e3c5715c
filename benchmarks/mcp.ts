/**
 * What does an MCP tool call cost, compared with the same REST request?
 *
 * One service as an operator starts it, with its own PostgreSQL, answers the first ten agents to 16 connections: by
 * `GET /api/agents?limit=10`, and by `list_agents` of MCP without a session, in a session, and in the newest revision.
 * All take turns in each round; each connection has its own token. The result is the CPU of the server for each answer.
 * An MCP call parses JSON-RPC, runs the same operation, and contains its result twice, as the protocol requires: as
 * structured content and as text for models.
 */
import type { Aim, Benchmark } from "./support/benchmark.ts";
import { cpuOf } from "./support/cpu.ts";
import type { HttpLoad, HttpRun } from "./support/http-load.ts";
import { get } from "./support/http-requests.ts";
import { administer, asked, newOrganization } from "./support/organization.ts";
import { startServer } from "./support/postgres.ts";
import { type RunningService, startService } from "./support/service.ts";
import { figure, times } from "./support/statistics.ts";
import { table } from "./support/table.ts";
import { startWorker } from "./support/worker.ts";

const CONNECTIONS = 16;
const AGENTS = 10;
/** The most CPU of a call, as a multiple of the same REST request. */
const MOST = 2;
const REST = "REST";
const MODERN = "2026-07-28";
const LEGACY = "2025-11-25";

interface Figures {
  readonly perSecond: number;
  readonly p99Us: number;
  readonly cpuUs: number;
}

export const benchmark: Benchmark = {
  question: "What does an MCP tool call cost, compared with the same REST request?",
  async run(context) {
    const { lifetime, seconds, say } = context;
    const load = startWorker<HttpLoad, HttpRun>(lifetime, "http-load.ts");
    const server = await startServer(lifetime);
    const service = await startService(lifetime, server, { RATE_BUDGETS: "*=999999999" });
    const requests = await requestsOf(service);
    const best = new Map<string, Figures>();
    for (let round = 0; round <= context.rounds; round++)
      for (const [name, request] of Object.entries(requests)) {
        const before = cpuOf(service.pid);
        const run = await load.ask({ port: service.port, request, connections: CONNECTIONS, seconds });
        const figures = { ...run, cpuUs: ((cpuOf(service.pid) - before) * 1e6) / run.all };
        // The first round warms up.
        if (round > 0) best.set(name, better(best.get(name), figures));
        say(`round ${round}: ${name} ${figure(figures.perSecond)}/s, ${figure(figures.cpuUs)} µs CPU`);
      }
    const rest = best.get(REST)!.cpuUs;
    const rows = [...best].map(([name, { perSecond, p99Us, cpuUs }]) => [
      name,
      figure(perSecond),
      figure(p99Us / 1_000),
      figure(cpuUs),
      times(cpuUs / rest),
    ]);
    const head = ["way", "calls/s", "p99 ms", "server CPU µs", "beside REST"];
    const text = `The first ${AGENTS} agents of an organization, ${CONNECTIONS} connections, each with its own token.\n\n${table(head, rows)}`;
    const aims = [...best].filter(([name]) => name !== REST).map(([name, { cpuUs }]) => aim(name, cpuUs / rest));
    return { text, aims, skipped: [] };
  },
};

/** The same request in each form, once for each connection. */
async function requestsOf(service: RunningService): Promise<Readonly<Record<string, readonly string[]>>> {
  const organization = await newOrganization(service, "mcp-bench");
  for (let n = 0; n < AGENTS; n++)
    await asked(service, organization, ["POST", "/api/agents"], { name: `Agent ${n}`, system_prompt: "Be brief." });
  const options = { org: organization.id, email: "owner@mcp-bench.test" };
  const tokens: string[] = [];
  while (tokens.length < CONNECTIONS)
    tokens.push(/\bpat_\S+/.exec(await administer(service, "token create", options))?.[0] ?? "");
  const sessions = await Promise.all(tokens.map((token) => openSession(service, token)));
  const legacy = ["MCP-Protocol-Version: 2025-11-25"];
  const modern = [`MCP-Protocol-Version: ${MODERN}`, "Mcp-Method: tools/call", "Mcp-Name: list_agents"];
  return {
    [REST]: tokens.map((token) => get(`/api/agents?limit=${AGENTS}`, token)),
    [LEGACY]: tokens.map((token) => message(token, CALL, legacy)),
    [`${LEGACY}, in a session`]: tokens.map((token, at) =>
      message(token, CALL, [...legacy, `Mcp-Session-Id: ${sessions[at]}`]),
    ),
    [MODERN]: tokens.map((token) => message(token, { ...CALL, params: { ...CALL.params, _meta: META } }, modern)),
  };
}

const CALL = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "list_agents", arguments: { limit: AGENTS } },
};
const META = {
  "io.modelcontextprotocol/protocolVersion": MODERN,
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const ACCEPT = "application/json, text/event-stream";

/** A message as the load generator sends it. */
function message(token: string, body: object, headers: readonly string[]): string {
  const text = JSON.stringify(body);
  const head = ["POST /mcp HTTP/1.1", "Host: 127.0.0.1", `Accept: ${ACCEPT}`, `Authorization: Bearer ${token}`];
  return [...head, ...headers, "Content-Type: application/json", `Content-Length: ${text.length}`, "", text].join(
    "\r\n",
  );
}

async function openSession({ url }: RunningService, token: string): Promise<string> {
  const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: "bench", version: "1" } };
  const answer = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, accept: ACCEPT, "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
  });
  await answer.text();
  return answer.headers.get("mcp-session-id") ?? "";
}

function better(before: Figures | undefined, run: Figures): Figures {
  if (before === undefined) return run;
  return { ...(run.perSecond > before.perSecond ? run : before), cpuUs: Math.min(before.cpuUs, run.cpuUs) };
}

const aim = (name: string, ratio: number): Aim => ({
  aim: `list_agents by MCP ${name}: at most ${MOST}× the server CPU of REST`,
  figure: times(ratio),
  holds: ratio <= MOST,
});
