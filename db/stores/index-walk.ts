/**
 * Reads a filtered list along an index in the list's order. An index of a list has the organization, the columns of its
 * filters, and (created_at, id). A filter with several values is one branch for each, and PostgreSQL merges the
 * branches. An index whose last columns are not filtered can also be used if all their values are known: then there is
 * a branch for each value.
 *
 *   walks: [agent, status], [status], []          branches
 *   ?agent_id=a                                   (a, queued) (a, running) (a, completed) …
 *   ?agent_id=a&status=failed                     (a, failed)
 *   ?status=failed,cancelled                      (failed) (cancelled)
 *   ?agent_id=a&workspace_id=w                    like the first, and each record is tested for w
 */
import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import type { Paged, PagedList } from "./paging.ts";

/** The most branches of one statement: each costs a descent of the index, and planning time. */
const MAX_BRANCHES = 64;

/** A filter: the column has one of these values. */
export type ColumnFilter = readonly [column: AnyPgColumn, values: readonly string[]];

export interface Walks {
  readonly table: Paged & { readonly organizationId: AnyPgColumn };
  /** The columns of each index between the organization and (created_at, id), the most selective index first. */
  readonly indexes: readonly (readonly AnyPgColumn[])[];
  /** Columns whose values are all known. */
  readonly words?: readonly ColumnFilter[];
  /** The condition that every record of the list meets, written as in the indexes. */
  readonly standing?: SQL;
  /** An additional search for words. The best index depends on them, so PostgreSQL then sees all values. */
  readonly search?: SQL | undefined;
}

/** The filters of a list that are given. */
export const givenFilters = (
  ...filters: readonly (readonly [AnyPgColumn, string | readonly string[] | undefined])[]
): ColumnFilter[] =>
  filters.flatMap(([column, value]): ColumnFilter[] =>
    value === undefined ? [] : [[column, typeof value === "string" ? [value] : [...new Set(value)]]],
  );

/** The list of records that meet all filters. */
export function filterWalk(
  { table, indexes, words = [], standing, search }: Walks,
  organizationId: string,
  filters: readonly ColumnFilter[],
): PagedList {
  const wanted = new Map(filters);
  const known = new Map([...words, ...filters]);
  const index = indexes.find((columns) => answers(columns, wanted, known)) ?? [];
  const common = and(eq(table.organizationId, organizationId), standing);
  const shown = (value: string): SQL => (search === undefined ? hiddenValue(value) : sql`${value}`);
  const branches = index
    .reduce<readonly (readonly Key[])[]>(
      (before, column) =>
        before.flatMap((keys) => (known.get(column) ?? []).map((value): Key[] => [...keys, [column, shown(value)]])),
      [[]],
    )
    .map((keys) =>
      and(common, ...keys.map(([column, value]) => eq(column, value)), search ?? alongItsIndex(table, keys)),
    );
  const tests = filters.flatMap(([column, values]) => (index.includes(column) ? [] : [inArray(column, [...values])]));
  return { table, branches: branches.filter((branch) => branch !== undefined), tests };
}

/** A column of an index, and its value in a branch. */
type Key = readonly [column: AnyPgColumn, value: SQL];

/**
 * A value that the planner cannot see. Otherwise it would compare the value with its statistics. If these say that
 * nearly all records have the value, it would read the newest records of the organization, or of all: with statistics
 * that are a minute old, or from other organizations, that reads every record.
 */
const hiddenValue = (value: string): SQL => sql`(select ${value}::text)`;

/**
 * Holds for every record of the branch. The planner takes it for two tests that a third of the records pass each, and
 * only the index of these columns can evaluate them. So that index is the cheapest even if all records have the same
 * values.
 */
function alongItsIndex({ id, createdAt }: Paged, keys: readonly Key[]): SQL | undefined {
  if (keys.length === 0) return undefined;
  const columns = keys.map(([column]) => sql`${column}`);
  const values = keys.map(([, value]) => value);
  const fromTheFirst = ([...last]: readonly AnyPgColumn[]): SQL =>
    sql`(${sql.join([...columns, ...last], sql`, `)}) >= (${sql.join([...values, ...last.map(() => sql`''`)], sql`, `)})`;
  return and(fromTheFirst([createdAt]), fromTheFirst([createdAt, id]));
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
