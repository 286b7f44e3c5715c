/**
 * DuckDB for queries: it sees only the files in this child's folder, and its settings are locked. Each organization
 * gets a fresh instance, so nothing of another one's queries (plans, statistics, caches) remains.
 */
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";

/** DuckDB's own memory limit; the process is limited from outside. */
const MEMORY = "512MiB";
const DUCK_THREADS = 4;

/** Settings before the lock. DuckDB spills nothing to disk, so it needs no temporary folder. */
const CONFIG = {
  memory_limit: MEMORY,
  threads: String(Math.max(1, Math.min(DUCK_THREADS, navigator.hardwareConcurrency))),
  temp_directory: "",
  autoinstall_known_extensions: "false",
  autoload_known_extensions: "false",
  allow_community_extensions: "false",
  allow_unsigned_extensions: "false",
  enable_external_file_cache: "false",
};

let session: { readonly lane: string; readonly instance: DuckDBInstance } | null = null;

/** A new connection. `lane` is the organization. The caller closes it. */
export async function connectDuck(lane: string): Promise<DuckDBConnection> {
  if (session?.lane !== lane) {
    forgetDuck();
    session = { lane, instance: await lockedDown() };
  }
  return session.instance.connect();
}

function forgetDuck(): void {
  session?.instance.closeSync();
  session = null;
}

async function lockedDown(): Promise<DuckDBInstance> {
  const instance = await DuckDBInstance.create(":memory:", CONFIG);
  const connection = await instance.connect();
  const folder = process.cwd().replaceAll("'", "''");
  // Access to the folder must be granted before all other access is disabled; the last statement locks the settings.
  await connection.run(`SET TimeZone = 'UTC'`);
  await connection.run(`SET allowed_directories = ['${folder}']`);
  await connection.run("SET enable_external_access = false");
  await connection.run("SET lock_configuration = true");
  connection.closeSync();
  return instance;
}
