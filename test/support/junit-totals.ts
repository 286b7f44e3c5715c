/**
 * The totals of test runs, read from the runner's own JUnit reports. As a command it prints what failed, with its
 * error, and `N passed, N failed` as the last line; before it, each on a line of its own, what was skipped and what
 * was flaky, the number of skipped tests, and that of flaky files with the first error of each. It fails when a test
 * failed, when no test ran, when a report is missing or broken off, or when its run ended with another code than 0: a
 * run that fell over must not count as one without failures.
 *
 *   bun test/support/junit-totals.ts REPORT=CODE [again:REPORT=CODE]…
 *
 * Runs with `again:` are of one file each, which failed in the run before them. A test that failed there and whose
 * file then passed is flaky: it counts as passed, and is named.
 */
import { existsSync, readFileSync } from "node:fs";
import { type Failure, failuresOf, said } from "./junit-failures.ts";

export interface Totals {
  readonly passed: number;
  readonly failed: number;
  /** The names of what was skipped, each with its file. */
  readonly skipped: readonly string[];
  /** What is known of the tests that failed. */
  readonly failures: readonly Failure[];
  readonly flaky: readonly Failure[];
}

export const NOTHING: Totals = { passed: 0, failed: 0, skipped: [], failures: [], flaky: [] };

/** A test that was skipped, in the runner's own words. */
const SKIPPED = /<testcase\b([^>]*)>\s*<skipped\b/g;

/** Thrown where a report does not say how its run ended. */
export class ReportBroken extends Error {}

/** The totals of one report. Each is counted from the cases and must equal what the head says. */
export function totalsOf(xml: string): Totals {
  const head = /<testsuites\b([^>]*)>/.exec(xml);
  if (head === null || !xml.includes("</testsuites>")) throw new ReportBroken("the report is not whole");
  const attribute = (name: string): number => Number(said(head[1] ?? "", name));
  const tests = attribute("tests");
  const failed = attribute("failures") + attribute("errors");
  const skipped = [...xml.matchAll(SKIPPED)].map(([, named = ""]) => `${said(named, "name")} (${said(named, "file")})`);
  const cases = xml.match(/<testcase\b/g)?.length ?? 0;
  if (cases !== tests) throw new ReportBroken(`the report names ${tests} tests and has ${cases}`);
  if (skipped.length !== attribute("skipped"))
    throw new ReportBroken(`the report names ${attribute("skipped")} skipped tests and has ${skipped.length}`);
  return { ...NOTHING, passed: tests - failed - skipped.length, failed, skipped, failures: failuresOf(xml) };
}

/** The totals of a run that ended with this code. One that failed outside its tests has a failure all the same. */
export function judged(totals: Totals, code: number): Totals {
  return code !== 0 && totals.failed === 0 ? { ...totals, failed: 1 } : totals;
}

/** A run, after files that failed in it ran again: of those that then passed, what failed was flaky. */
export function settled(run: Totals, passedAgain: ReadonlySet<string>): Totals {
  const flaky = run.failures.filter(({ file }) => passedAgain.has(file));
  return {
    ...run,
    passed: run.passed + flaky.length,
    failed: run.failed - flaky.length,
    failures: run.failures.filter(({ file }) => !passedAgain.has(file)),
    flaky: [...run.flaky, ...flaky],
  };
}

export const sum = (totals: readonly Totals[]): Totals =>
  totals.reduce(
    (a, b) => ({
      passed: a.passed + b.passed,
      failed: a.failed + b.failed,
      skipped: [...a.skipped, ...b.skipped],
      failures: [...a.failures, ...b.failures],
      flaky: [...a.flaky, ...b.flaky],
    }),
    NOTHING,
  );

/** Zero only when tests ran and none failed. */
export const exitCodeOf = ({ passed, failed }: Totals): number => (failed > 0 || passed === 0 ? 1 : 0);

const MOST_LINES = 60;
const withError = (word: string, { name, file, text }: Failure): string[] => [
  `${word}: ${name} (${file})`,
  ...text
    .split("\n")
    .slice(0, MOST_LINES)
    .map((line) => `    ${line}`),
];

export const linesOf = ({ passed, failed, skipped, failures, flaky }: Totals): string[] => [
  ...skipped.map((name) => `skipped: ${name}`),
  ...flaky.flatMap((one) => withError("flaky", one)),
  ...failures.flatMap((one) => withError("failed", one)),
  ...(skipped.length > 0 ? [`${skipped.length} skipped`] : []),
  ...flakyFiles(flaky),
  `${passed} passed, ${failed} failed`,
];

/** The number of files with flaky tests, and why each failed first. */
function flakyFiles(flaky: readonly Failure[]): string[] {
  const first = new Map(flaky.toReversed().map(({ file, text }) => [file, text.split("\n", 1)[0] ?? ""]));
  if (first.size === 0) return [];
  const files = [...first].toReversed().map(([file, error]) => `  ${file}: ${error}`);
  return [`${first.size} flaky ${first.size === 1 ? "file" : "files"}`, ...files];
}

function main(runs: readonly string[]): number {
  const read = (run: string): Totals => {
    const [, path = "", code = ""] = /^(?:again:)?(.+)=(\d+)$/.exec(run) ?? [];
    try {
      if (!existsSync(path)) throw new ReportBroken("there is no report");
      const totals = totalsOf(readFileSync(path, "utf8"));
      if (code !== "0" && totals.failed === 0)
        console.error(`${path}: no test failed, but the run ended with code ${code}; its output says why`);
      return judged(totals, Number(code));
    } catch (cause) {
      console.error(`${run}: ${String(cause)}`);
      // A run without a whole report is one failure, so that the line says so too.
      return { ...NOTHING, failed: 1 };
    }
  };
  const totals: Totals[] = [];
  for (const run of runs) {
    const one = read(run);
    const [, file] = /^again:(.+)=\d+$/.exec(run) ?? [];
    const before = totals.at(-1);
    if (file === undefined || before === undefined) totals.push(one);
    else if (exitCodeOf(one) === 0) totals.splice(-1, 1, settled(before, filesOf(file)));
  }
  const all = sum(totals);
  for (const line of linesOf(all)) console.log(line);
  return exitCodeOf(all);
}

/** The files that a report is about. */
const filesOf = (path: string): ReadonlySet<string> =>
  new Set(
    [...readFileSync(path, "utf8").matchAll(/<testsuite\b([^>]*)>/g)].map(([, suite = ""]) => said(suite, "file")),
  );

if (import.meta.main) process.exit(main(process.argv.slice(2)));
