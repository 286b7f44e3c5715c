/**
 * Copies all rows of a database out and in, by COPY, for backups. The copy is one snapshot, however long it takes and
 * whatever is committed meanwhile. The sweep of contents pauses during the copy, so that all content that the snapshot
 * refers to still exists.
 *
 * Leases and shards are left out: they belong to running processes, and the next start creates its own.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Writable } from "node:stream";
import postgres, { type TransactionSql } from "postgres";
import { migrate, MigrationRefused } from "./migrate.ts";
import { referredContents } from "./stores/content-references.ts";

/** Tables of processes, not of data. */
const UNCOPIED_TABLES = ["replica", "shard"];
/** Contents in one query. */
const COPIED_PAGE = 500;

/** A table with its stored columns; PostgreSQL recomputes generated ones. */
export interface CopiedTable {
  readonly name: string;
  readonly columns: readonly string[];
}

/** Content that rows refer to. */
export interface Content {
  readonly organizationId: string;
  readonly sha256: string;
}

export interface Snapshot {
  /** The migrations that created the tables, by their times. */
  readonly migrations: readonly number[];
  /** The check value of the service's key; null if no service has ever started on the database. */
  readonly keyCheck: string | null;
  readonly tables: readonly CopiedTable[];
  /** The rows of a table in the format of COPY: each ends with a line feed and contains no other. */
  rows(table: CopiedTable): Promise<AsyncIterable<Uint8Array>>;
  contents(): AsyncIterable<readonly Content[]>;
}

/** Connections without time limits. */
const connectUntimed = (url: string): postgres.Sql =>
  postgres(url, {
    max: 1,
    onnotice: () => {},
    connection: { application_name: "troupe copy", statement_timeout: 0, idle_in_transaction_session_timeout: 0 },
  });

/** Gives `read` one snapshot of the database at `url`. */
export const inSnapshot = <T>(url: string, read: (snapshot: Snapshot) => Promise<T>): Promise<T> =>
  inTransaction(url, async (tx) => read(await snapshotIn(tx)));

/** Like `inSnapshot`, with the transaction itself, which is read-only. */
export async function inTransaction<T>(url: string, read: (tx: TransactionSql) => Promise<T>): Promise<T> {
  const guard = connectUntimed(url);
  const sql = connectUntimed(url);
  try {
    // Committed first; otherwise the sweep would wait for it.
    await guard`
      insert into sweep_position (sweep, at_rest_since, organization_id, id) values ('blobs', '', '', '')
      on conflict do nothing`;
    return (await guard.begin(async (held) => {
      // The sweep of contents works only while it holds this row.
      await held`select 1 from sweep_position where sweep = 'blobs' for update`;
      return sql.begin("isolation level repeatable read read only", async (tx) => read(tx));
    })) as T;
  } finally {
    await Promise.all([sql.end({ timeout: 5 }), guard.end({ timeout: 5 })]);
  }
}

async function snapshotIn(tx: TransactionSql): Promise<Snapshot> {
  const migrations = await tx<{ when: string }[]>`
    select created_at as when from drizzle.__drizzle_migrations order by created_at`;
  const [key] = await tx<{ check: string }[]>`select check_value as check from service_key where id = 1`;
  return {
    migrations: migrations.map(({ when }) => Number(when)),
    keyCheck: key?.check ?? null,
    tables: await tablesIn(tx),
    rows: (table) => tx.unsafe(`copy ${target(table)} to stdout`).readable(),
    contents: () => tx.unsafe<Content[]>(referredContents()).cursor(COPIED_PAGE),
  };
}

async function tablesIn(tx: TransactionSql): Promise<readonly CopiedTable[]> {
  const rows = await tx<{ name: string; columns: string[] }[]>`
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relname = any(${UNCOPIED_TABLES})
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    group by c.relname order by c.relname`;
  return rows.map(({ name, columns }) => ({ name, columns }));
}

export interface Loading {
  readonly tables: readonly CopiedTable[];
  /** Takes the rows of one table; end it before requesting the next one. */
  rows(table: CopiedTable): Promise<Writable>;
}

/** The database already has rows, or is newer than the data to load. */
export class NotEmpty extends Error {
  override readonly name = "NotEmpty";
}

/**
 * Creates the tables at `url` with these migrations, passes the empty tables to `load`, and migrates them to this
 * version. All rows are committed together, or none is. Throws `NotEmpty`, or `MigrationRefused` if this code does not
 * know all of the migrations.
 */
export async function loadDatabase<T>(
  url: string,
  migrations: readonly number[],
  load: (loading: Loading) => Promise<T>,
): Promise<T> {
  await migrateOnly(url, migrations);
  const sql = connectUntimed(url);
  let loaded: T;
  try {
    loaded = (await sql.begin(async (tx) => {
      const tables = await tablesIn(tx);
      for (const { name } of tables) {
        const [filled] = await tx`select 1 from ${tx(name)} limit 1`;
        if (filled !== undefined) throw new NotEmpty(`The database has data already (in the table ${name})`);
      }
      const loading: Loading = {
        tables,
        rows: (table) => tx.unsafe(`copy ${target(table)} from stdin`).writable(),
      };
      const done = await load(loading);
      await continueNumbers(tx);
      return done;
    })) as T;
  } finally {
    await sql.end({ timeout: 5 });
  }
  await migrate(url);
  return loaded;
}

/** Makes sequences continue after the loaded rows. */
async function continueNumbers(tx: TransactionSql): Promise<void> {
  const columns = await tx<{ table: string; column: string }[]>`
    select c.relname as table, a.attname as column from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attidentity <> ''`;
  for (const { table, column } of columns) {
    await tx`select setval(pg_get_serial_sequence(${quoteName(table)}, ${column}),
      (select coalesce(max(${tx(column)}), 0) + 1 from ${tx(table)}), false)`;
  }
}

const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const target = ({ name, columns }: CopiedTable): string => `${quoteName(name)} (${columns.map(quoteName).join(", ")})`;

/** Applies only these migrations. */
async function migrateOnly(url: string, migrations: readonly number[]): Promise<void> {
  const folder = join(import.meta.dir, "migrations");
  const journal = JSON.parse(readFileSync(join(folder, "meta", "_journal.json"), "utf8")) as {
    readonly entries: readonly { readonly when: number }[];
  };
  const wanted = new Set(migrations);
  const entries = journal.entries.filter(({ when }) => wanted.has(when));
  if (entries.length < wanted.size)
    throw new MigrationRefused("database_newer", "The data was written by a newer version. Restore it with that one.");
  const draft = mkdtempSync(join(tmpdir(), "troupe-migrations-"));
  try {
    cpSync(folder, draft, { recursive: true });
    writeFileSync(join(draft, "meta", "_journal.json"), JSON.stringify({ ...journal, entries }));
    await migrate(url, { folder: draft });
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
