/**
 * What is lost, and what is done twice, over kills with -9: runs are acknowledged all the time, all processes of the
 * system are killed again and again at moments that no run knows of, and in the end each acknowledged run must have ended.
 * Calls that were under way at a kill may be made again; no system can know whether they had an effect.
 */
import type { Aim } from "../support/benchmark.ts";
import { table } from "../support/table.ts";
import type { Worker } from "../support/worker.ts";
import type { RunRequests, WorldNotes } from "../support/step-world.ts";
import { headline, type Headline } from "./headlines.ts";
import type { AgentSystem } from "./peers.ts";

const KILLED_STEPS = 3;
/** Runs that are begun between two kills, one after the other; the kill comes when some of them are acknowledged. */
const RUNS_BETWEEN = 12;
const KILLED_AFTER = 8;
/** The end: nothing was asked for so long. */
const QUIET_MS = 12_000;
const END_LIMIT_MS = 90_000;

export interface Losses {
  readonly kills: number;
  readonly acknowledged: number;
  /** Acknowledged runs that have not ended. */
  readonly lost: number;
  /** Calls of the tool, and of the model, beyond those of runs without kills. */
  readonly repeatedTools: number;
  readonly repeatedModels: number;
}

export async function lossesOverKills(
  world: Worker<null, WorldNotes>,
  { accept, crash }: AgentSystem & { readonly accept: NonNullable<AgentSystem["accept"]> },
  kills: number,
): Promise<Losses> {
  const seen = new Map<string, RunRequests>();
  const look = async (): Promise<number> => {
    const { runs } = await world.ask(null);
    for (const [key, { models, tools, isDone }] of Object.entries(runs)) {
      const before = seen.get(key);
      seen.set(key, {
        models: models + (before?.models ?? 0),
        tools: tools + (before?.tools ?? 0),
        isDone: isDone || before?.isDone === true,
      });
    }
    return Object.keys(runs).length;
  };
  await world.ask(null);
  const acknowledged: string[] = [];
  for (let kill = 0; kill < kills; kill++) {
    const enough = Promise.withResolvers<void>();
    const beginning = (async (): Promise<void> => {
      for (let at = 0; at < RUNS_BETWEEN; at++) {
        const key = `k${kill}n${at}`;
        await accept(`steps=${KILLED_STEPS} key=${key}`);
        acknowledged.push(key);
        if (at + 1 === KILLED_AFTER) enough.resolve();
      }
    })();
    // What the kill cuts off was not acknowledged.
    const settled = Promise.allSettled([beginning]);
    await Promise.race([enough.promise, settled]);
    await crash();
    await settled;
  }
  const isOver = (): boolean => acknowledged.every((key) => seen.get(key)?.isDone === true);
  const until = performance.now() + END_LIMIT_MS;
  for (let quiet = 0; quiet < QUIET_MS && performance.now() < until && !isOver(); await Bun.sleep(500))
    quiet = (await look()) === 0 ? quiet + 500 : 0;
  await look();
  const over = (count: (run: RunRequests) => number, usual: number): number =>
    [...seen.values()].reduce((sum, run) => sum + Math.max(0, count(run) - usual), 0);
  return {
    kills,
    acknowledged: acknowledged.length,
    lost: acknowledged.filter((key) => seen.get(key)?.isDone !== true).length,
    repeatedTools: over(({ tools }) => tools, KILLED_STEPS),
    repeatedModels: over(({ models }) => models, KILLED_STEPS + 1),
  };
}

export function lossText(losses: ReadonlyMap<string, Losses>): string {
  const rows = [...losses].map(([name, { kills, acknowledged, lost, repeatedTools, repeatedModels }]) => [
    name,
    String(kills),
    `${lost} of ${acknowledged}`,
    String(repeatedTools),
    String(repeatedModels),
  ]);
  return [
    "Runs are begun while all processes of the system are killed with -9 again and again. The table counts the acknowledged runs that never ended, and the calls that were repeated (the tool is declared safe to repeat):",
    table(["system", "kills", "runs lost", "tool calls repeated", "model calls repeated"], rows),
  ].join("\n\n");
}

export const lossHeadlines = (losses: ReadonlyMap<string, Losses>): readonly Headline[] => [
  headline(
    "acknowledged runs lost over kills with -9",
    [...losses].map(([name, each]) => ({ name, ...each })),
    ({ lost, acknowledged, kills }) => `${lost} of ${acknowledged} (${kills} kills)`,
  ),
];

export function lossAims(losses: ReadonlyMap<string, Losses>): Aim[] {
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
