/** The short form of the simulation; `simulation.long.test.ts` runs more of them. */
import { expect, test } from "bun:test";
import { runSeeds, story } from "./replay.ts";
import { REPLICAS_FROM, Simulation } from "./simulation.ts";

const SEEDS = 12;
const SEEDS_AMONG_REPLICAS = 3;
/** It takes a tenth of this on an idle machine. */
const TIMEOUT_MS = 300_000;

test(
  `[SIM-1] the invariants hold in ${SEEDS} seeds, which are full of faults`,
  async () => {
    const reports = await runSeeds(1, SEEDS);
    const last = reports.at(-1)!;
    if (last.violation !== null) throw new Error(story(last));
    const sum = (of: "acknowledged" | "faults" | "commits") => reports.reduce((total, report) => total + report[of], 0);
    expect(reports.length).toBe(SEEDS);
    expect(sum("acknowledged")).toBeGreaterThan(20 * SEEDS);
    expect(sum("commits")).toBeGreaterThan(20 * SEEDS);
    expect(sum("faults")).toBeGreaterThan(10 * SEEDS);
  },
  TIMEOUT_MS,
);

test(
  `[SIM-4] the invariants hold in ${SEEDS_AMONG_REPLICAS} seeds of replicas that divide the organizations between them`,
  async () => {
    const reports = await runSeeds(REPLICAS_FROM + 1, SEEDS_AMONG_REPLICAS);
    const last = reports.at(-1)!;
    if (last.violation !== null) throw new Error(story(last));
    expect(reports.length).toBe(SEEDS_AMONG_REPLICAS);
    expect(reports.reduce((sum, { acknowledged }) => sum + acknowledged, 0)).toBeGreaterThan(10 * SEEDS_AMONG_REPLICAS);
  },
  TIMEOUT_MS,
);

test("[SIM-2] a seed replays to the same trace, and another seed to another", async () => {
  const traces = new Set<string>();
  for (const seed of [7, 8, REPLICAS_FROM + 9]) {
    const [once, again] = [await new Simulation(seed).run(), await new Simulation(seed).run()];
    expect(again).toEqual(once);
    traces.add(once.trace);
  }
  expect(traces.size).toBe(3);
});

test("[SIM-2] another process replays a seed to the same trace, and prints the command", async () => {
  const { trace } = await new Simulation(7).run();
  const run = Bun.spawn([process.execPath, new URL("replay.ts", import.meta.url).pathname, "7"], { stdout: "pipe" });
  const output = await new Response(run.stdout).text();
  expect(output).toContain(`trace ${trace}`);
  expect(output).toContain("replay: bun test/simulation/replay.ts 7");
});
