/**
 * How many durable turns a second does one process acknowledge, and what does each cost?
 *
 * A turn reads its actor's record, changes it and appends an event; it is acknowledged when both rows are committed and
 * synced. 1, 16, 64 and 256 callers in a closed loop, on one hot actor and on 1,000 actors. All contestants take turns
 * in each round, each in its own process, against one PostgreSQL with the service's settings; the best round counts.
 * CPU is that of the contestant with its callers and of PostgreSQL together.
 *
 * What each peer does not do:
 *   one transaction for each turn  no state in memory, no readers to tell, no messages and effects
 *   pgbench                        one row where a turn writes two; no state, no check, in C
 *   workerd                        one row and no event; nothing outside can read it; callers inside
 *   redis                          a number; no event, no transaction; callers of redis-benchmark in C
 */
import type { Benchmark, BenchmarkContext, Report } from "./support/benchmark.ts";
import type { Load } from "./support/callers.ts";
import { cpuOfTree } from "./support/cpu.ts";
import { openPgbench } from "./support/pgbench.ts";
import { startServer } from "./support/postgres.ts";
import { startRedis } from "./support/redis.ts";
import { figure, times } from "./support/statistics.ts";
import { table } from "./support/table.ts";
import type { TurnsRun } from "./support/turns-worker.ts";
import { startWorker } from "./support/worker.ts";
import { startWorkerd } from "./support/workerd.ts";

const CALLERS = [1, 16, 64, 256];
const KEYS = [1, 1_000];
/** The least rate with 64 callers, as a multiple of pgbench's: what group commit should give, and what 0.3.0 set out to. */
const GROUPED = 3;
const RELEASE_GROUPED = 1.5;

interface Figures {
  readonly perSecond: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly cpuUs: number;
  readonly statements?: number;
}

interface Contestant {
  readonly name: string;
  /** Null if the result does not depend on the keys: it is measured once for each number of callers. */
  run(load: Load): Promise<Figures>;
  readonly knowsKeys: boolean;
}

const OURS = "Troupe";
const TRANSACTION = "one transaction each";
const PGBENCH = "pgbench";
const WORKERD = "workerd";

export const benchmark: Benchmark = {
  question: "How many durable turns per second does one process acknowledge?",
  async run(context) {
    const { contestants, skipped } = await open(context);
    const best = new Map<string, Figures>();
    for (let round = 1; round <= context.rounds; round++) {
      for (const keys of KEYS)
        for (const callers of CALLERS) {
          for (const contestant of contestants) {
            if (!contestant.knowsKeys && keys !== KEYS[0]) continue;
            const run = await contestant.run({ callers, keys, seconds: context.seconds });
            const key = keyOf(contestant, keys, callers);
            best.set(key, better(best.get(key), run));
            context.say(
              `round ${round}: ${keys} keys, ${callers} callers: ${contestant.name} ${figure(run.perSecond)}/s`,
            );
          }
        }
    }
    return report(contestants, best, skipped);
  },
};

const keyOf = ({ name, knowsKeys }: Contestant, keys: number, callers: number): string =>
  `${name}/${knowsKeys ? keys : 0}/${callers}`;

/** The faster run, with the smallest cost of both. */
function better(before: Figures | undefined, run: Figures): Figures {
  if (before === undefined) return run;
  const faster = run.perSecond > before.perSecond ? run : before;
  return { ...faster, cpuUs: Math.min(before.cpuUs, run.cpuUs) };
}

async function open({ lifetime }: BenchmarkContext): Promise<{ contestants: Contestant[]; skipped: string[] }> {
  const server = await startServer(lifetime);
  const turns = (name: string, role: string): Contestant => {
    const worker = startWorker<Load, TurnsRun>(lifetime, "turns-worker.ts", { args: [role, server.url] });
    return {
      name,
      knowsKeys: true,
      async run(load) {
        const before = cpuOfTree(server.pid);
        const run = await worker.ask(load);
        // The server also worked during the warm-up, which is a quarter more.
        const serverUs = ((cpuOfTree(server.pid) - before) * 1e6) / (run.acknowledged * 1.25);
        return { ...run, cpuUs: run.cpuUs + serverUs };
      },
    };
  };
  const contestants = [turns(OURS, "group"), turns(TRANSACTION, "transaction")];
  const skipped: string[] = [];
  const pgbench = await openPgbench(lifetime, server);
  if (pgbench === null) skipped.push("pgbench is not installed (Debian: postgresql-contrib)");
  else
    contestants.push({ name: PGBENCH, knowsKeys: false, run: ({ callers, seconds }) => pgbench.run(callers, seconds) });
  const workerd = await startWorkerd(lifetime);
  if (workerd === null) skipped.push("workerd could not be installed from npm");
  else
    contestants.push({
      name: WORKERD,
      knowsKeys: true,
      run: ({ callers, keys, seconds }) => workerd.run(callers, keys, seconds),
    });
  const redis = await startRedis(lifetime);
  if (redis === null) skipped.push("redis-server is not installed (Debian: redis-server)");
  else
    contestants.push({
      name: "redis, appendfsync always",
      knowsKeys: true,
      run: ({ callers, keys, seconds }) => redis.run(callers, keys, seconds),
    });
  return { contestants, skipped };
}

function report(
  contestants: readonly Contestant[],
  best: ReadonlyMap<string, Figures>,
  skipped: readonly string[],
): Report {
  const of = (name: string, keys: number, callers: number): Figures | undefined => {
    const contestant = contestants.find((c) => c.name === name);
    return contestant === undefined ? undefined : best.get(keyOf(contestant, keys, callers));
  };
  const sections = KEYS.map((keys) => {
    const rows = CALLERS.flatMap((callers) =>
      contestants.flatMap(({ name }) => {
        const run = of(name, keys, callers);
        return run === undefined ? [] : [row(callers, name, run)];
      }),
    );
    const title = keys === 1 ? "One hot actor" : `${figure(keys)} actors`;
    return `${title}:\n\n${table(["callers, contestant", "turns/s", "p50 ms", "p99 ms", "CPU µs/turn", "statements/turn"], rows)}`;
  });
  const text = [...sections, PEERS, mostOfOneProcess(of), ...twoAims(of), WHERE_IT_GOES].join("\n\n");
  return { text, aims: aims(of), skipped };
}

/** The highest throughput of one process, and the cores that it and PostgreSQL use then. */
function mostOfOneProcess(of: Of): string {
  const most = KEYS.map((keys) => {
    const runs = CALLERS.flatMap((callers) => of(OURS, keys, callers) ?? []);
    const { perSecond, cpuUs } = runs.reduce((best, run) => (run.perSecond > best.perSecond ? run : best));
    const where = keys === 1 ? "one hot actor" : `${figure(keys)} actors`;
    return `${figure(perSecond)} turns a second on ${where}, with ${figure((perSecond * cpuUs) / 1e6)} cores in use`;
  });
  return `One process gives at most ${most.join(", and ")}. ${NEXT_BOUND}`;
}

/** What the two aims beside pgbench would leave for a turn. */
function twoAims(of: Of): string[] {
  const [ours, peer] = [of(OURS, 1_000, 64), of(PGBENCH, 1_000, 64)];
  if (ours === undefined || peer === undefined) return [];
  const cores = navigator.hardwareConcurrency;
  const left = (ratio: number): string => figure((cores * 1e6) / (ratio * peer.perSecond));
  return [
    `There are two aims beside pgbench. ${GROUPED}× its rate, on one actor and on 1,000, says what group commit should give. ` +
      `The aim of 0.3.0 is ${RELEASE_GROUPED}×, on 1,000 actors only. If all ${cores} cores were busy all the time, ${GROUPED}× would leave ` +
      `${left(GROUPED)} µs of CPU for a turn and ${RELEASE_GROUPED}× ${left(RELEASE_GROUPED)} µs. A turn on 1,000 actors takes ${figure(ours.cpuUs)} µs with 64 callers, with its caller and PostgreSQL.`,
  ];
}

const NEXT_BOUND =
  "The limit is one lane. Small groups of all organizations share one statement in flight, so if callers wait for each other, " +
  "the event loop and the backend of PostgreSQL take turns, and neither keeps a core busy. With one actor the loop takes longer " +
  "(64 states become one row), with 1,000 the backend does. The next limit is the single thread of the event loop. More replicas go " +
  "beyond both, because each has a loop and a lane (section `replicas`), but they divide organizations among them, never one organization.";

const row = (callers: number, name: string, run: Figures): string[] => [
  `${callers}, ${name}`,
  figure(run.perSecond),
  figure(run.p50Us / 1_000),
  figure(run.p99Us / 1_000),
  figure(run.cpuUs),
  run.statements === undefined ? "–" : figure(run.statements),
];

const PEERS =
  "pgbench has no actors, so its rows are the same in both tables. It writes one row for each turn and keeps no state; workerd stores a number and no event; redis stores a number. CPU is that of all processes; for redis and workerd it is only the server's.";

/** Taken with `perf` on 2026-11-21 to 23; the figures beside an earlier commit on 2026-11-29. */
const WHERE_IT_GOES = [
  "**Beside pgbench.** A turn stores two rows, pgbench one. PostgreSQL's CPU with 64 callers on 1,000 actors: 37 % parses the JSON of the rows, " +
    "32 % inserts events (half of it in the index), 7 % is the commit with its sync, and 4 % checks that the writer still owns its shards (2026-11-21). With one actor the 64 states of a " +
    "batch are merged into one row; with 1,000 they are 64 rows. Since 2026-11-29 a commit sends only the changed fields of a record, which helps long " +
    "records and costs these small ones: beside the commit of 2026-11-23, measured in turns, PostgreSQL takes 22.6 instead of 20.8 µs for a turn and the service 15.6 instead of 13.7. " +
    "So 64 callers on 1,000 actors make 0.91 times as many turns.",
  "The embedded PostgreSQL is compiled for size (`-Os`); `BENCH_POSTGRES=/usr/lib/postgresql/15/bin` measures with another one. Callers that get their answers " +
    "together send their next requests together, so with 64 callers the service and PostgreSQL alternate. A second lane for small groups was tried on 1,000 actors; it cost a fifth of the rate, because each batch is half as large.",
  "**Beside one transaction each.** That contestant keeps nothing in memory: a turn is one prepared statement, which many connections send at once. With one actor they " +
    "wait for each other's lock on its row; with 1,000 they do not, and both cores work for them, so the distance is smaller there.",
  "**Beside workerd.** With a single caller there is nothing to group: each turn is one statement with one sync. Each turn wakes two processes, the service and PostgreSQL " +
    "(`write` to the socket is then 44 % of the service's time), while workerd writes to a file of its own. So workerd is ahead with one caller on one actor.",
].join("\n\n");

type Of = (name: string, keys: number, callers: number) => Figures | undefined;

function aims(of: Of): { aim: string; figure: string; holds: boolean }[] {
  const ratios = (name: string, callers: readonly number[]): number[] =>
    KEYS.flatMap((keys) =>
      callers.flatMap((n) => {
        const [ours, peer] = [of(OURS, keys, n), of(name, keys, n)];
        return ours === undefined || peer === undefined ? [] : [ours.perSecond / peer.perSecond];
      }),
    );
  const atLeast = (aim: string, bound: number, found: readonly number[]) =>
    found.length === 0 ? [] : [{ aim, figure: found.map(times).join(", "), holds: Math.min(...found) >= bound }];
  const statements = KEYS.map((keys) => of(OURS, keys, 64)?.statements ?? Number.NaN);
  const onMany = ratios(PGBENCH, [64]).slice(1);
  return [
    ...atLeast("64 callers: 4× one transaction each (hot, 1,000 actors)", 4, ratios(TRANSACTION, [64])),
    ...atLeast(`64 callers: ${GROUPED}× pgbench (hot, 1,000 actors)`, GROUPED, ratios(PGBENCH, [64])),
    ...atLeast(`64 callers on 1,000 actors: ${RELEASE_GROUPED}× pgbench (aim of 0.3.0)`, RELEASE_GROUPED, onMany),
    ...atLeast("64 callers: 10× workerd (hot, 1,000 actors)", 10, ratios(WORKERD, [64])),
    ...atLeast("ahead of workerd at 1, 16, 64, 256 callers (hot; 1,000 actors)", 1, ratios(WORKERD, CALLERS)),
    {
      aim: "64 callers: at most 1/32 statement for each turn",
      figure: statements.map((s) => `1/${figure(1 / s)}`).join(", "),
      holds: statements.every((s) => s <= 1 / 32),
    },
  ];
}
