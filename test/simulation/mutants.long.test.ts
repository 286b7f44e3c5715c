/** The mutants for which the fast tests have no time: first those of a few seeds, then those of hundreds. */
import { test } from "bun:test";
import { caught, mutants, QUICK_MUTANTS } from "./mutants.ts";

const SEEDS = 200;
const SEEDS_OF_RARE = 5_000;
const TIMEOUT_MS = 600_000;

const rest = mutants().filter(({ name }) => !QUICK_MUTANTS.has(name));

for (const mutant of rest.filter(({ isRare }) => !isRare)) {
  test.concurrent(`[SIM-3] caught: ${mutant.name}`, async () => console.log(await caught(mutant, SEEDS)), TIMEOUT_MS);
}

for (const mutant of rest.filter(({ isRare }) => isRare)) {
  test(
    `[SIM-3] caught in time: ${mutant.name}`,
    async () => console.log(await caught(mutant, SEEDS_OF_RARE)),
    TIMEOUT_MS,
  );
}
