/** Seeds of the long simulation, by TROUPE_TEST_SEEDS. */
const SEEDS = 2_000;

export function simulationSeeds(): number {
  const text = process.env["TROUPE_TEST_SEEDS"] ?? "";
  const seeds = text === "" ? SEEDS : Number(text);
  if (!Number.isSafeInteger(seeds) || seeds < 1)
    throw new Error(`TROUPE_TEST_SEEDS is ${JSON.stringify(text)}; it must be a whole number from 1`);
  return seeds;
}
