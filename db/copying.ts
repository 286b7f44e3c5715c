/**
 * All rows of a database, out and in, by COPY: for backups. What is read is one snapshot, however long it takes and
 * whatever is committed meanwhile. While it is read the sweep of contents rests, so that each content that the
 * snapshot refers to is still there.
 *
 * Leases and shards are left out: they are of the processes that live, and the next start makes its own.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Writable } from "node:stream";
import postgres, { type TransactionSql } from "postgres";
import { migrate, MigrationRefused } from "./migrate.ts";
import { referredContents } from "./stores/content-references.ts";

/** Of the processes, not of the data. */
const LEFT_OUT = ["replica", "shard"];
/** Contents that one query finds. */
const PAGE = 500;

/** A table with the columns that are stored: what PostgreSQL computes it computes again. */
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
  /** The migrations that made the tables, by their times. */
  readonly migrations: readonly number[];
  /** The check value of the key of the service; null where no service has ever started on it. */
  readonly keyCheck: string | null;
  readonly tables: readonly CopiedTable[];
  /** The rows of a table, as COPY writes them: each ends with a line feed, and has no other. */
  rows(table: CopiedTable): Promise<AsyncIterable<Uint8Array>>;
  contents(): AsyncIterable<readonly Content[]>;
}

/** Connections that may take as long as they need. */
const connect = (url: string): postgres.Sql =>
  postgres(url, {
    max: 1,
    onnotice: () => {},
    connection: { application_name: "troupe copy", statement_timeout: 0, idle_in_transaction_session_timeout: 0 },
  });

/** Gives `read` one snapshot of the database at `url`. */
export const inSnapshot = <T>(url: string, read: (snapshot: Snapshot) => Promise<T>): Promise<T> =>
  inTransaction(url, async (tx) => read(await snapshotIn(tx)));

/** As `inSnapshot`, with the transaction itself: it reads only. */
export async function inTransaction<T>(url: string, read: (tx: TransactionSql) => Promise<T>): Promise<T> {
  const guard = connect(url);
  const sql = connect(url);
  try {
    // Committed first: the sweep would otherwise wait for it.
    await guard`
      insert into sweep_position (sweep, at_rest_since, organization_id, id) values ('blobs', '', '', '')
      on conflict do nothing`;
    return (await guard.begin(async (held) => {
      // The sweep of contents works only while it has this row.
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
    contents: () => tx.unsafe<Content[]>(referredContents()).cursor(PAGE),
  };
}

async function tablesIn(tx: TransactionSql): Promise<readonly CopiedTable[]> {
  const rows = await tx<{ name: string; columns: string[] }[]>`
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relname = any(${LEFT_OUT})
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    group by c.relname order by c.relname`;
  return rows.map(({ name, columns }) => ({ name, columns }));
}

export interface Loading {
  readonly tables: readonly CopiedTable[];
  /** Takes the rows of one table; to be ended before the next one is asked for. */
  rows(table: CopiedTable): Promise<Writable>;
}

/** The database has rows already, or is newer than what is to be loaded. */
export class NotEmpty extends Error {
  override readonly name = "NotEmpty";
}

/**
 * Makes the tables at `url` as these migrations made them, gives `load` the empty tables, and brings them to this
 * version. All rows are committed together, or none is. Throws `NotEmpty`, or `MigrationRefused` where this code does
 * not know all of the migrations.
 */
export async function loadDatabase<T>(
  url: string,
  migrations: readonly number[],
  load: (loading: Loading) => Promise<T>,
): Promise<T> {
  await migrateOnly(url, migrations);
  const sql = connect(url);
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

/** Numbers that PostgreSQL gives go on after those that were loaded. */
async function continueNumbers(tx: TransactionSql): Promise<void> {
  const columns = await tx<{ table: string; column: string }[]>`
    select c.relname as table, a.attname as column from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attidentity <> ''`;
  for (const { table, column } of columns) {
    await tx`select setval(pg_get_serial_sequence(${quoted(table)}, ${column}),
      (select coalesce(max(${tx(column)}), 0) + 1 from ${tx(table)}), false)`;
  }
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const target = ({ name, columns }: CopiedTable): string => `${quoted(name)} (${columns.map(quoted).join(", ")})`;

/** Migrates with these migrations alone. */
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
