/**
 * The totals of test runs, read from the runner's own JUnit reports. As a command it prints them as
 * one line, `N passed, N failed, N skipped`, and fails when a test failed, when no test ran, or when
 * a report is missing or broken off: a run that fell over must not count as one without failures.
 *
 *   bun test/support/junit-totals.ts REPORT…
 */
import { existsSync, readFileSync } from "node:fs";

export interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Thrown where a report does not say how its run ended. */
export class ReportBroken extends Error {}

/** The totals of one report. Each is counted from the cases and must equal what the head says. */
export function totalsOf(xml: string): Totals {
  const head = /<testsuites\b([^>]*)>/.exec(xml);
  if (head === null || !xml.includes("</testsuites>")) throw new ReportBroken("the report is not whole");
  const attribute = (name: string): number => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(head[1] ?? "")?.[1] ?? "0");
  const tests = attribute("tests");
  const failed = attribute("failures") + attribute("errors");
  const skipped = attribute("skipped");
  const cases = xml.match(/<testcase\b/g)?.length ?? 0;
  if (cases !== tests) throw new ReportBroken(`the report names ${tests} tests and has ${cases}`);
  return { passed: tests - failed - skipped, failed, skipped };
}

export const sum = (totals: readonly Totals[]): Totals =>
  totals.reduce(
    (a, b) => ({ passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped }),
    { passed: 0, failed: 0, skipped: 0 },
  );

/** Zero only when tests ran and none failed. */
export const exitCodeOf = ({ passed, failed }: Totals): number => (failed > 0 || passed === 0 ? 1 : 0);

export const lineOf = ({ passed, failed, skipped }: Totals): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;

if (import.meta.main) {
  const paths = process.argv.slice(2);
  const broken: string[] = [];
  const totals = paths.flatMap((path) => {
    try {
      if (!existsSync(path)) throw new ReportBroken("there is no report");
      return [totalsOf(readFileSync(path, "utf8"))];
    } catch (cause) {
      broken.push(`${path}: ${String(cause)}`);
      return [];
    }
  });
  for (const complaint of broken) console.error(complaint);
  const all = sum(totals);
  // A run without a whole report is one failure, so that the line says so too.
  const counted = { ...all, failed: all.failed + broken.length };
  console.log(lineOf(counted));
  process.exit(paths.length === 0 ? 1 : exitCodeOf(counted));
}
