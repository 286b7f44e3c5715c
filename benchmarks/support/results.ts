/** RESULTS.md: the table of all aims, then a section for each benchmark. A new measurement replaces its section. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { allAims } from "./all-aims.ts";
import type { Aim, Benchmark, Report } from "./benchmark.ts";
import { commit, loadBefore, machine } from "./machine.ts";
import { table } from "./table.ts";

const INTRODUCTION = `# Results

Written by \`bun run bench\`, which also writes these paragraphs: change them in \`benchmarks/\`, not here. Each section
says when it was measured, at which commit, on which machine, and how busy others kept the machine before. Machines
differ, and one machine differs from hour to hour, so compare figures only within one section. A cost is the lowest of the
rounds, a rate the highest. The head of each benchmark's file says what its peers leave out.

An aim is set before it is reached. One that does not hold stays as it is, and the notes of its section say where the time
goes. Some figures have two aims: one is what the machine should allow, and the one marked "aim of 0.3.0" is what that
release set out to reach. A few aims cannot be met on two cores, or only by giving up a guarantee; then the notes say so.
Figures with a date in the notes are from a profile of that day. All others are from the record.
`;

/** Describes the machine and the commit. Call it before a benchmark. */
export const circumstances = (): string =>
  `at commit ${commit()} on ${machine()}, with a load of ${loadBefore()} from others before`;

/** The length of the measurements, and the machine with the commit. */
interface MeasuredHow {
  readonly rounds: number;
  readonly seconds: number;
  readonly where: string;
}

const measuredLine = ({ rounds, seconds, where }: MeasuredHow): string =>
  `Measured ${new Date().toISOString().slice(0, 10)} ${where}; ${rounds} round${rounds === 1 ? "" : "s"} of ${seconds} s.`;
const skippedLines = ({ skipped }: Report): string[] => skipped.map((peer) => `Skipped: ${peer}.`);

export function sectionOf(name: string, { question }: Benchmark, report: Report, how: MeasuredHow): string {
  return [
    `## ${name}`,
    `**${question}** (\`benchmarks/${name}.ts\`)`,
    measuredLine(how),
    ...skippedLines(report),
    aimsTable(report.aims),
    report.text,
  ].join("\n\n");
}

/** What a page of the documentation says of a benchmark: when and where it was measured, and its tables. */
const figuresOf = (text: string, report: Report, how: MeasuredHow): string =>
  [measuredLine(how), ...skippedLines(report), text].join("\n\n");

/** Puts the tables into the page of the documentation, between the marks of this name. */
export async function withFigures(root: string, name: string, report: Report, how: MeasuredHow): Promise<void> {
  if (report.page === undefined) return;
  const path = join(root, report.page.path);
  await Bun.write(path, withBlock(await Bun.file(path).text(), name, figuresOf(report.page.text, report, how)));
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

/** Writes the introduction and the table of all aims anew, the table from the sections that are there. */
export function withAllAims(results: string): string {
  const blocks = results.slice(Math.max(0, results.indexOf("<!-- begin ")));
  return `${INTRODUCTION}\n${withBlock(blocks, "all-aims", allAims(blocks))}`;
}

/** Puts the section in its place in the file, or at the end, and updates the table of all aims. */
export async function withSection(path: string, name: string, section: string): Promise<void> {
  const before = existsSync(path) ? await Bun.file(path).text() : withAllAims("");
  await Bun.write(path, withAllAims(withBlock(before, name, section)));
}
