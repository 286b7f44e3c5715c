/**
 * A storm: faults in turn on replicas of ledgers under load; then calm, and the judgement of
 * everything that anybody was told. After each fault the service must work again before the next one
 * strikes.
 */
import { seededChance } from "./fake-clock.ts";
import { LedgerBench } from "./ledger-bench.ts";
import { History, judge, type Verdict } from "./ledger-history.ts";
import { Follower, LedgerLoad } from "./ledger-load.ts";
import { type FaultName, FAULTS, type StormServer } from "./storm-faults.ts";

/** Acknowledgements after a fault that show that the service works again. */
const RECOVERED = 200;

export interface StormPlan {
  readonly seed: number;
  readonly faults: readonly FaultName[];
  /** Acknowledgements to reach before the calm. */
  readonly acknowledgements: number;
  readonly liveActors?: number;
  readonly replicas?: number;
}

export interface StormReport extends Verdict {
  readonly faults: number;
  readonly acknowledged: number;
  readonly mixedBatches: number;
  readonly seconds: number;
}

/** Runs the plan on the server's database, which must be new. */
export async function runStorm(server: StormServer, plan: StormPlan): Promise<StormReport> {
  const from = performance.now();
  const options = plan.liveActors === undefined ? {} : { liveActors: plan.liveActors };
  const bench = await LedgerBench.open(server.url, options);
  try {
    for (let i = 1; i < (plan.replicas ?? 1); i++) await bench.addReplica(options);
    // A stream is read where its shard is served: readers of several replicas would have to move.
    const followers = plan.replicas === undefined ? [0, 1, 2, 3].map((i) => new Follower(bench, `l${i}`)) : [];
    const history = new History();
    await underLoad(bench, history, server, plan);
    const verdict = await judged(bench, history, followers);
    const { length: faults } = plan.faults;
    const seconds = Math.round((performance.now() - from) / 100) / 10;
    return { ...verdict, faults, seconds, acknowledged: history.acknowledged, mixedBatches: bench.notes.mixedBatches };
  } finally {
    await bench.close();
  }
}

async function underLoad(bench: LedgerBench, history: History, server: StormServer, plan: StormPlan): Promise<void> {
  const load = new LedgerLoad(bench, history, { seed: plan.seed });
  const chance = seededChance(plan.seed);
  const scene = { bench, server, draw: () => chance.fraction() };
  // The rest of the acknowledgements is spread between the faults.
  const each = Math.max(RECOVERED, Math.floor(plan.acknowledgements / (plan.faults.length + 1)));
  try {
    await load.more(each);
    for (const [i, fault] of plan.faults.entries()) {
      await FAULTS[fault](scene).catch((cause: unknown) =>
        fail(`the fault ${fault} (number ${i}) could not be made`, bench, cause),
      );
      await load
        .more(RECOVERED)
        .catch((cause: unknown) => fail(`the service does not work after ${fault} (number ${i})`, bench, cause));
      await load.more(each - RECOVERED);
    }
    await load.more(Math.max(0, plan.acknowledgements - history.acknowledged));
  } finally {
    for (const replica of bench.replicas) replica.proxy.forgive();
    await load.stop();
  }
}

async function judged(bench: LedgerBench, history: History, followers: readonly Follower[]): Promise<Verdict> {
  await bench.serving();
  const stored = await bench.stored();
  const verdict = judge(history, stored);
  const byId = new Map(stored.ledgers.map((ledger) => [ledger.id, ledger]));
  const shown = await Promise.all(
    followers.map((f) => f.finish(byId.get(f.ledger) ?? { id: f.ledger, count: 0, lastSeq: 0, events: [] })),
  );
  return { ...verdict, wrong: [...verdict.wrong, ...shown.flat(), ...bugs(bench)] };
}

/** What the runtime must not have had to say, whatever broke. */
const BUGS: ReadonlySet<string> = new Set([
  "an effect failed",
  "a message's turn failed",
  "an alarm's turn failed",
  "a message was refused",
]);
const bugs = (bench: LedgerBench): string[] =>
  said(bench).filter((line) => [...BUGS].some((bug) => line.startsWith(bug)));

const said = (bench: LedgerBench): string[] =>
  bench.replicas.flatMap(({ log }) =>
    log.map(({ message, fields }) => `${message}: ${String((fields as { err?: unknown }).err ?? "")}`),
  );

function fail(what: string, bench: LedgerBench, cause: unknown): never {
  throw new Error(`${what}; last words: ${said(bench).slice(-8).join("; ")}`, { cause });
}

/** One line for a person. */
export const summary = (name: string, report: StormReport): string =>
  `${name}: ${report.faults} faults, ${report.acknowledged} acknowledgements, ${report.lost.length} lost, ` +
  `${report.twice.length} twice, ${report.wrong.length} otherwise wrong, ${report.mixedBatches} mixed batches, ${report.seconds} s`;
