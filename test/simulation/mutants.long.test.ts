/** Mutants that take hundreds of seeds, one after the other. */
import { test } from "bun:test";
import { caught, mutants } from "./mutants.ts";

const SEEDS = 5_000;
const TIMEOUT_MS = 600_000;

for (const mutant of mutants().filter(({ isRare }) => isRare)) {
  test(`[SIM-3] caught in time: ${mutant.name}`, async () => console.log(await caught(mutant, SEEDS)), TIMEOUT_MS);
}
