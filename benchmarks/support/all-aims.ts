/**
 * The table at the head of RESULTS.md: every aim with its figure, read from the sections below it.
 *
 * A figure from before its benchmark began to measure something else is shown as not comparable.
 */
import { table } from "./table.ts";

/** Changes of what a benchmark measures. Remove an entry after the benchmark is recorded again. */
const CHANGES: readonly { readonly names: readonly string[]; readonly day: string; readonly what: string }[] = [
  {
    names: ["stream", "fan-out", "long-chat", "webhooks"],
    day: "2026-11-26",
    what: "2026-11-26, when their workers began to run the whole service",
  },
  {
    names: ["jobs"],
    day: "2026-11-29",
    what: "2026-11-29, when an organization that is alone got 48 job slots instead of 16",
  },
];

const SECTION = /<!-- begin ([\w-]+) -->\n([^]*?)\n<!-- end \1 -->/g;
const MEASURED = /^Measured (\d{4}-\d\d-\d\d) at commit (\w+)( and changes)?/m;
const AIM = /^\| (.+) \| (.+) \| (holds|does not hold) \|$/gm;

interface Row {
  readonly section: string;
  readonly aim: string;
  readonly figure: string;
  readonly holds: boolean;
  readonly isComparable: boolean;
  readonly recorded: string;
}

function* rowsOf(results: string): Generator<Row> {
  for (const [, section = "", text = ""] of results.matchAll(SECTION)) {
    const [, day = "", commit = "", changes = ""] = MEASURED.exec(text) ?? [];
    const isComparable = !CHANGES.some((change) => change.names.includes(section) && day < change.day);
    for (const [, aim = "", figure = "", state] of text.matchAll(AIM))
      yield {
        section,
        aim,
        figure,
        holds: state === "holds",
        isComparable,
        recorded: `${day}, ${commit}${changes === "" ? "" : " +"}`,
      };
  }
}

function stateOf({ holds, isComparable }: Row): string {
  if (isComparable) return holds ? "holds" : "**does not hold**";
  return holds ? "not comparable (held)" : "not comparable (did not hold)";
}

/** The table of all aims of these results, with a line that counts them. */
export function allAims(results: string): string {
  const rows = [...rowsOf(results)];
  const comparable = rows.filter((row) => row.isComparable);
  const holding = comparable.filter((row) => row.holds);
  const old = new Set(rows.filter((row) => !row.isComparable).map(({ section }) => section));
  const open = CHANGES.map(({ names, what }) => ({ what, names: names.filter((name) => old.has(name)) })).filter(
    ({ names }) => names.length > 0,
  );
  return [
    "## All aims",
    `${rows.length} aims: ${holding.length} hold, ${comparable.length - holding.length} do not hold, ${rows.length - comparable.length} cannot be compared. *Recorded* is the day and the commit of the record; \`+\` means that the working tree had changes.`,
    ...open.map(
      ({ names, what }) => `Not comparable: ${names.map((name) => `\`${name}\``).join(", ")}, recorded before ${what}.`,
    ),
    table(
      ["section", "aim", "measured", "", "recorded"],
      rows.map((row) => [`[${row.section}](#${row.section})`, row.aim, row.figure, stateOf(row), row.recorded]),
    ),
  ].join("\n\n");
}
