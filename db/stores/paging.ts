/**
 * Pages of lists (GEN-3, GEN-9). A page ends at its limit of records or of bytes, whichever comes first, and
 * PostgreSQL decides it: what is beyond the page is neither sent nor parsed.
 */
import { and, desc, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import { type ListHead, type Page, PAGE_BYTES, type PageRequest } from "../../actors/page.ts";
import type { RecordFields } from "../../actors/runtime/actor.ts";
import type { Database } from "../client.ts";

/** A table of records that has a `created_at`. */
type Paged = PgTable & { readonly body: AnyPgColumn; readonly createdAt: AnyPgColumn; readonly id: AnyPgColumn };

/** Where the rows of a list come from, in which order, and how many. */
export interface ListQuery {
  readonly table: PgTable;
  /** The JSON of a record: its bytes are counted. */
  readonly body: SQL | AnyPgColumn;
  readonly conditions: readonly SQL[];
  readonly order: SQL;
  readonly limit: number;
}

/** One page of the records of `table` that meet `conditions`, newest first by keyset on (created_at, id). */
export async function pageOf<T extends RecordFields>(
  database: Database,
  table: Paged,
  conditions: readonly SQL[],
  { limit, after }: PageRequest,
): Promise<Page<T>> {
  const past = after === null ? [] : [sql`(${table.createdAt}, ${table.id}) < (${after.createdAt}, ${after.id})`];
  const order = sql`${desc(table.createdAt)}, ${desc(table.id)}`;
  const list = { table, body: table.body, conditions: [...conditions, ...past], order, limit };
  const { records, hasMore } = await headOf<T>(database, list);
  const last = records.at(-1);
  return { records, next: hasMore && last !== undefined ? { createdAt: last.createdAt, id: last.id } : null };
}

/** The beginning of a list: at least one record where there is one. */
export async function headOf<T>(
  { query }: Database,
  { table, body, conditions, order, limit }: ListQuery,
): Promise<ListHead<T>> {
  // The innermost query bounds the rows that are measured at all.
  const page = query
    .select({
      body: sql`${body}`.as("page_body"),
      place: sql<number>`row_number() over (order by ${order})`.as("place"),
    })
    .from(table)
    .where(and(...conditions))
    .orderBy(order)
    .limit(limit + 1)
    .as("page");
  const size = sql`octet_length(${page.body}::text)`;
  const measured = query
    .select({
      body: page.body,
      place: page.place,
      before: sql<number>`sum(${size}) over (order by ${page.place}) - ${size}`.as("before"),
      following: sql<number | null>`lead(${page.place}) over (order by ${page.place})`.as("following"),
    })
    .from(page)
    .as("measured");
  const rows = await query
    .select({ body: measured.body, following: measured.following })
    .from(measured)
    .where(and(sql`${measured.before} < ${PAGE_BYTES}`, sql`${measured.place} <= ${limit}`))
    .orderBy(measured.place);
  return { records: rows.map((row) => row.body as T), hasMore: (rows.at(-1)?.following ?? null) !== null };
}
