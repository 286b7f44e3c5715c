/** The long form of the simulation: as many seeds as TROUPE_TEST_SEEDS says, after those of the short form. */
import { expect, test } from "bun:test";
import { simulationSeeds } from "../support/simulation-seeds.ts";
import { runSeeds, story } from "./replay.ts";

const seeds = simulationSeeds();

test(`[SIM-1] the invariants hold in ${seeds} seeds`, async () => {
  const reports = await runSeeds(201, seeds);
  const last = reports.at(-1)!;
  if (last.violation !== null) throw new Error(story(last));
  expect(reports.length).toBe(seeds);
});
