/** Keyset paging over the record tables (GEN-3): newest first on (created_at, id). */
import { and, desc, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Page, PageRequest } from "../../actors/page.ts";
import type { RecordFields } from "../../actors/runtime/actor.ts";
import type { Database } from "../client.ts";

/** A table of records that has a `created_at`. */
type Paged = PgTable & { readonly body: AnyPgColumn; readonly createdAt: AnyPgColumn; readonly id: AnyPgColumn };

/** One page of the records of `table` that meet `conditions`. */
export async function pageOf<T extends RecordFields>(
  database: Database,
  table: Paged,
  conditions: readonly SQL[],
  { limit, after }: PageRequest,
): Promise<Page<T>> {
  const past = after === null ? [] : [sql`(${table.createdAt}, ${table.id}) < (${after.createdAt}, ${after.id})`];
  const rows = await database.query
    .select({ body: table.body })
    .from<PgTable>(table)
    .where(and(...conditions, ...past))
    .orderBy(desc(table.createdAt), desc(table.id))
    .limit(limit + 1);
  const records = rows.slice(0, limit).map((row) => row.body as T);
  const last = records.at(-1);
  const next = rows.length > limit && last !== undefined ? { createdAt: last.createdAt, id: last.id } : null;
  return { records, next };
}
