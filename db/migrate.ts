/**
 * Migrates a database to the schema of this code, once, however many replicas start together: the work is done under a
 * session advisory lock. A database that is newer than the code, or on a server that is too old, is not changed. If
 * everything is up to date, this costs two queries and loads no migrator.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";

/** Why a database is not migrated. */
export type MigrationRefusalKind = "server_too_old" | "database_newer" | "out_of_order" | "locked" | "no_migrations";

/** The database is unchanged; the message says what to do. */
export class MigrationRefused extends Error {
  override readonly name = "MigrationRefused";
  readonly kind: MigrationRefusalKind;

  constructor(kind: MigrationRefusalKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

export interface MigrateOptions {
  /** The folder of drizzle-kit's migrations; `db/migrations` unless a test has its own. */
  readonly folder?: string;
  readonly lockWaitMs?: number;
  /** Whether another server takes over if this one is lost. */
  readonly expectsFailover?: boolean;
}

export interface MigrateReport {
  /** How many migrations this call applied. */
  readonly applied: number;
  /** Warnings for the operator: the server may lose acknowledged commits. */
  readonly warnings: readonly string[];
}

/** The server's own settings and state. */
export interface ServerFacts {
  /** 180004 for 18.4. */
  readonly versionNumber: number;
  readonly fsync: string;
  readonly synchronousCommit: string;
  readonly fullPageWrites: string;
  /** The standbys for which a commit waits; empty: none. */
  readonly synchronousStandbys: string;
  /** Servers that currently receive its log. */
  readonly standbys: number;
}

/** One line of drizzle's journal; `when` (ms) is also the identity under which the database keeps it. */
interface JournalEntry {
  readonly tag: string;
  readonly when: number;
}

const OLDEST_SERVER = 15;
/** An arbitrary constant that nothing else locks: "TRPE" in ASCII. */
const MIGRATION_LOCK = 0x54525045;
/** Long enough for another replica's migration, short enough to be noticed. */
const LOCK_WAIT_MS = 60_000;
/** A start does not wait longer for the connection to close: nothing is in progress on it. */
const MIGRATED_END_SECONDS = 2;
const LOCK_NOT_AVAILABLE = "55P03";

/** Migrates the database at `url`. Throws `MigrationRefused`, or the driver's error. */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<MigrateReport> {
  const folder = options.folder ?? join(import.meta.dir, "migrations");
  const journal = readJournal(folder);
  const sql = postgres(url, { max: 1, onnotice: () => {}, connection: { application_name: "troupe migrate" } });
  try {
    const [row] = await sql<(ServerFacts & { migrated: boolean })[]>`
      select current_setting('server_version_num')::int as "versionNumber", current_setting('fsync') as fsync,
        current_setting('synchronous_commit') as "synchronousCommit",
        current_setting('full_page_writes') as "fullPageWrites",
        current_setting('synchronous_standby_names') as "synchronousStandbys",
        (select count(*)::int from pg_stat_replication) as standbys,
        to_regclass('drizzle.__drizzle_migrations') is not null as migrated`;
    if (row === undefined) throw new Error("the server did not answer about itself");
    const warnings = checkServer(row, options.expectsFailover);
    if (row.migrated && pendingOf(journal, await appliedIn(sql)).length === 0) return { applied: 0, warnings };
    return { applied: await applyUnderLock(sql, folder, journal, options.lockWaitMs ?? LOCK_WAIT_MS), warnings };
  } finally {
    await sql.end({ timeout: MIGRATED_END_SECONDS });
  }
}

/** How many migrations a start would apply to the database; null if it has migrations that this code does not know. */
export async function pendingMigrations(sql: postgres.Sql): Promise<number | null> {
  const journal = readJournal(join(import.meta.dir, "migrations"));
  const [row] = await sql<{ migrated: boolean }[]>`
    select to_regclass('drizzle.__drizzle_migrations') is not null as migrated`;
  const applied = row?.migrated === true ? await appliedIn(sql) : [];
  const known = new Set(journal.map(({ when }) => when));
  return applied.every((when) => known.has(when)) ? journal.length - applied.length : null;
}

/** Values of synchronous_commit with which a commit does not wait for a standby's disk. */
const LOCAL_COMMITS: readonly string[] = ["off", "local", "remote_write"];

/** Whether a standby may take over without all acknowledged commits. */
export function losesAtFailover(
  server: Pick<ServerFacts, "synchronousStandbys" | "synchronousCommit" | "standbys">,
  expectsFailover: boolean,
): boolean {
  const isSynchronous = server.synchronousStandbys !== "" && !LOCAL_COMMITS.includes(server.synchronousCommit);
  return (expectsFailover || server.standbys > 0) && !isSynchronous;
}

/** Refuses a server that is too old; returns warnings about one that may lose commits. */
export function checkServer(server: ServerFacts, expectsFailover = false): readonly string[] {
  const major = Math.floor(server.versionNumber / 10_000);
  if (major < OLDEST_SERVER) {
    throw new MigrationRefused("server_too_old", `This is PostgreSQL ${major}; ${OLDEST_SERVER} or newer is needed.`);
  }
  const warnings: string[] = [];
  if (server.fsync === "off") {
    warnings.push("fsync is off: a crash of the machine may destroy the database. Set fsync = on in postgresql.conf.");
  }
  if (server.fullPageWrites === "off") {
    warnings.push("full_page_writes is off: a crash of the machine may leave torn pages. Set full_page_writes = on.");
  }
  if (server.synchronousCommit === "off") {
    warnings.push("synchronous_commit is off: a crash may lose acknowledged requests. Set synchronous_commit = on.");
  }
  if (losesAtFailover(server, expectsFailover)) {
    warnings.push(
      "the standbys of PostgreSQL are asynchronous: a failover may lose the last acknowledged requests. " +
        "Set synchronous_standby_names (Patroni: synchronous_mode: true), and leave synchronous_commit = on.",
    );
  }
  return warnings;
}

function readJournal(folder: string): readonly JournalEntry[] {
  const path = join(folder, "meta", "_journal.json");
  if (!existsSync(path)) throw new MigrationRefused("no_migrations", `There are no migrations: ${path} is missing.`);
  return (JSON.parse(readFileSync(path, "utf8")) as { entries: readonly JournalEntry[] }).entries;
}

async function appliedIn(sql: postgres.Sql): Promise<readonly number[]> {
  const rows = await sql<
    { when: string }[]
  >`select created_at as when from drizzle.__drizzle_migrations order by created_at`;
  return rows.map((row) => Number(row.when));
}

/**
 * The migrations to apply. Throws if the database has migrations that the code does not know, or if the order would be
 * wrong.
 */
function pendingOf(journal: readonly JournalEntry[], applied: readonly number[]): readonly JournalEntry[] {
  const known = new Set(journal.map((entry) => entry.when));
  const unknown = applied.filter((when) => !known.has(when));
  if (unknown.length > 0) {
    throw new MigrationRefused(
      "database_newer",
      `The database is newer than this code: it has ${unknown.length} migration(s) that this version does not know ` +
        `(the last of ${new Date(Math.max(...unknown)).toISOString()}). Start the version that made it, or a newer one.`,
    );
  }
  const done = new Set(applied);
  const pending = journal.filter((entry) => !done.has(entry.when));
  const last = Math.max(...applied, Number.NEGATIVE_INFINITY);
  const late = pending.find((entry) => entry.when < last);
  if (late === undefined) return pending;
  // Drizzle compares only with the last applied migration, and would silently skip an older one.
  throw new MigrationRefused(
    "out_of_order",
    `Migration ${late.tag} is older than the last one that the database has, so it would be left out. Generate it again.`,
  );
}

async function applyUnderLock(
  sql: postgres.Sql,
  folder: string,
  journal: readonly JournalEntry[],
  lockWaitMs: number,
): Promise<number> {
  await lock(sql, lockWaitMs);
  // Another replica may have migrated while this one waited. The lock ends with the session.
  const [row] = await sql<
    { migrated: boolean }[]
  >`select to_regclass('drizzle.__drizzle_migrations') is not null as migrated`;
  const pending = pendingOf(journal, row?.migrated === true ? await appliedIn(sql) : []);
  if (pending.length === 0) return 0;
  const [{ drizzle }, migrator] = await Promise.all([
    import("drizzle-orm/postgres-js"),
    import("drizzle-orm/postgres-js/migrator"),
  ]);
  await migrator.migrate(drizzle(sql), { migrationsFolder: folder });
  return pending.length;
}

async function lock(sql: postgres.Sql, waitMs: number): Promise<void> {
  await sql`select set_config('lock_timeout', ${`${waitMs}ms`}, false)`;
  try {
    await sql`select pg_advisory_lock(${MIGRATION_LOCK})`;
  } catch (error) {
    if (!(error instanceof postgres.PostgresError) || error.code !== LOCK_NOT_AVAILABLE) throw error;
    throw new MigrationRefused(
      "locked",
      `Another process has been migrating this database for more than ${waitMs} ms. Wait for it, or end it.`,
    );
  }
}
