/**
 * How much does a disk with slow syncs slow the service down?
 *
 * A library that is compiled and loaded into PostgreSQL adds 1 ms to each fsync and fdatasync, about the latency of a
 * network volume. `POST /api/v1/tasks` with 64 connections is compared with `pgbench -M prepared` with 64 clients, on
 * that server. PostgreSQL itself groups the commits of clients that wait for the same sync, so pgbench is not a naive
 * peer.
 *
 * What pgbench does not do: no HTTP, no JSON, no validation, no token, no log; one row, in C.
 */
import { join } from "node:path";
import type { Benchmark, Report } from "./support/benchmark.ts";
import type { HttpLoad, HttpRun } from "./support/http-load.ts";
import { createTask } from "./support/http-requests.ts";
import type { Lifetime } from "./support/lifetime.ts";
import { openPgbench } from "./support/pgbench.ts";
import { startServer } from "./support/postgres.ts";
import { startService } from "./support/service.ts";
import { figure, times } from "./support/statistics.ts";
import { table } from "./support/table.ts";
import { startWorker } from "./support/worker.ts";

const CONNECTIONS = 64;
const WARM_UP_RUNS = 3;
const ADDED_US = 1_000;

export const benchmark: Benchmark = {
  question: `How many tasks per second are created on a disk where every sync takes ${ADDED_US / 1_000} ms longer?`,
  async run({ rounds, seconds, lifetime, say }): Promise<Report> {
    const preload = compileShim(lifetime);
    if (preload === null)
      return { text: "", aims: [], skipped: ["gcc is not installed, so no slower disk can be made"] };
    const server = await startServer(lifetime, { preload });
    const pgbench = await openPgbench(lifetime, server);
    if (pgbench === null)
      return { text: "", aims: [], skipped: ["pgbench is not installed (Debian: postgresql-contrib)"] };
    const service = await startService(lifetime, server);
    const load = startWorker<HttpLoad, HttpRun>(lifetime, "http-load.ts");
    const request = createTask(service);
    const best = new Map<string, { perSecond: number; p50Us: number; p99Us: number }>();
    const contestants = [
      {
        name: "POST /api/v1/tasks",
        run: () => load.ask({ port: service.port, request, connections: CONNECTIONS, seconds }),
      },
      { name: "pgbench", run: () => pgbench.run(CONNECTIONS, seconds) },
    ];
    // Code is compiled during use: a service that has just started costs twice as much.
    for (let i = 0; i < WARM_UP_RUNS; i++) await contestants[0]?.run();
    for (let round = 1; round <= rounds; round++) {
      for (const { name, run } of contestants) {
        const figures = await run();
        if (figures.perSecond > (best.get(name)?.perSecond ?? 0)) best.set(name, figures);
        say(`round ${round}: ${name} ${figure(figures.perSecond)}/s`);
      }
    }
    const rows = [...best].map(([name, of]) => [
      name,
      figure(of.perSecond),
      figure(of.p50Us / 1_000),
      figure(of.p99Us / 1_000),
    ]);
    const [ours, theirs] = contestants.map(({ name }) => best.get(name)?.perSecond ?? Number.NaN);
    const ratio = ours! / theirs!;
    return {
      text: `${CONNECTIONS} connections.\n\n${table(["contestant", "a second", "p50 ms", "p99 ms"], rows)}\n\n${WHERE_IT_GOES}`,
      aims: [{ aim: "at least as many as pgbench", figure: times(ratio), holds: ratio >= 1 }],
      skipped: [],
    };
  },
};

/** Counted in the flush lane on 2026-11-23, on an idle machine: 9,280 tasks a second, and 16,100 of pgbench. */
const BATCH = table(
  ["ms of a batch of 32 tasks", "service", "what it is"],
  [
    ["the statement", "0.09", "its rows as JSON"],
    ["executed", "1.1", "CPU of PostgreSQL"],
    ["the sync", "1.1", "the disk"],
    [
      "wakeups and waits",
      "0.9",
      "both processes wake each other; the answer waits while the event loop answers callers",
    ],
    ["until the next one is sent", "0.17", "the outcomes of 32 groups"],
    ["all", "3.4", "beside it 2.2 ms of the service's CPU, nearly all of it one thread's"],
  ],
);

const WHERE_IT_GOES =
  "Where the time goes: all tasks belong to one organization, so only one batch is in flight at a time, and during its sync the " +
  `waiting requests send nothing new. With 64 connections a batch has 32 tasks (2026-11-23):\n\n${BATCH}\n\nEach of pgbench's 64 clients has a backend process of its own. PostgreSQL ` +
  "groups their commits as we do, and executes others meanwhile, on both cores. If the disk cost nothing, the service's single thread would be the limit. " +
  "Execution and sync could overlap, but then other connections could read what is not yet on the disk (docs/decisions/0037). The service does not allow that, so it misses this aim.";

/** Null if there is no compiler. */
function compileShim(lifetime: Lifetime): string | null {
  const compiler = Bun.which("gcc");
  if (compiler === null) return null;
  const library = join(lifetime.folder({ isOpen: true }), "slow-fsync.so");
  const source = join(import.meta.dir, "support/slow-fsync.c");
  const made = Bun.spawnSync({
    cmd: [compiler, "-shared", "-fPIC", "-O2", `-DADDED_US=${ADDED_US}`, "-o", library, source, "-ldl"],
  });
  if (!made.success) throw new Error(`the shim does not compile: ${made.stderr.toString()}`);
  return library;
}
