/** What the directories over the tables share: a page of a list, and one column of the rows that pass a test. */
import type { SQL } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import type { Page, PageRequest } from "../../actors/page.ts";
import type { RecordFields } from "../../actors/runtime/actor.ts";
import { OverDatabase, type ReadKind } from "../client.ts";
import { type ColumnFilter, filterWalk, type Walks } from "./index-walk.ts";
import { type PagedList, readListPage } from "./paging.ts";

/** What a list is narrowed to, beside the condition that all of its records meet. */
interface Narrowing extends Pick<PagedList, "range" | "tests" | "whole"> {
  readonly filters?: readonly ColumnFilter[];
}

export abstract class OverTables extends OverDatabase {
  /** A page of the organization's records that pass all filters and tests, newest first. */
  protected page<T extends RecordFields>(
    walks: Walks,
    organizationId: string,
    page: PageRequest,
    { filters = [], tests = [], ...rest }: Narrowing = {},
  ): Promise<Page<T>> {
    const list = filterWalk(walks, organizationId, filters);
    const narrowed = { ...list, ...rest, tests: [...(list.tests ?? []), ...tests] };
    return readListPage<T>({ database: this.database, organizationId }, narrowed, page);
  }

  /** The values of a column, such as the bodies of records, in the rows of its table that pass the test. */
  protected async column<T>(
    at: readonly [kind: ReadKind, organizationId: string],
    column: AnyPgColumn,
    test: SQL | undefined,
    { order = [], limit }: { readonly order?: readonly SQL[]; readonly limit?: number } = {},
  ): Promise<readonly T[]> {
    const rows = await this.database.reading(...at, ({ query }) => {
      const found = query
        .select({ value: column })
        .from(column.table)
        .where(test)
        .orderBy(...order);
      return limit === undefined ? found : found.limit(limit);
    });
    return rows.map(({ value }) => value as T);
  }
}
