/**
 * What does a request cost over HTTP: one that reads from memory, and one that commits?
 *
 * The service runs as an operator starts it, with its log, in its own process. A lean load generator in another process
 * keeps 64 connections busy. `GET /api/v1/agents/{id}` is compared with a bare `Bun.serve` that answers the same JSON,
 * by the CPU of the server for each request, because rates on two cores say more about the generator. `POST
 * /api/v1/tasks` is compared with `pgbench -M prepared` on the same PostgreSQL, with as many clients as connections.
 *
 * What each peer does not do:
 *   Bun.serve  no token, no permissions, no request id, no log line, no actor: it answers a constant
 *   pgbench    no HTTP, no JSON, no validation, no token, no log; one row of 100 bytes, in C
 */
import type { Aim, Benchmark, BenchmarkContext } from "./support/benchmark.ts";
import { cpuOf, cpuOfTree } from "./support/cpu.ts";
import type { HttpLoad, HttpRun } from "./support/http-load.ts";
import { createTask, readAgent } from "./support/http-requests.ts";
import { openPgbench } from "./support/pgbench.ts";
import { startServer } from "./support/postgres.ts";
import { startService } from "./support/service.ts";
import { figure, times } from "./support/statistics.ts";
import { table } from "./support/table.ts";
import { startWorker } from "./support/worker.ts";

const CONNECTIONS = 64;
const WARM_UP_RUNS = 2;

interface Figures {
  readonly perSecond: number;
  readonly p50Us: number;
  readonly p99Us: number;
  /** CPU of the server, without PostgreSQL. */
  readonly cpuUs: number;
  readonly databaseUs: number;
}

interface Contestant {
  readonly name: string;
  run(): Promise<Figures>;
}

const [GET, BARE, POST, PGBENCH] = [
  "GET /api/v1/agents/{id}",
  "Bun.serve, the same JSON",
  "POST /api/v1/tasks",
  "pgbench",
];

export const benchmark: Benchmark = {
  question: "What does a request over HTTP cost?",
  async run(context) {
    const { contestants, skipped } = await open(context);
    // Code is compiled during use: a service that has just started costs twice as much.
    for (let i = 0; i < WARM_UP_RUNS; i++) for (const { run } of contestants) await run();
    const best = new Map<string, Figures>();
    for (let round = 1; round <= context.rounds; round++) {
      for (const { name, run } of contestants) {
        const figures = await run();
        best.set(name, better(best.get(name), figures));
        context.say(`round ${round}: ${name} ${figure(figures.perSecond)}/s, ${figure(figures.cpuUs)} µs CPU`);
      }
    }
    const rows = contestants.map(({ name }) => row(name, best.get(name)!));
    const head = ["contestant", "requests/s", "p50 ms", "p99 ms", "server CPU µs", "PostgreSQL CPU µs"];
    return {
      text: `${CONNECTIONS} connections.\n\n${table(head, rows)}\n\n${WHERE_IT_GOES}`,
      aims: aims(best),
      skipped,
    };
  },
};

/** Taken with `perf` on 2026-11-29, with 64 connections, beside other work. */
const BY_KIND = table(
  ["CPU µs of a request", "GET, ours", "GET, bare Bun.serve", "POST, ours", "what it is"],
  [
    [
      "main thread, the kernel",
      "6.3",
      "4.9",
      "9.0",
      "one `recv` and one `send`, also in the bare server; of a POST the socket of PostgreSQL too",
    ],
    [
      "main thread, Bun's own code",
      "7.6",
      "2.0",
      "22.1",
      "the parser, objects of requests, headers and answers, SHA-256, strings, maps, JSON; of a POST the driver's buffers",
    ],
    ["main thread, compiled JavaScript", "1.7", "0", "9.9", "the pipeline; of a POST the turn and its statement"],
    ["main thread, reading the clock", "0.4", "0", "0.4", "the log line, fair shares"],
    ["other threads", "0.5", "0", "5.3", "the collector, the compiler, the log writer"],
  ],
);

const WHERE_IT_GOES = [
  `**Where a request goes** (2026-11-29):\n\n${BY_KIND}`,
  "*A GET.* The bare server reads no headers; reading the first one costs about 1.5 µs, because Bun then creates an object for all of them. A router like ours costs 0.8 µs in an otherwise bare server (2026-11-23). " +
    "The rest is the token, the agent with its view, the answer with its JSON, the log record, the stages of a request, and the accounting for fair shares. " +
    "Of the token and the agent, a hash, three lookups, and a check of the lease and of each record are left, because replies are kept with what they read (docs/decisions/0045). " +
    "A limit of 1.5× would leave about 3.4 µs for all of this, which is half of what Bun's own code takes for the headers, the hash, the strings and the JSON.",
  "*A POST* is bound by the one thread of the service, which can make no more tasks in a second than its CPU for one allows, while pgbench and its backends use both cores. All tasks belong to one organization, so its batches run one after the other. " +
    "By Bun's profiler (2026-11-23) a quarter of the main thread is Bun writing answers, a tenth the driver's socket, a tenth the batch and its statement, and a fifteenth each the token, the body and the log line; none of our functions takes 3 %.",
].join("\n\n");

function better(before: Figures | undefined, run: Figures): Figures {
  if (before === undefined) return run;
  const faster = run.perSecond > before.perSecond ? run : before;
  return {
    ...faster,
    cpuUs: Math.min(before.cpuUs, run.cpuUs),
    databaseUs: Math.min(before.databaseUs, run.databaseUs),
  };
}

async function open({
  lifetime,
  seconds,
}: BenchmarkContext): Promise<{ contestants: Contestant[]; skipped: string[] }> {
  const server = await startServer(lifetime);
  const service = await startService(lifetime, server);
  const load = startWorker<HttpLoad, HttpRun>(lifetime, "http-load.ts");
  const bare = startWorker<object, { port: number }>(lifetime, "bare-server.ts");
  const answer = await fetch(`${service.url}/api/v1/agents/${service.agentId}`, {
    headers: { authorization: `Bearer ${service.token}` },
  });
  const { port: barePort } = await bare.ask((await answer.json()) as object);
  const http = (name: string, of: { port: number; pid: number }, request: string): Contestant => ({
    name,
    async run() {
      const [cpu, database] = [cpuOf(of.pid), cpuOfTree(server.pid)];
      const run = await load.ask({ port: of.port, request, connections: CONNECTIONS, seconds });
      return {
        ...run,
        cpuUs: ((cpuOf(of.pid) - cpu) * 1e6) / run.all,
        databaseUs: ((cpuOfTree(server.pid) - database) * 1e6) / run.all,
      };
    },
  });
  const contestants = [
    http(GET, service, readAgent(service)),
    http(BARE, { port: barePort, pid: bare.pid }, readAgent(service)),
    http(POST, service, createTask(service)),
  ];
  const pgbench = await openPgbench(lifetime, server);
  if (pgbench === null) return { contestants, skipped: ["pgbench is not installed (Debian: postgresql-contrib)"] };
  const run = async (): Promise<Figures> => {
    const { cpuUs, ...figures } = await pgbench.run(CONNECTIONS, seconds);
    return { ...figures, cpuUs: Number.NaN, databaseUs: cpuUs };
  };
  return { contestants: [...contestants, { name: PGBENCH, run }], skipped: [] };
}

const row = (name: string, of: Figures): string[] => [
  name,
  figure(of.perSecond),
  figure(of.p50Us / 1_000),
  figure(of.p99Us / 1_000),
  figure(of.cpuUs),
  name === GET || name === BARE ? "–" : figure(of.databaseUs),
];

function aims(best: ReadonlyMap<string, Figures>): Aim[] {
  const [get, bare, post, pgbench] = [GET, BARE, POST, PGBENCH].map((name) => best.get(name));
  const found: Aim[] = [];
  if (get !== undefined && bare !== undefined) {
    const ratio = get.cpuUs / bare.cpuUs;
    found.push({
      aim: "GET: at most 1.5× the server CPU of bare Bun.serve",
      figure: times(ratio),
      holds: ratio <= 1.5,
    });
  }
  if (post !== undefined && pgbench !== undefined) {
    const ratio = post.perSecond / pgbench.perSecond;
    found.push({
      aim: "POST: at least as many per second as pgbench commits",
      figure: times(ratio),
      holds: ratio >= 1,
    });
  }
  return found;
}
