/** The long form of the simulation: as many seeds as TROUPE_TEST_SEEDS says, after those of the short form. */
import { expect, test } from "bun:test";
import { simulationSeeds } from "../support/simulation-seeds.ts";
import { runSeeds, story } from "./replay.ts";
import { REPLICAS_FROM } from "./simulation.ts";

const seeds = simulationSeeds();

test(`[SIM-1] the invariants hold in ${seeds} seeds`, async () => {
  const reports = await runSeeds(26, seeds);
  const last = reports.at(-1)!;
  if (last.violation !== null) throw new Error(story(last));
  expect(reports.length).toBe(seeds);
});

const among = Math.ceil(seeds / 10);

test(`[SIM-4] the invariants hold in ${among} seeds of replicas that divide the organizations between them`, async () => {
  const reports = await runSeeds(REPLICAS_FROM + 6, among);
  const last = reports.at(-1)!;
  if (last.violation !== null) throw new Error(story(last));
  expect(reports.length).toBe(among);
});
