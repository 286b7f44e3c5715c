/** RESULTS.md: a section for each benchmark, between two marks, which a new measurement replaces. */
import { existsSync } from "node:fs";
import type { Aim, Benchmark, Report } from "./benchmark.ts";
import { commit, loadBefore, machine } from "./machine.ts";
import { table } from "./table.ts";

const INTRODUCTION = `# Results

Written by \`bun run bench\`. Each section says on what it was measured, and what its peers do not do is in the head of
its file. Machines differ, and one machine differs from hour to hour: compare figures within one section only.
Costs are the smallest of the rounds, rates the best.
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

/** Puts the section in its place in the file, or at the end. */
export async function withSection(path: string, name: string, section: string): Promise<void> {
  const [begin, end] = [`<!-- begin ${name} -->`, `<!-- end ${name} -->`];
  const before = existsSync(path) ? await Bun.file(path).text() : INTRODUCTION;
  const block = `${begin}\n${section}\n${end}`;
  const [from, to] = [before.indexOf(begin), before.indexOf(end)];
  const text =
    from === -1 || to === -1
      ? `${before.trimEnd()}\n\n${block}\n`
      : before.slice(0, from) + block + before.slice(to + end.length);
  await Bun.write(path, text);
}
