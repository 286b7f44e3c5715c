/** A database's state, for the operator. Read-only. */
import postgres from "postgres";
import { pendingMigrations, type ServerFacts } from "./migrate.ts";

export interface Inspection extends Omit<ServerFacts, "versionNumber"> {
  readonly version: string;
  /** Its clock, in ms. */
  readonly nowMs: number;
  /** Migrations that a start would apply; null: the database is newer than this code. */
  readonly pending: number | null;
  /** The check value of the service's key; null if the database has none yet. */
  readonly keyCheck: string | null;
}

/** Rejects when the database cannot be reached. */
export async function inspectDatabase(url: string): Promise<Inspection> {
  const sql = postgres(url, {
    max: 1,
    connect_timeout: 5,
    onnotice: () => {},
    connection: { application_name: "troupe doctor" },
  });
  try {
    const [row] = await sql<Omit<Inspection, "pending" | "keyCheck">[]>`
      select current_setting('server_version') as version, current_setting('fsync') as fsync,
        current_setting('synchronous_commit') as "synchronousCommit",
        current_setting('full_page_writes') as "fullPageWrites",
        current_setting('synchronous_standby_names') as "synchronousStandbys",
        (select count(*)::int from pg_stat_replication) as standbys,
        (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"`;
    if (row === undefined) throw new Error("the server did not answer about itself");
    const [known] = await sql<{ has: boolean }[]>`select to_regclass('public.service_key') is not null as has`;
    const keys =
      known?.has === true ? await sql<{ check: string }[]>`select check_value as check from service_key` : [];
    return { ...row, pending: await pendingMigrations(sql), keyCheck: keys[0]?.check ?? null };
  } finally {
    await sql.end({ timeout: 1 });
  }
}
