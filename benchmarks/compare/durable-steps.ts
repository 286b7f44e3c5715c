/**
 * What a durable step costs: the time between the answer of the model that asks for a tool and the next question to the
 * model, and the rate and CPU of short runs.
 */
import type { Aim } from "../support/benchmark.ts";
import { figure, Samples, times } from "../support/statistics.ts";
import type { WorldNotes } from "../support/step-world.ts";
import { table } from "../support/table.ts";
import type { Worker } from "../support/worker.ts";
import { headline, type Headline } from "./headlines.ts";
import { type CommitMeans, commitMeans } from "./commits.ts";
import type { AgentSystem } from "./peers.ts";

const STEP_CALLERS = [1, 16, 64] as const;
/** What a step of ours waits for: the commit of the answer with its calls, and that of their results. */
const STEP_COMMITS = 2;
/** Tool calls of a run whose steps are measured, and of one whose rate is. */
const STEPS = 10;
const SHORT_STEPS = 3;

type World = Worker<null, WorldNotes>;

interface StepTimes {
  readonly p50: number;
  readonly p99: number;
  /** The commits meanwhile; null: the system does not count them. */
  readonly commits: CommitMeans | null;
}

interface RunCost {
  readonly perSecond: number;
  readonly cpuMs: number;
}

/** The best of all rounds, by the system and the number of callers. */
export class DurableSteps {
  private readonly steps = new Map<string, StepTimes>();
  private readonly costs = new Map<string, RunCost>();
  private readonly world: World;
  private readonly systems: readonly AgentSystem[];

  constructor(world: World, systems: readonly AgentSystem[]) {
    this.world = world;
    this.systems = systems;
  }

  /** Some runs of each system, so that the first measurement does not pay for what is compiled once. */
  async warmUp(): Promise<void> {
    for (const system of this.systems) await load(system, { callers: 4, steps: SHORT_STEPS, seconds: 1 });
  }

  async round(seconds: number, say: (line: string) => void): Promise<void> {
    for (const callers of STEP_CALLERS)
      for (const system of this.systems) {
        const key = keyOf(system.name, callers);
        const step = await measureSteps(this.world, system, { callers, steps: STEPS, seconds });
        if (step.p50 < (this.steps.get(key)?.p50 ?? Infinity)) this.steps.set(key, step);
        const cost = await measureRuns(system, { callers, steps: SHORT_STEPS, seconds });
        if (cost.perSecond > (this.costs.get(key)?.perSecond ?? 0)) this.costs.set(key, cost);
        say(
          `${key}: step ${figure(step.p50)} ms (p99 ${figure(step.p99)}), ` +
            `${figure(cost.perSecond)} runs/s, ${figure(cost.cpuMs)} ms of CPU a run`,
        );
      }
  }

  get headlines(): readonly Headline[] {
    const row = (what: string, callers: number, of: (key: string) => number | undefined): Headline =>
      headline(what, this.systems, ({ name }) => {
        const value = of(keyOf(name, callers));
        return value === undefined ? null : figure(value);
      });
    return [
      ...[1, 16].map((callers) =>
        row(`a step of an agent, ${callers} at once, p50 ms`, callers, (key) => this.steps.get(key)?.p50),
      ),
      row(`runs of ${SHORT_STEPS} steps a second, 64 at once`, 64, (key) => this.costs.get(key)?.perSecond),
      row("CPU of such a run, ms", 64, (key) => this.costs.get(key)?.cpuMs),
    ];
  }

  get text(): string {
    return stepText(this.systems, this.steps, this.costs);
  }

  get aims(): Aim[] {
    return stepAims(this.steps, this.costs);
  }
}

const keyOf = (name: string, callers: number): string => `${name}, ${callers} at once`;

interface StepLoad {
  readonly callers: number;
  readonly steps: number;
  readonly seconds: number;
}

/** Runs agents for that time, each caller one after the other; answers the number of runs. */
async function load(system: AgentSystem, { callers, steps, seconds }: StepLoad): Promise<number> {
  const end = performance.now() + seconds * 1_000;
  let runs = 0;
  const caller = async (): Promise<void> => {
    for (; performance.now() < end; runs++)
      await system.run(`steps=${steps} key=${crypto.randomUUID().replaceAll("-", "")}`);
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return runs;
}

async function measureSteps(world: World, system: AgentSystem, given: StepLoad): Promise<StepTimes> {
  await world.ask(null);
  const before = await system.commits?.();
  await load(system, given);
  const after = await system.commits?.();
  const { gaps } = await world.ask(null);
  const samples = new Samples(Math.max(1, gaps.length));
  for (const gap of gaps) samples.add(gap);
  return { ...samples.summary(), commits: before && after ? commitMeans(before, after) : null };
}

async function measureRuns(system: AgentSystem, given: StepLoad): Promise<RunCost> {
  const [cpu, from] = [system.cpu(), performance.now()];
  const runs = await load(system, given);
  return { perSecond: (runs / (performance.now() - from)) * 1_000, cpuMs: ((system.cpu() - cpu) * 1_000) / runs };
}

function stepText(
  systems: readonly AgentSystem[],
  steps: ReadonlyMap<string, StepTimes>,
  costs: ReadonlyMap<string, RunCost>,
): string {
  const head = ["system", ...STEP_CALLERS.map((callers) => `${callers} at once`)];
  const rows = (cell: (key: string) => string): string[][] =>
    systems.map(({ name }) => [name, ...STEP_CALLERS.map((callers) => cell(keyOf(name, callers)))]);
  const parts = [
    "A step, p50 and p99, in ms:",
    table(
      head,
      rows((key) => `${figure(steps.get(key)?.p50 ?? Number.NaN)} · ${figure(steps.get(key)?.p99 ?? Number.NaN)}`),
    ),
    `Runs of ${SHORT_STEPS} steps a second, on the ${navigator.hardwareConcurrency} cores of the machine:`,
    table(
      head,
      rows((key) => figure(costs.get(key)?.perSecond ?? Number.NaN)),
    ),
    "CPU of such a run, with its database, in ms:",
    table(
      head,
      rows((key) => figure(costs.get(key)?.cpuMs ?? Number.NaN)),
    ),
    "Cores that such runs keep busy. The provider, the tool and the callers need the others:",
    table(
      head,
      rows((key) =>
        figure(((costs.get(key)?.perSecond ?? Number.NaN) * (costs.get(key)?.cpuMs ?? Number.NaN)) / 1_000),
      ),
    ),
    `What a step of Troupe waits for, in ms. It makes ${STEP_COMMITS} commits in a row: the answer with its calls, then their results. ` +
      "They are counted as twice the mean commit of the measurement, which includes those that begin and end runs, so the parts are approximate. " +
      "The rest is the step's own work, and waiting for a processor and for the commit before:",
    table(
      ["at once", "a step, p50", "its commits", "changes in a commit", "the bare loop", "the rest"],
      STEP_CALLERS.flatMap((callers) => profileRow(callers, steps)),
    ),
    WHY_A_STEP_TAKES_LONGER,
    "What each system stores for a step, before the next one:",
    table(
      ["system", "stored for each step"],
      systems.map(({ name, durability }) => [name, durability]),
    ),
  ];
  return parts.join("\n\n");
}

const WHY_A_STEP_TAKES_LONGER =
  "With one run at a time, the commits are most of a step. The model is asked after the results are stored, not meanwhile, which would save about half a millisecond ([why](decisions/0067-a-model-is-asked-after-the-results-are-stored.md)). " +
  "With more runs, a commit carries the changes of several of them, so it takes longer, and steps wait for the one before: groups of small changes have one statement in flight, during which the event loop has less to do. " +
  "What that leaves unused is in the table of cores.";

function profileRow(callers: number, steps: ReadonlyMap<string, StepTimes>): string[][] {
  const ours = steps.get(keyOf("Troupe", callers));
  const bareMs = steps.get(keyOf("bare loop", callers))?.p50 ?? Number.NaN;
  if (ours === undefined || ours.commits === null) return [];
  const { p50, commits } = ours;
  const commitsMs = STEP_COMMITS * commits.ms;
  return [[String(callers), ...[p50, commitsMs, commits.groups, bareMs, p50 - commitsMs - bareMs].map(figure)]];
}

/** The ratio of ours to the peer's, as an aim; none if the peer is missing. */
function stepAims(steps: ReadonlyMap<string, StepTimes>, costs: ReadonlyMap<string, RunCost>): Aim[] {
  const step = (name: string, callers: number) => steps.get(keyOf(name, callers))?.p50;
  const cost = (name: string) => costs.get(keyOf(name, 64));
  const rows: readonly (readonly [
    aim: string,
    ours: number | undefined,
    theirs: number | undefined,
    holds: (ratio: number) => boolean,
  ])[] = [
    [
      "1 at once: a step takes at most as long as Restate's",
      step("Troupe", 1),
      step("Restate", 1),
      (ratio) => ratio <= 1,
    ],
    ["16 at once: a step takes at most as long as DBOS's", step("Troupe", 16), step("DBOS", 16), (ratio) => ratio <= 1],
    ["16 at once: and at most 1.2 times Restate's", step("Troupe", 16), step("Restate", 16), (ratio) => ratio <= 1.2],
    [
      "64 at once: at least 1.5 times the runs a second of DBOS",
      cost("Troupe")?.perSecond,
      cost("DBOS")?.perSecond,
      (ratio) => ratio >= 1.5,
    ],
    [
      "64 at once: at most 0.7 times the CPU of a run of DBOS",
      cost("Troupe")?.cpuMs,
      cost("DBOS")?.cpuMs,
      (ratio) => ratio <= 0.7,
    ],
  ];
  return rows.flatMap(([aim, ours, theirs, holds]) =>
    ours === undefined || theirs === undefined
      ? []
      : [{ aim, figure: times(ours / theirs), holds: holds(ours / theirs) }],
  );
}
