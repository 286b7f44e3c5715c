/**
 * How does Troupe compare with other systems that make an agent's run durable?
 *
 * The same loop of an agent runs in all of them: the model asks for a tool, the tool answers, the result is stored, the
 * model is asked again. The provider and the tool answer at once and are one process beside them, so what is measured
 * is the system. A step is the time between the answer of the model and the next question to it.
 *
 *   Troupe     the service as an operator starts it: an agent with an HTTP tool, called by `execute` of v1
 *   Restate    its server from npm, and the loop as a handler in Node: each call is a `ctx.run`
 *   DBOS       the loop as a workflow in Node on the same PostgreSQL: each call is a `runStep`
 *   bare loop  the same in Node without durability
 *
 * Durability is the same in all but the bare loop: a step is synced to the disk before the next one. Troupe also keeps
 * the chat, its events and the usage, and checks the call; the others store a result for each call.
 */
import type { AgentSystem } from "./compare/peers.ts";
import { startSystems } from "./compare/peers.ts";
import { type Losses, lossesOverKills } from "./compare/kills.ts";
import type { Aim, Benchmark, Report } from "./support/benchmark.ts";
import { startServer } from "./support/postgres.ts";
import { figure, Samples, times } from "./support/statistics.ts";
import type { WorldNotes } from "./support/step-world.ts";
import { table } from "./support/table.ts";
import { startWorker, type Worker } from "./support/worker.ts";

const STEP_CALLERS = [1, 16, 64] as const;
/** Tool calls of a run whose steps are measured, and of one whose rate is. */
const STEPS = 10;
const SHORT_STEPS = 3;
/** Kills of a system for each round. */
const ROUND_KILLS = 7;

type World = Worker<null, WorldNotes>;

interface StepTimes {
  readonly p50: number;
  readonly p99: number;
}

interface RunCost {
  readonly perSecond: number;
  readonly cpuMs: number;
}

export const benchmark: Benchmark = {
  question: "How does Troupe compare with other systems that make an agent's run durable?",
  async run({ lifetime, rounds, seconds, say }): Promise<Report> {
    const server = await startServer(lifetime);
    const world: World = startWorker(lifetime, "step-world.ts");
    const { port } = await world.ask(null);
    const { systems, skipped } = await startSystems(lifetime, server, port);
    for (const system of systems) await load(system, { callers: 4, steps: SHORT_STEPS, seconds: 1 });
    const steps = new Map<string, StepTimes>();
    const costs = new Map<string, RunCost>();
    for (let round = 1; round <= rounds; round++)
      for (const callers of STEP_CALLERS)
        for (const system of systems) {
          const key = keyOf(system.name, callers);
          const step = await measureSteps(world, system, { callers, steps: STEPS, seconds });
          if (step.p50 < (steps.get(key)?.p50 ?? Infinity)) steps.set(key, step);
          const cost = await measureRuns(system, { callers, steps: SHORT_STEPS, seconds });
          if (cost.perSecond > (costs.get(key)?.perSecond ?? 0)) costs.set(key, cost);
          say(
            `round ${round}: ${key}: step ${figure(step.p50)} ms (p99 ${figure(step.p99)}), ` +
              `${figure(cost.perSecond)} runs/s, ${figure(cost.cpuMs)} ms of CPU a run`,
          );
        }
    const losses = new Map<string, Losses>();
    for (const system of systems) {
      const { accept, name } = system;
      if (accept === null) continue;
      const lost = await lossesOverKills(world, { ...system, accept }, rounds * ROUND_KILLS);
      losses.set(name, lost);
      say(`${name}: ${lost.lost} of ${lost.acknowledged} runs lost over ${lost.kills} kills`);
    }
    return {
      text: `${stepText(systems, steps, costs)}\n\n${lossText(losses)}`,
      aims: [...stepAims(steps, costs), ...lossAims(losses)],
      skipped,
    };
  },
};

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
  await load(system, given);
  const { gaps } = await world.ask(null);
  const samples = new Samples(Math.max(1, gaps.length));
  for (const gap of gaps) samples.add(gap);
  return samples.summary();
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
    "What is durable:",
    table(
      ["system", "stored for each step"],
      systems.map(({ name, durability }) => [name, durability]),
    ),
  ];
  return parts.join("\n\n");
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

function lossText(losses: ReadonlyMap<string, Losses>): string {
  const rows = [...losses].map(([name, { kills, acknowledged, lost, repeatedTools, repeatedModels }]) => [
    name,
    String(kills),
    `${lost} of ${acknowledged}`,
    String(repeatedTools),
    String(repeatedModels),
  ]);
  return [
    `All processes of a system killed with -9 again and again while runs are begun. Acknowledged runs that did not end, and calls that were made again:`,
    table(["system", "kills", "runs lost", "tool calls repeated", "model calls repeated"], rows),
  ].join("\n\n");
}

function lossAims(losses: ReadonlyMap<string, Losses>): Aim[] {
  const ours = losses.get("Troupe");
  if (ours === undefined) return [];
  return [
    {
      aim: "kills with -9: no acknowledged run is lost",
      figure: `${ours.lost} lost over ${ours.kills}`,
      holds: ours.lost === 0,
    },
  ];
}
