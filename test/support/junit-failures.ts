/**
 * What failed in a run of tests, read from the runner's own JUnit report, and which files are worth another run:
 * a few that failed in a run that ended in good order. As a command it names these files, one a line:
 *
 *   bun test/support/junit-failures.ts REPORT OUTPUT
 */
import { readFileSync } from "node:fs";

export interface Failure {
  /** As the runner prints it: the groups that it is in, and its own name. */
  readonly name: string;
  readonly file: string;
  /** The error and its stack. */
  readonly text: string;
}

/**
 * With more of them something is broken, and to run them again would only take time. Of the long tests, which run two
 * files at a time, several have bounds of time.
 */
const MOST_FILES = 5;

const FAILED = /<testcase\b([^>]*)>\s*<failure\b([^>]*?)(?:\/>|>([^<]*)<\/failure>)/g;
/** Below the numbers of a run: what failed outside of tests, which no report has. */
const ERRORS_OUTSIDE = /\n +\d+ pass\n(?: +\d+ \w+\n)*? +\d+ errors?\n/;

export function failuresOf(xml: string): Failure[] {
  return [...xml.matchAll(FAILED)].map(([, test = "", failure = "", text = ""]) => ({
    // The innermost group stands first.
    name: [...said(test, "classname").split(" > ").filter(Boolean).toReversed(), said(test, "name")].join(" > "),
    file: said(test, "file"),
    text: (plain(text) || said(failure, "message")).trim(),
  }));
}

/** The files to run once more; `output` is what the run has printed. */
export function filesAgain(failures: readonly Failure[], output: string): readonly string[] {
  const files = [...new Set(failures.map(({ file }) => file))];
  return files.length > MOST_FILES || ERRORS_OUTSIDE.test(output) ? [] : files;
}

/** An attribute of an element, as it was before it was escaped. */
export const said = (attributes: string, name: string): string =>
  plain(new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? "");

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
const plain = (text: string): string =>
  text.replaceAll(/&(?:#(\d+)|(\w+));/g, (whole, code: string | undefined, entity = "") =>
    code === undefined ? (ENTITIES[entity as string] ?? whole) : String.fromCodePoint(Number(code)),
  );

if (import.meta.main) {
  const [report = "", output = ""] = process.argv.slice(2);
  const failures = failuresOf(readFileSync(report, "utf8"));
  for (const file of filesAgain(failures, readFileSync(output, "utf8"))) console.log(file);
}
