/** RESULTS.md: the table of all aims, then a section for each benchmark. A new measurement replaces its section. */
import { existsSync } from "node:fs";
import { allAims } from "./all-aims.ts";
import type { Aim, Benchmark, Report } from "./benchmark.ts";
import { commit, loadBefore, machine } from "./machine.ts";
import { table } from "./table.ts";

const INTRODUCTION = `# Results

Written by \`bun run bench\`. Each section names its machine and its commit. The head of each benchmark's file says what
its peers leave out. Machines differ, and one machine differs from hour to hour, so compare figures only within one
section. A cost is the lowest of the rounds, a rate the highest.
`;

/** Describes the machine and the commit. Call it before a benchmark. */
export const circumstances = (): string =>
  `at commit ${commit()} on ${machine()}, with a load of ${loadBefore()} from others before`;

export function sectionOf(
  name: string,
  { question }: Benchmark,
  report: Report,
  how: { readonly rounds: number; readonly seconds: number; readonly where: string },
): string {
  const measured = `Measured ${new Date().toISOString().slice(0, 10)} ${how.where}; ${how.rounds} rounds of ${how.seconds} s.`;
  const skipped = report.skipped.map((peer) => `Skipped: ${peer}.`);
  return [
    `## ${name}`,
    `**${question}** (\`benchmarks/${name}.ts\`)`,
    measured,
    ...skipped,
    aimsTable(report.aims),
    report.text,
  ].join("\n\n");
}

const aimsTable = (aims: readonly Aim[]): string =>
  table(
    ["aim", "measured", ""],
    aims.map(({ aim, figure, holds }) => [aim, figure, holds ? "holds" : "does not hold"]),
  );

/** Replaces the text between the two marks of this name. A new name goes to the end. */
function withBlock(results: string, name: string, text: string): string {
  const [begin, end] = [`<!-- begin ${name} -->`, `<!-- end ${name} -->`];
  const block = `${begin}\n${text}\n${end}`;
  const [from, to] = [results.indexOf(begin), results.indexOf(end)];
  return from === -1 || to === -1
    ? `${results.trimEnd()}\n\n${block}\n`
    : results.slice(0, from) + block + results.slice(to + end.length);
}

/** Writes all aims anew, from the sections that are there. */
export const withAllAims = (results: string): string => withBlock(results, "all-aims", allAims(results));

/** Puts the section in its place in the file, or at the end, and updates the table of all aims. */
export async function withSection(path: string, name: string, section: string): Promise<void> {
  const before = existsSync(path) ? await Bun.file(path).text() : withAllAims(INTRODUCTION);
  await Bun.write(path, withAllAims(withBlock(before, name, section)));
}
