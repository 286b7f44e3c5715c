/**
 * What do several replicas gain, what does a forwarded request cost, and how long does a take-over take?
 *
 * One PostgreSQL, and one to three processes of the service that divide 24 organizations between them. Each replica
 * gets its own organizations' requests over 16 connections from its own load generator. On a machine with two cores the
 * generators share them with the replicas and PostgreSQL, so the result is the CPU for each answer, not the rate. A
 * forwarded request arrives at the replica that does not own its organization: two replicas alternately get requests
 * for their own and for each other's organizations, at the same load (`support/forward-cost.ts`). A take-over is the
 * time from the end of the owner to the first answer of another replica for the organization: after kill -9, where the
 * others must detect the death, and after SIGTERM, which hands over. Under load each organization has a client that
 * writes; the same load without a drain is the baseline.
 */
import type { Aim, Benchmark, BenchmarkContext } from "./support/benchmark.ts";
import { cpuOf } from "./support/cpu.ts";
import { forwardCost, type ForwardCost, pairOf } from "./support/forward-cost.ts";
import { type DrainGaps, drainGaps } from "./support/drain-gaps.ts";
import type { HttpLoad, HttpRun } from "./support/http-load.ts";
import { createTask, get } from "./support/http-requests.ts";
import { startServer } from "./support/postgres.ts";
import { type BenchReplica, BenchReplicas, type FoundOrganization } from "./support/replicas.ts";
import { figure, percentile, times } from "./support/statistics.ts";
import { table } from "./support/table.ts";
import { startWorker, type Worker } from "./support/worker.ts";

const MOST_REPLICAS = 3;
const ORGANIZATIONS = 24;
const CONNECTIONS = 16;
/**
 * Connections to each replica when forwards are measured: with more connections, more forwards share a message. The aim
 * applies to each.
 */
const FORWARD_CONNECTIONS = [64, 16] as const;
/** Each round of forwards consists of several short ones, so that other load on the machine affects both ways alike. */
const FORWARD_ROUNDS = 4;
/** The CPU of a forwarded read, as a multiple of a direct one. */
const MOST_FORWARD = 1.4;
/** A takeover after a kill, as a multiple of a lease of 3 s. */
const MOST_TAKE_OVER_MS = 3_600;
const MOST_DRAIN_MS = 150;
/** Take-overs of each kind in a round. */
const TAKE_OVERS = 3;

const REQUESTS = {
  "read a task": ({ token, taskId }: FoundOrganization) => get(`/api/tasks/${taskId}`, token),
  "create a task": ({ token }: FoundOrganization) => createTask({ token }),
} as const;
type Kind = keyof typeof REQUESTS;

interface Figures {
  readonly perSecond: number;
  readonly p99Us: number;
  readonly cpuUs: number;
}

/** Counted and profiled (`perf`) on 2026-11-23. */
const WHERE_IT_GOES = [
  "Forwards are measured with requests to both replicas, alternately for their own organizations and for those of the other one, so both are equally busy either way. Everything that one turn of the event loop sends to the other replica is one message, signed once (HMAC). With more connections a message holds more, so a forward costs less. Streams, bodies over 64 KiB and long answers go over HTTP.",
  "**Where the CPU of a forwarded read goes** (parts of a direct read's CPU, 2026-11-23):",
  table(
    ["part", "of a direct read", "what it is"],
    [
      [
        "the owner",
        "0.7",
        "the read itself and the log line; no HTTP to parse, no `Request`, `Response` or headers to create",
      ],
      ["the forwarding replica", "0.7", "the rows below"],
      ["of which the client's HTTP", "0.2", "what a bare Bun server takes for such an answer"],
      [
        "the rest",
        "0.5",
        "the path through the router to the token, its hash and its owner, as in a direct read; the client's address (a system call of 1 µs); the headers in a frame; the message (a system call and an HMAC on each side, for all of it); an answer that is made in a later turn of the loop",
      ],
    ],
  ),
  "More than a quarter of the forwarding replica's CPU is the kernel's and half is Bun's own code; the JavaScript of the link takes a few per cent. If the owner takes 0.7, the aim of 1.4 leaves 0.7 for the forwarding replica. That is enough if many forwards share a message (64 connections), but not if few do (16).",
].join("\n\n");

type Loads = readonly Worker<HttpLoad, HttpRun>[];

export const benchmark: Benchmark = {
  question: "What do several replicas gain, what does a forward cost, and how long does a takeover take?",
  async run(context) {
    const { lifetime, say } = context;
    const loads = Array.from({ length: MOST_REPLICAS }, () => startWorker<HttpLoad, HttpRun>(lifetime, "http-load.ts"));
    const replicas = new BenchReplicas(lifetime, await startServer(lifetime));
    const direct = new Map<string, Figures>();
    const forwarded = new Map<Kind, readonly ForwardCost[]>();
    const forwards = async (kind: Kind): Promise<readonly ForwardCost[]> => {
      const pair = await pairOf(replicas);
      const costs: ForwardCost[] = [];
      for (const connections of FORWARD_CONNECTIONS) {
        const rounds = context.rounds * FORWARD_ROUNDS;
        const seconds = context.seconds / FORWARD_ROUNDS;
        const cost = await forwardCost(pair, loads, { requestOf: REQUESTS[kind], connections, rounds, seconds });
        say(`forwarded, ${connections} connections: ${kind}: ${figure(cost.forwarded.cpuUs)} µs CPU`);
        costs.push(cost);
      }
      return costs;
    };
    for (let count = 1; count <= MOST_REPLICAS; count++) {
      await replicas.join();
      await replicas.found(ORGANIZATIONS);
      for (const kind of Object.keys(REQUESTS) as Kind[]) {
        const best = await measured(context, () => owned(replicas, loads, kind, context.seconds));
        direct.set(`${count} ${kind}`, best);
        say(`${count} replicas: ${kind}: ${figure(best.perSecond)}/s, ${figure(best.cpuUs)} µs CPU`);
      }
      if (count === 2) for (const kind of Object.keys(REQUESTS) as Kind[]) forwarded.set(kind, await forwards(kind));
    }
    const takeOvers = { "kill -9": [] as number[], SIGTERM: [] as number[] };
    for (let n = 0; n < TAKE_OVERS * context.rounds; n++)
      for (const [name, signal] of [
        ["kill -9", "SIGKILL"],
        ["SIGTERM", "SIGTERM"],
      ] as const) {
        takeOvers[name].push(await takeOver(replicas, signal));
        say(`takeover after ${name}: ${figure(takeOvers[name].at(-1)!)} ms`);
      }
    const gaps = await drainGaps(replicas, TAKE_OVERS * context.rounds);
    say(`a drain under load: ${figure(p99(gaps.drained))} ms, without a drain ${figure(p99(gaps.calm))} ms`);
    const takenOver = `${told(direct, forwarded, takeOvers)}\n\n${underLoad(gaps)}\n\n${WHERE_IT_GOES}`;
    return { text: takenOver, aims: [...aimsOf(forwarded, takeOvers), aimOf(gaps)], skipped: [] };
  },
};

/** Asks each replica for what it owns. */
async function owned(replicas: BenchReplicas, loads: Loads, kind: Kind, seconds: number): Promise<Figures> {
  return asked(
    replicas,
    await Promise.all(
      replicas.all.map(async (replica, i) => [loads[i]!, replica, await replicas.ownedBy(replica)] as const),
    ),
    kind,
    seconds,
  );
}

async function asked(
  { all }: BenchReplicas,
  askers: readonly (readonly [Worker<HttpLoad, HttpRun>, BenchReplica, readonly FoundOrganization[]])[],
  kind: Kind,
  seconds: number,
): Promise<Figures> {
  const cpu = (): number => all.reduce((sum, { pid }) => sum + cpuOf(pid), 0);
  const before = cpu();
  const runs = await Promise.all(
    askers.map(([load, { port }, organizations]) => {
      const request = organizations.map((organization) => REQUESTS[kind](organization));
      return load.ask({ port, request, connections: CONNECTIONS, seconds });
    }),
  );
  const sum = (of: (run: HttpRun) => number): number => runs.reduce((total, run) => total + of(run), 0);
  return {
    perSecond: sum((run) => run.perSecond),
    p99Us: Math.max(...runs.map((run) => run.p99Us)),
    cpuUs: ((cpu() - before) * 1e6) / sum((run) => run.all),
  };
}

/** The best of the rounds, after a warm-up round. */
async function measured({ rounds }: BenchmarkContext, run: () => Promise<Figures>): Promise<Figures> {
  await run();
  let best = await run();
  for (let round = 1; round < rounds; round++) {
    const next = await run();
    best = { ...(next.perSecond > best.perSecond ? next : best), cpuUs: Math.min(best.cpuUs, next.cpuUs) };
  }
  return best;
}

/**
 * Ends the last replica; answers the ms until the first replica answers for one of its organizations, or the longest
 * gap between two answers.
 */
async function takeOver(replicas: BenchReplicas, signal: NodeJS.Signals): Promise<number> {
  const [organization] = await replicas.ownedBy(replicas.all.at(-1)!);
  if (organization === undefined) throw new Error("the last replica owns no organization");
  const url = `${replicas.all[0]!.url}/api/tasks?limit=1`;
  const headers = { authorization: `Bearer ${organization.token}` };
  const ask = async (): Promise<boolean> => (await fetch(url, { headers }).catch(() => null))?.ok === true;
  await ask();
  let last = performance.now();
  let longest = 0;
  const startAgain = replicas.end(signal);
  // A drain hands over within two seconds; a kill is over with the first answer.
  const until = last + (signal === "SIGTERM" ? 3_000 : 30_000);
  while (performance.now() < until) {
    if (await ask()) {
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
      if (signal === "SIGKILL") break;
    }
    await Bun.sleep(1);
  }
  await startAgain();
  return longest;
}

function told(
  direct: ReadonlyMap<string, Figures>,
  forwarded: ReadonlyMap<Kind, readonly ForwardCost[]>,
  takeOvers: Readonly<Record<string, readonly number[]>>,
): string {
  const row = (name: string, { perSecond, p99Us, cpuUs }: Figures, beside: number): string[] => [
    name,
    figure(perSecond),
    figure(p99Us / 1_000),
    figure(cpuUs),
    times(cpuUs / beside),
  ];
  const rows = (Object.keys(REQUESTS) as Kind[]).flatMap((kind) => {
    const one = direct.get(`1 ${kind}`)!.cpuUs;
    const counts = Array.from({ length: MOST_REPLICAS }, (_, i) => i + 1);
    return counts.map((count) =>
      row(`${kind}, ${count} replica${count > 1 ? "s" : ""}`, direct.get(`${count} ${kind}`)!, one),
    );
  });
  const head = ["requests", "answers/s", "p99 ms", "CPU µs of all replicas", "beside one replica"];
  const ways = (Object.keys(REQUESTS) as Kind[]).flatMap((kind) =>
    forwarded
      .get(kind)!
      .map(({ connections, direct: own, forwarded: other, beside }) => [
        `${kind}, ${connections} connections to each of 2 replicas`,
        figure(own.cpuUs),
        figure(other.cpuUs),
        times(beside),
        figure(own.p99Us / 1_000),
        figure(other.p99Us / 1_000),
      ]),
  );
  const wayHead = [
    "requests",
    "direct, CPU µs",
    "forwarded, CPU µs",
    "beside direct",
    "direct p99 ms",
    "forwarded p99 ms",
  ];
  const times_ = Object.entries(takeOvers).map(([name, all]) => {
    const sorted = all.toSorted((a, b) => a - b);
    return [name, String(all.length), figure(percentile(sorted, 0.5)), figure(sorted.at(-1)!)];
  });
  return `${table(head, rows)}\n\n${table(wayHead, ways)}\n\n${table(["takeover after", "times", "median ms", "longest ms"], times_)}`;
}

const sortedOf = (gaps: readonly number[]): readonly number[] => gaps.toSorted((a, b) => a - b);
const p99 = (gaps: readonly number[]): number => percentile(sortedOf(gaps), 0.99);

function underLoad({ calm, drained, joined, failed, perSecond }: DrainGaps): string {
  const row = (name: string, gaps: readonly number[]): string[] => [
    name,
    figure(percentile(sortedOf(gaps), 0.5)),
    figure(p99(gaps)),
    figure(Math.max(...gaps)),
  ];
  const head = ["longest time without an answer, of each organization", "median ms", "p99 ms", "longest ms"];
  const rows = [row("no drain", calm), row("a replica drains", drained), row("it restarts and joins", joined)];
  return `Under load: ${ORGANIZATIONS} organizations with one client each, which writes every 20 ms through the remaining replicas (${figure(perSecond)} answers/s, ${failed} of them errors).\n\n${table(head, rows)}`;
}

function aimOf({ drained }: DrainGaps): Aim {
  const longest = p99(drained);
  return {
    aim: `a drain under load: at p99 of all organizations, never more than ${MOST_DRAIN_MS} ms without an answer`,
    figure: `${figure(longest)} ms`,
    holds: longest <= MOST_DRAIN_MS,
  };
}

function aimsOf(
  forwarded: ReadonlyMap<Kind, readonly ForwardCost[]>,
  takeOvers: Readonly<Record<"kill -9" | "SIGTERM", readonly number[]>>,
): Aim[] {
  const forward = Math.max(...forwarded.get("read a task")!.map(({ beside }) => beside));
  const [killed, drained] = [Math.max(...takeOvers["kill -9"]), Math.max(...takeOvers.SIGTERM)];
  return [
    {
      aim: `a forwarded read: at most ${MOST_FORWARD}× the CPU of a direct one`,
      figure: times(forward),
      holds: forward <= MOST_FORWARD,
    },
    {
      aim: `after kill -9: an answer within ${MOST_TAKE_OVER_MS} ms`,
      figure: `${figure(killed)} ms`,
      holds: killed <= MOST_TAKE_OVER_MS,
    },
    {
      aim: `a drain: never more than ${MOST_DRAIN_MS} ms without an answer`,
      figure: `${figure(drained)} ms`,
      holds: drained <= MOST_DRAIN_MS,
    },
  ];
}
