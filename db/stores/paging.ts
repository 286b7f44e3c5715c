/**
 * Pages of lists (GEN-3, GEN-9). A page ends at its limit of records or of bytes, or when it has examined ten times its
 * limit of records, whichever comes first. PostgreSQL decides this, so nothing beyond the page is sent or parsed.
 *
 * Each list is read along an index in the list's order (`index-walk.ts`), so that a page costs the same however many
 * records there are. Conditions that no index covers (who may see a record; a second filter beside the first) are tests
 * on the examined records. If few pass, the page has fewer records than `limit`, and the next page continues after the
 * last examined record (docs/decisions/0027-lists-walk-an-index.md).
 */
import { and, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import { assert } from "../../actors/assert.ts";
import { parseStored } from "../../actors/exact-json.ts";
import { type ListHead, type Page, LIST_PAGE_BYTES, type PageRequest } from "../../actors/page.ts";
import type { RecordFields } from "../../actors/runtime/actor.ts";
import type { Database } from "../client.ts";

/** Records that a page may examine for each one of its limit. */
export const LOOKS_PER_RECORD = 10;

/** A table of records with a `created_at`. */
export type Paged = PgTable & { readonly body: AnyPgColumn; readonly createdAt: AnyPgColumn; readonly id: AnyPgColumn };

/** A list newest first, by keyset on (created_at, id). */
export interface PagedList {
  readonly table: Paged;
  /** The list is the union of these, each in the order of an index: `branchesOf`. */
  readonly branches: readonly SQL[];
  /** A bound of `created_at`. */
  readonly range?: SQL | undefined;
  /** Additional conditions on a record of a branch, on columns of `table`. */
  readonly tests?: readonly (SQL | undefined)[];
  /** The whole record, from `looked.body`; absent: the row has it. */
  readonly whole?: SQL;
}

/** A list by number: of messages, of events. */
export interface NumberedList {
  readonly table: PgTable;
  /** The JSON of a record, from columns of `table`: its bytes are counted. */
  readonly body: SQL | AnyPgColumn;
  /** Conditions that an index covers. */
  readonly conditions: readonly SQL[];
  /** Additional conditions on a record. */
  readonly tests?: readonly SQL[];
  /** The column with the number. */
  readonly number: string;
  readonly direction: "asc" | "desc";
  readonly limit: number;
}

/** The organization of the list, by which its connections are bounded. */
export interface ListSource {
  readonly database: Database;
  readonly organizationId: string;
}

/** One page of a list. */
export async function readListPage<T extends RecordFields>(
  source: ListSource,
  list: PagedList,
  { limit, after }: PageRequest,
): Promise<Page<T>> {
  const { createdAt, id, body } = list.table;
  const past = after === null ? undefined : sql`(${createdAt}, ${id}) < (${after.createdAt}, ${after.id})`;
  const { records, last, hasMore } = await look<T, { created_at: string; id: string }>(source, {
    table: list.table,
    walk: (looks) => mergeBranches(list, { past, order: NEWEST, limit: looks }),
    body,
    ...(list.whole === undefined ? {} : { whole: list.whole }),
    keys: sql`created_at, id`,
    order: NEWEST,
    tests: list.tests ?? [],
    limit,
  });
  const next = hasMore && last !== undefined ? { createdAt: last.created_at, id: last.id } : null;
  return { records, next };
}

/** The beginning of a list: at least one record if the list is not empty. */
export async function readListHead<T>(
  source: ListSource,
  { table, body, conditions, tests = [], number, direction, limit }: NumberedList,
): Promise<ListHead<T>> {
  const order = sql.raw(`${number} ${direction}`);
  const { records, last, hasMore } = await look<T, { number: number }>(source, {
    table,
    walk: (looks) => sql`select * from ${table} where ${and(...conditions)} order by ${order} limit ${looks}`,
    body,
    keys: sql.raw(`${number}, ${number} as number`),
    order,
    tests,
    limit,
  });
  return { records, hasMore, last: last?.number ?? null };
}

/** The newest records of a list without tests; `position` breaks ties, in the order of the commits. */
export async function newestOf<T>(source: ListSource, list: PagedList, limit: number): Promise<readonly T[]> {
  assert((list.tests ?? []).length === 0, "an index answers a list that has no pages");
  const newest = mergeBranches(list, { order: sql`created_at desc, position desc`, limit });
  return source.database.readingInto(
    "list",
    source.organizationId,
    ({ query }) => query.execute<Looked>(sql`select body::text as body from (${newest}) as newest`),
    (rows) => parsedRecords<T>(source, rows),
  );
}

const NEWEST = sql`created_at desc, id desc`;

/**
 * Merges the branches into one order. Each branch has the limit too, so PostgreSQL reads each in the order of its
 * index.
 */
function mergeBranches(
  { table, branches, range }: PagedList,
  { past, order, limit }: { readonly past?: SQL | undefined; readonly order: SQL; readonly limit: number },
): SQL {
  const each = branches.map(
    (branch) => sql`(select * from ${table} where ${and(branch, range, past)} order by ${order} limit ${limit})`,
  );
  const [only] = each;
  if (only !== undefined && each.length === 1) return only;
  return sql`select * from (${sql.join(each, sql` union all `)}) as branch order by ${order} limit ${limit}`;
}

interface Look {
  readonly table: PgTable;
  /** The first `looks` rows in the list's order. */
  readonly walk: (looks: number) => SQL;
  readonly body: SQL | AnyPgColumn;
  readonly whole?: SQL;
  /** Columns that identify a place in the list, and the columns of its order. */
  readonly keys: SQL;
  readonly order: SQL;
  readonly tests: readonly (SQL | undefined)[];
  readonly limit: number;
}

interface Looked extends Record<string, unknown> {
  /** The JSON of a record; null if the row is needed only for its place. */
  readonly body: string | null;
}

interface ExaminedRows<T, K> {
  readonly records: T[];
  /** The last examined row. */
  readonly last: (Looked & K) | undefined;
  readonly hasMore: boolean;
}

/** The page from the examined rows. PostgreSQL stops reading as soon as the page is full. */
async function look<T, K extends Record<string, unknown>>(
  source: ListSource,
  { table, walk, body, whole = sql`body`, keys, order, tests, limit }: Look,
): Promise<ExaminedRows<T, K>> {
  const looks = LOOKS_PER_RECORD * (limit + 1);
  const fits = and(...tests) ?? sql`true`;
  const page = sql`
    select *, case when fits then (${whole})::text end as text, row_number() over (order by ${order}) as place
    from (
      select ${body} as body, ${keys}, row_number() over (order by ${order}) as step, (${fits}) as fits
      from (${walk(looks)}) as ${table}) as looked
    where fits or step = ${looks}
    order by ${order} limit ${limit + 1}`;
  const size = sql`coalesce(octet_length(text), 0)`;
  const measured = sql`
    select *, sum(${size}) over (order by place) - ${size} as before, lead(place) over (order by place) as following
    from (${page}) as page`;
  return source.database.readingInto(
    "list",
    source.organizationId,
    ({ query }) =>
      query.execute<Looked>(sql`
        select text as body, ${keys}, following is not null or step = ${looks} as more
        from (${measured}) as measured
        where before < ${LIST_PAGE_BYTES} and place <= ${limit}
        order by place`),
    async (found) => {
      const rows: readonly Looked[] = found;
      const last = rows.at(-1) as (Looked & K & { readonly more: boolean }) | undefined;
      return { records: await parsedRecords<T>(source, rows), last, hasMore: last?.more === true };
    },
  );
}

/** The driver returns the JSON unparsed, because parsing a page at once would block the loop for milliseconds. */
export async function parsedRecords<T>(
  { database, organizationId }: ListSource,
  rows: readonly Pick<Looked, "body">[],
): Promise<T[]> {
  const records: T[] = [];
  await database.bulk.each(organizationId, rows, ({ body }) => {
    if (body === null) return 0;
    records.push(parseStored(body) as T);
    return body.length;
  });
  return records;
}
