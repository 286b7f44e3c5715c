/**
 * What do the rate limits cost per request?
 *
 * Two services as an operator starts them, each in its own process with its own PostgreSQL: one counts the requests of
 * v1 (`RATE_LIMIT_V1`), and one does not. Both answer the same `GET /api/v1/agents/{id}` for 64 connections, in turns;
 * each connection has its own token, because no single client may send this much. The budget is so large that no
 * request is refused; a commit reserves as much as with the default budget, so the figure includes the commits. The
 * result is the CPU of the server for each request: the counting, the ten headers, the commits.
 */
import { knock } from "../src/admin/door.ts";
import type { Aim, Benchmark, BenchmarkContext } from "./support/benchmark.ts";
import { cpuOf, cpuOfTree } from "./support/cpu.ts";
import type { HttpLoad, HttpRun } from "./support/http-load.ts";
import { readAgent } from "./support/http-requests.ts";
import { startServer } from "./support/postgres.ts";
import { type RunningService, startService } from "./support/service.ts";
import { figure, times } from "./support/statistics.ts";
import { table } from "./support/table.ts";
import { startWorker } from "./support/worker.ts";

const CONNECTIONS = 64;
const WARM_UP_RUNS = 2;
/** The most CPU of a counted request, as a multiple of an uncounted one. */
const MOST = 1.15;
const WHERE_IT_GOES =
  "**Where the time goes.** The difference is the turn that counts the request and the ten headers, which are written for each answer. It was 0 when a request took 31 µs (2026-11-23); since then a request that is not counted has become twice as cheap, and one that is counted a third cheaper.";
const COUNTED = { RATE_LIMIT_V1: "true", RATE_BUDGETS: "*=999999999" };

interface Figures {
  readonly perSecond: number;
  readonly p99Us: number;
  readonly cpuUs: number;
  readonly databaseUs: number;
}

interface Contestant {
  readonly name: string;
  run(): Promise<Figures>;
}

export const benchmark: Benchmark = {
  question: "What do the rate limits cost per request?",
  async run(context) {
    const load = startWorker<HttpLoad, HttpRun>(context.lifetime, "http-load.ts");
    const ask = (request: Omit<HttpLoad, "connections" | "seconds">): Promise<HttpRun> =>
      load.ask({ ...request, connections: CONNECTIONS, seconds: context.seconds });
    const without = await contestant("without limits", {}, context, ask);
    const counted = await contestant("with limits", COUNTED, context, ask);
    const both = [without, counted];
    for (let i = 0; i < WARM_UP_RUNS; i++) for (const { run } of both) await run();
    const best = new Map<Contestant, Figures>();
    for (let round = 1; round <= context.rounds; round++) {
      for (const one of both) {
        const figures = await one.run();
        best.set(one, better(best.get(one), figures));
        context.say(`round ${round}: ${one.name} ${figure(figures.perSecond)}/s, ${figure(figures.cpuUs)} µs CPU`);
      }
    }
    const head = ["contestant", "requests/s", "p99 ms", "server CPU µs", "PostgreSQL CPU µs"];
    const rows = both.map((one) => row(one.name, best.get(one)!));
    const text = `\`GET /api/v1/agents/{id}\`, ${CONNECTIONS} connections, each with its own token.\n\n${table(head, rows)}\n\n${WHERE_IT_GOES}`;
    return { text, aims: [aim(best.get(counted)!.cpuUs / best.get(without)!.cpuUs)], skipped: [] };
  },
};

async function contestant(
  name: string,
  env: Readonly<Record<string, string>>,
  { lifetime }: BenchmarkContext,
  ask: (request: Omit<HttpLoad, "connections" | "seconds">) => Promise<HttpRun>,
): Promise<Contestant> {
  const server = await startServer(lifetime);
  const service = await startService(lifetime, server, env);
  const tokens: string[] = [];
  while (tokens.length < CONNECTIONS) tokens.push(await newToken(service));
  const request = tokens.map((token) => readAgent({ ...service, token }));
  return {
    name,
    async run() {
      const [cpu, database] = [cpuOf(service.pid), cpuOfTree(server.pid)];
      const run = await ask({ port: service.port, request });
      return {
        ...run,
        cpuUs: ((cpuOf(service.pid) - cpu) * 1e6) / run.all,
        databaseUs: ((cpuOfTree(server.pid) - database) * 1e6) / run.all,
      };
    },
  };
}

async function newToken({ note }: RunningService): Promise<string> {
  const given = { options: { email: "owner@localhost" }, flags: new Set<string>() };
  const answer = await knock(note, { command: "token create", given });
  const token = answer?.ok === true ? /\bpat_\S+/.exec(answer.text)?.[0] : undefined;
  if (token === undefined) throw new Error(`no token was made: ${answer?.text}`);
  return token;
}

function better(before: Figures | undefined, run: Figures): Figures {
  if (before === undefined) return run;
  const faster = run.perSecond > before.perSecond ? run : before;
  return {
    ...faster,
    cpuUs: Math.min(before.cpuUs, run.cpuUs),
    databaseUs: Math.min(before.databaseUs, run.databaseUs),
  };
}

const row = (name: string, of: Figures): string[] => [
  name,
  figure(of.perSecond),
  figure(of.p99Us / 1_000),
  figure(of.cpuUs),
  figure(of.databaseUs),
];

const aim = (ratio: number): Aim => ({
  aim: `a request that is counted: at most ${MOST}× the server CPU of one that is not`,
  figure: times(ratio),
  holds: ratio <= MOST,
});
