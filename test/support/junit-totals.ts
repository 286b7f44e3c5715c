/**
 * The totals of test runs, read from the runner's own JUnit reports. As a command it names the tests
 * that were skipped and their number, prints `N passed, N failed` as the last line, and fails when a
 * test failed, when no test ran, when a report is missing or broken off, or when its run ended with
 * another code than 0: a run that fell over must not count as one without failures.
 *
 *   bun test/support/junit-totals.ts REPORT=CODE…
 */
import { existsSync, readFileSync } from "node:fs";

export interface Totals {
  readonly passed: number;
  readonly failed: number;
  /** The names of what was skipped, each with its file. */
  readonly skipped: readonly string[];
}

/** A test that was skipped, in the runner's own words. */
const SKIPPED = /<testcase\b([^>]*)>\s*<skipped\b/g;

/** Thrown where a report does not say how its run ended. */
export class ReportBroken extends Error {}

/** The totals of one report. Each is counted from the cases and must equal what the head says. */
export function totalsOf(xml: string): Totals {
  const head = /<testsuites\b([^>]*)>/.exec(xml);
  if (head === null || !xml.includes("</testsuites>")) throw new ReportBroken("the report is not whole");
  const attribute = (name: string): number => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(head[1] ?? "")?.[1] ?? "0");
  const tests = attribute("tests");
  const failed = attribute("failures") + attribute("errors");
  const skipped = [...xml.matchAll(SKIPPED)].map(([, named = ""]) => `${said(named, "name")} (${said(named, "file")})`);
  const cases = xml.match(/<testcase\b/g)?.length ?? 0;
  if (cases !== tests) throw new ReportBroken(`the report names ${tests} tests and has ${cases}`);
  if (skipped.length !== attribute("skipped"))
    throw new ReportBroken(`the report names ${attribute("skipped")} skipped tests and has ${skipped.length}`);
  return { passed: tests - failed - skipped.length, failed, skipped };
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
/** An attribute of an element, as it was before it was escaped. */
const said = (attributes: string, name: string): string =>
  (new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? "").replaceAll(
    /&(\w+);/g,
    (whole, entity: string) => ENTITIES[entity] ?? whole,
  );

/** The totals of a run that ended with this code. One that failed outside its tests has a failure all the same. */
export function judged(totals: Totals, code: number): Totals {
  return code !== 0 && totals.failed === 0 ? { ...totals, failed: 1 } : totals;
}

export const sum = (totals: readonly Totals[]): Totals =>
  totals.reduce(
    (a, b) => ({ passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: [...a.skipped, ...b.skipped] }),
    { passed: 0, failed: 0, skipped: [] },
  );

/** Zero only when tests ran and none failed. */
export const exitCodeOf = ({ passed, failed }: Totals): number => (failed > 0 || passed === 0 ? 1 : 0);

export const linesOf = ({ passed, failed, skipped }: Totals): string[] => [
  ...skipped.map((name) => `skipped: ${name}`),
  ...(skipped.length > 0 ? [`${skipped.length} skipped`] : []),
  `${passed} passed, ${failed} failed`,
];

if (import.meta.main) {
  const runs = process.argv.slice(2);
  const complaints: string[] = [];
  const totals = runs.map((run): Totals => {
    const [, path = "", code = ""] = /^(.+)=(\d+)$/.exec(run) ?? [];
    try {
      if (!existsSync(path)) throw new ReportBroken("there is no report");
      const read = totalsOf(readFileSync(path, "utf8"));
      if (code !== "0" && read.failed === 0)
        complaints.push(`${path}: no test failed, but the run ended with code ${code}; its output says why`);
      return judged(read, Number(code));
    } catch (cause) {
      complaints.push(`${run}: ${String(cause)}`);
      // A run without a whole report is one failure, so that the line says so too.
      return { passed: 0, failed: 1, skipped: [] };
    }
  });
  for (const complaint of complaints) console.error(complaint);
  const all = sum(totals);
  for (const line of linesOf(all)) console.log(line);
  process.exit(exitCodeOf(all));
}
