/**
 * Runs seeds of the simulation: `bun test/simulation/replay.ts SEED [COUNT [LINES]]`. Stops at the
 * first that breaks an invariant, prints the last lines of its trace, and ends with 1.
 */
import { type Report, Simulation } from "./simulation.ts";

/** What to print of a seed that broke an invariant. */
export const story = ({ seed, violation, last, trace }: Report): string =>
  [
    ...last,
    "",
    `seed ${seed}: ${violation?.message ?? "all invariants held"}`,
    `trace ${trace}`,
    `replay: bun test/simulation/replay.ts ${seed}`,
  ].join("\n");

/** The reports of `count` seeds from `first` on, up to the first broken one. */
export async function runSeeds(first: number, count: number, kept?: number): Promise<Report[]> {
  const reports: Report[] = [];
  for (let seed = first; seed < first + count; seed++) {
    const report = await new Simulation(seed, kept).run();
    reports.push(report);
    if (report.violation !== null) break;
  }
  return reports;
}

if (import.meta.main) {
  const [first = 1, count = 1, kept] = process.argv.slice(2).map(Number);
  const reports = await runSeeds(first, count, kept);
  const report = reports.at(-1)!;
  if (count === 1 || report.violation !== null) console.log(story(report));
  console.log(
    JSON.stringify({
      seeds: reports.length,
      invariant: report.violation?.invariant ?? null,
      acknowledged: reports.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
      steps: reports.reduce((sum, { steps }) => sum + steps, 0),
      faults: reports.reduce((sum, { faults }) => sum + faults, 0),
    }),
  );
  process.exit(report.violation === null ? 0 : 1);
}
