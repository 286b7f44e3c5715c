/** One table of the whole comparison: a row for each question, a column for each system. Details are in its parts. */
import { table } from "../support/table.ts";

export interface Headline {
  /** The question, with its unit. */
  readonly what: string;
  /** The figure of each system that has one, by its name. */
  readonly of: ReadonlyMap<string, string>;
}

/** What a part of the comparison says. */
export interface ComparedPart {
  readonly text: string;
  readonly headlines: readonly Headline[];
}

/** Systems in the order in which they appear first, Troupe before the others. */
export function headlineTable(headlines: readonly Headline[]): string {
  const names = [...new Set(["Troupe", ...headlines.flatMap(({ of }) => [...of.keys()])])];
  return table(
    ["", ...names],
    headlines.map(({ what, of }) => [what, ...names.map((name) => of.get(name) ?? "")]),
  );
}

/** A headline of the systems that have this figure. */
export const headline = <System extends { readonly name: string }>(
  what: string,
  systems: readonly System[],
  figureOf: (system: System) => string | null,
): Headline => ({
  what,
  of: new Map(
    systems.flatMap((system) => {
      const shown = figureOf(system);
      return shown === null ? [] : [[system.name, shown] as const];
    }),
  ),
});
