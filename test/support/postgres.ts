/**
 * PostgreSQL for tests: one embedded server for each process of the run, started at the first use; and a database
 * of its own for each test file, copied from a template that is migrated once. It keeps what it has acknowledged
 * when processes are killed, and does not wait for the disk as in production: no test ends the machine.
 *
 * No test stops the server. A watchdog process does when this process ends, however it ends: it
 * waits for the end of a pipe that only this process holds.
 */
import { existsSync, readlinkSync } from "node:fs";
import postgres from "postgres";
import { startEmbedded } from "../../db/embedded.ts";
import { migrate } from "../../db/migrate.ts";
import { makeTemporaryFolder } from "./memory-folder.ts";

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

interface TestServer {
  readonly url: string;
  readonly admin: postgres.Sql;
  readonly templates: Map<string, Promise<string>>;
  databases: number;
  /** Made while the file before runs, for the next one that wants the service's own migrations. */
  spare: Promise<TestDatabase> | null;
  /** Kept reachable: its end of the pipe must stay open as long as this process lives. */
  readonly watchdog: Bun.Subprocess;
}

const SETTINGS = ["fsync=off", "full_page_writes=off"];
const SERVER = Symbol.for("troupe.test.postgres");
/** On the global object, because a runner may evaluate this module once for each test file. */
const shared = globalThis as { [SERVER]?: Promise<TestServer> };

/** A new migrated database; `migrations` is the folder of others than the service's own. */
export async function createTestDatabase(migrations?: string): Promise<TestDatabase> {
  const server = await testServer();
  const template = await templateFor(server, migrations);
  if (migrations !== undefined) return createDatabase(server, template);
  // Taken in one step: two callers at once must not get the same one.
  const made = server.spare ?? createDatabase(server, template);
  server.spare = createDatabase(server, template);
  // The caller that takes it gets the error.
  server.spare.catch(() => {});
  return made;
}

/** A new database without any table. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return createDatabase(await testServer(), "template0");
}

function testServer(): Promise<TestServer> {
  return (shared[SERVER] ??= startServer());
}

async function startServer(): Promise<TestServer> {
  const folder = makeTemporaryFolder("troupe-test-postgres-", "memory");
  const server = await startEmbedded({ folder, log: () => {}, settings: SETTINGS });
  const watchdog = watchOver(server.pid, folder);
  const admin = postgres(server.url, { max: 1, onnotice: () => {} });
  return { url: server.url, admin, templates: new Map(), databases: 0, spare: null, watchdog };
}

function watchOver(pid: number, folder: string): Bun.Subprocess {
  // PostgreSQL removes its pid file last. The pid itself may stay for ever, if nobody reaps it; or be another's,
  // even the server of another run: it is ours only while it works in the same folder.
  const script =
    'cat >/dev/null; [ "$(readlink "/proc/$1/cwd")" = "$3" ] && kill -INT "$1"; n=0; ' +
    'while [ -e "$2/postgres/postmaster.pid" ] && [ $n -lt 200 ]; do n=$((n+1)); sleep 0.05; done; rm -rf "$2"';
  const watchdog = Bun.spawn({
    cmd: ["/bin/sh", "-c", script, "watchdog", String(pid), folder, workingFolderOf(pid)],
    stdio: ["pipe", "ignore", "ignore"],
    cwd: "/",
    detached: true,
  });
  watchdog.unref();
  return watchdog;
}

/** Empty where the system does not say; then the watchdog's own look says nothing either. */
function workingFolderOf(pid: number): string {
  const link = `/proc/${pid}/cwd`;
  return existsSync(link) ? readlinkSync(link) : "";
}

/**
 * `create database` copies a template that nobody is connected to; one statement at a time, on one connection. Where
 * nothing is synced, copying files takes a quarter of the time that writing them to the log does.
 */
async function createDatabase(server: TestServer, template: string): Promise<TestDatabase> {
  const name = `test_${++server.databases}`;
  await server.admin.unsafe(`create database ${name} template ${template} strategy file_copy`);
  return {
    url: urlOf(server, name),
    drop: async () => {
      await server.admin.unsafe(`drop database if exists ${name} with (force)`);
    },
  };
}

function templateFor(server: TestServer, migrations: string | undefined): Promise<string> {
  const key = migrations ?? "";
  const known = server.templates.get(key);
  if (known !== undefined) return known;
  const made = makeTemplate(server, migrations, `template_${server.templates.size + 1}`);
  server.templates.set(key, made);
  return made;
}

async function makeTemplate(server: TestServer, migrations: string | undefined, name: string): Promise<string> {
  await server.admin.unsafe(`create database ${name} template template0`);
  await migrate(urlOf(server, name), migrations === undefined ? {} : { folder: migrations });
  return name;
}

function urlOf(server: TestServer, database: string): string {
  const url = new URL(server.url);
  url.pathname = `/${database}`;
  return url.href;
}
