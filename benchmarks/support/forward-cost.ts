/**
 * The cost of a forward: two replicas, each with its own load generator. In a direct run each is asked for its own
 * organizations, in a forwarded run for the other's. So both replicas do the same work at the same load in both runs;
 * only the way differs. The runs alternate, and the result is the CPU of both replicas for each answer.
 */
import { cpuOf } from "./cpu.ts";
import type { HttpLoad, HttpRun } from "./http-load.ts";
import type { BenchReplica, BenchReplicas, FoundOrganization } from "./replicas.ts";
import { percentile } from "./statistics.ts";
import type { Worker } from "./worker.ts";

/** A forward uses other code than a direct request, which is compiled after some ten thousand of them. */
const WARM_UP_SECONDS = 5;

type Loads = readonly Worker<HttpLoad, HttpRun>[];
export type RequestOf = (organization: FoundOrganization) => string;

/** The first two replicas, and what each owns. */
export interface Pair {
  readonly replicas: readonly [BenchReplica, BenchReplica];
  readonly owned: readonly [readonly FoundOrganization[], readonly FoundOrganization[]];
}

export interface ForwardCost {
  /** Connections to each replica. */
  readonly connections: number;
  readonly direct: Way;
  readonly forwarded: Way;
  /** The CPU of a forwarded request as a multiple of the direct one of the same round: the median of the rounds. */
  readonly beside: number;
}

interface Way {
  /** CPU of both replicas, for each answer. */
  readonly cpuUs: number;
  readonly perSecond: number;
  readonly p99Us: number;
}

export async function pairOf(replicas: BenchReplicas): Promise<Pair> {
  const [first, second] = replicas.all;
  if (first === undefined || second === undefined) throw new Error("a forward needs two replicas");
  return {
    replicas: [first, second],
    owned: [await replicas.ownedBy(first), await replicas.ownedBy(second)],
  };
}

/** Measures in several rounds, after a warm-up round. */
export async function forwardCost(
  pair: Pair,
  loads: Loads,
  how: {
    readonly requestOf: RequestOf;
    readonly connections: number;
    readonly rounds: number;
    readonly seconds: number;
  },
): Promise<ForwardCost> {
  const ways: { readonly direct: Way[]; readonly forwarded: Way[] } = { direct: [], forwarded: [] };
  for (let round = 0; round <= how.rounds; round++) {
    const order = round % 2 === 0 ? (["direct", "forwarded"] as const) : (["forwarded", "direct"] as const);
    for (const way of order) {
      const seconds = round === 0 ? Math.max(how.seconds, WARM_UP_SECONDS) : how.seconds;
      const run = await asked(pair, loads, way === "forwarded", { ...how, seconds });
      if (round > 0) ways[way].push(run);
    }
  }
  const ratios = ways.forwarded.map(({ cpuUs }, i) => cpuUs / ways.direct[i]!.cpuUs).toSorted((a, b) => a - b);
  return {
    connections: how.connections,
    direct: best(ways.direct),
    forwarded: best(ways.forwarded),
    beside: percentile(ratios, 0.5),
  };
}

async function asked(
  { replicas, owned }: Pair,
  loads: Loads,
  isCrossed: boolean,
  {
    requestOf,
    connections,
    seconds,
  }: { readonly requestOf: RequestOf; readonly connections: number; readonly seconds: number },
): Promise<Way> {
  const cpu = (): number => replicas.reduce((sum, { pid }) => sum + cpuOf(pid), 0);
  const before = cpu();
  const runs = await Promise.all(
    replicas.map(({ port }, i) => {
      const request = owned[isCrossed ? 1 - i : i]!.map(requestOf);
      return loads[i]!.ask({ port, request, connections, seconds });
    }),
  );
  const sum = (of: (run: HttpRun) => number): number => runs.reduce((total, run) => total + of(run), 0);
  return {
    cpuUs: ((cpu() - before) * 1e6) / sum((run) => run.all),
    perSecond: sum((run) => run.perSecond),
    p99Us: Math.max(...runs.map((run) => run.p99Us)),
  };
}

const best = (ways: readonly Way[]): Way =>
  ways.reduce((one, other) => ({
    ...(other.perSecond > one.perSecond ? other : one),
    cpuUs: Math.min(one.cpuUs, other.cpuUs),
  }));
