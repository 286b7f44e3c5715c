/**
 * How a filtered list is read along an index in its own order. An index of a list has the organization, the columns
 * of its filters, and (created_at, id); a filter by several words is one branch for each, which PostgreSQL merges.
 * An index also answers where its last columns are not filtered by, if all their values are known: then there is
 * a branch for each of them.
 *
 *   walks: [agent, status], [status], []          branches
 *   ?agent_id=a                                   (a, queued) (a, running) (a, completed) …
 *   ?agent_id=a&status=failed                     (a, failed)
 *   ?status=failed,cancelled                      (failed) (cancelled)
 *   ?agent_id=a&workspace_id=w                    as the first, and each record is tested for w
 */
import { and, eq, inArray, type SQL } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import type { Paged, PagedList } from "./paging.ts";

/** Branches of one statement at most: each costs a descent of the index, and time to plan. */
const MAX_BRANCHES = 64;

/** A filter: the column has one of these values. */
export type Filter = readonly [column: AnyPgColumn, values: readonly string[]];

export interface Walks {
  readonly table: Paged & { readonly organizationId: AnyPgColumn };
  /** The columns of each index between the organization and (created_at, id), the most selective index first. */
  readonly indexes: readonly (readonly AnyPgColumn[])[];
  /** Columns of which all values are known. */
  readonly words?: readonly Filter[];
  /** What every record of the list meets, as the indexes say it themselves. */
  readonly standing?: SQL;
}

/** Filters of a list as far as they are given. */
export const given = (
  ...filters: readonly (readonly [AnyPgColumn, string | readonly string[] | undefined])[]
): Filter[] =>
  filters.flatMap(([column, value]): Filter[] =>
    value === undefined ? [] : [[column, typeof value === "string" ? [value] : [...new Set(value)]]],
  );

/** The list of what meets all filters. */
export function filtered(
  { table, indexes, words = [], standing }: Walks,
  organizationId: string,
  filters: readonly Filter[],
): PagedList {
  const wanted = new Map(filters);
  const known = new Map([...words, ...filters]);
  const index = indexes.find((columns) => answers(columns, wanted, known)) ?? [];
  const common = and(eq(table.organizationId, organizationId), standing);
  const branches = index.reduce<readonly (SQL | undefined)[]>(
    (before, column) =>
      before.flatMap((branch) => (known.get(column) ?? []).map((value) => and(branch, eq(column, value)))),
    [common],
  );
  const tests = filters.flatMap(([column, values]) => (index.includes(column) ? [] : [inArray(column, [...values])]));
  return { table, branches: branches.filter((branch) => branch !== undefined), tests };
}

function answers(
  columns: readonly AnyPgColumn[],
  wanted: ReadonlyMap<AnyPgColumn, unknown>,
  known: ReadonlyMap<AnyPgColumn, readonly string[]>,
): boolean {
  const [first] = columns;
  if (first === undefined || !wanted.has(first)) return false;
  const branches = columns.reduce((product, column) => product * (known.get(column)?.length ?? Infinity), 1);
  return branches <= MAX_BRANCHES;
}
