/**
 * The embedded PostgreSQL through its whole life: made, started, orphaned, adopted, replaced, stopped. The services
 * that are killed are real processes; only the kernel can say what a kill leaves.
 */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { openDataFolder } from "../../db/data-folder.ts";
import { type EmbeddedOptions, type EmbeddedPostgres, startEmbedded } from "../../db/embedded.ts";
import { isPostmasterOf, isRunning, readPidFile, stopProcess } from "../../db/postmaster.ts";
import { until } from "../support/condition.ts";
import {
  type ServiceProcess,
  type TestFolder,
  killService,
  makeTestFolder,
  spawnService,
  startService,
  stopService,
} from "../support/service-process.ts";

const isLinux = process.platform === "linux";

/** One data folder for all tests, because initdb takes longer than all else here; each stops what it starts. */
let shared: TestFolder;
let folder: string;

beforeAll(async () => {
  shared = makeTestFolder();
  const opened = openDataFolder(join(shared.path, "data"));
  folder = opened.path;
  await (await start(folder)).stop();
  opened.release();
});
afterEach(() => shared.endServers());
afterAll(() => shared.remove());

function start(path: string, options: Partial<EmbeddedOptions> = {}): Promise<EmbeddedPostgres> {
  return startEmbedded({ folder: path, systemFolder: join(shared.path, "system"), log: () => {}, ...options });
}

const service = (): Promise<ServiceProcess> => startService({ folder, systemFolder: join(shared.path, "system") });

const clusterOf = (path: string): string => join(path, "postgres");

async function query<T extends object>(url: string, text: string): Promise<readonly T[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await sql.unsafe<T[]>(text);
  } finally {
    await sql.end();
  }
}

/** The processes whose parent is `pid`, and itself. */
function familyOf(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return [
    pid,
    ...children
      .split(" ")
      .filter((text) => text !== "")
      .map(Number),
  ];
}

test("[START-12] the first start creates a durable UTF-8 database that listens only on this machine, with a password", async () => {
  const database = await start(folder);
  const [settings] = await query<Record<string, string>>(
    database.url,
    `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
       current_setting('full_page_writes') as pages, current_setting('listen_addresses') as addresses,
       current_setting('unix_socket_directories') as sockets, current_setting('server_encoding') as encoding,
       (select datcollate from pg_database where datname = 'postgres') as collation,
       current_setting('data_checksums') as checksums, current_setting('wal_segment_size') as segment`,
  );
  expect(settings).toEqual({
    fsync: "on",
    commit: "on",
    pages: "on",
    addresses: "127.0.0.1",
    sockets: "",
    encoding: "UTF8",
    collation: "C",
    checksums: "on",
    segment: "2MB",
  });
  const wrong = new URL(database.url);
  wrong.password = "guess";
  await expect(query(wrong.href, "select 1")).rejects.toThrow("password authentication failed");
  await database.stop();
});

test("[START-12] an initdb that was killed leaves no broken cluster", async () => {
  const own = makeTestFolder();
  const path = join(own.path, "data");
  const child = spawnService({ folder: path, systemFolder: join(own.path, "system") });
  await until("initdb has begun", () => draftsIn(path).some((draft) => existsSync(join(path, draft, "PG_VERSION"))));
  child.kill("SIGKILL");
  await child.exited;
  expect(existsSync(clusterOf(path))).toBe(false);
  const database = await start(path);
  expect(await query(database.url, "select 1 as one")).toEqual([{ one: 1 }]);
  await database.stop();
  await own.remove();
});

const draftsIn = (path: string): readonly string[] =>
  existsSync(path) ? readdirSync(path).filter((name) => name.startsWith("postgres.draft-")) : [];

test("[START-12] the database's password is in a file that only its owner may read", () => {
  expect(statSync(join(folder, "postgres.json")).mode & 0o777).toBe(0o600);
});

test("[START-12] a cluster without its password, or of another version, stops the start", async () => {
  const note = readFileSync(join(folder, "postgres.json"), "utf8");
  writeFileSync(join(folder, "postgres.json"), "{");
  await expect(start(folder)).rejects.toThrow("postgres.json is damaged");
  writeFileSync(join(folder, "postgres.json"), note);
  writeFileSync(join(clusterOf(folder), "PG_VERSION"), "17\n");
  await expect(start(folder)).rejects.toThrow("was made by PostgreSQL 17");
  writeFileSync(join(clusterOf(folder), "PG_VERSION"), "18\n");
});

test("[START-13] the port is below 32768 and the same at the next start", async () => {
  const first = await start(folder);
  expect(Number(new URL(first.url).port)).toBeLessThan(32_768);
  await first.stop();
  const second = await start(folder);
  expect(second.url).toBe(first.url);
  await second.stop();
});

test("[START-13] a port that is taken meanwhile is replaced by a free one", async () => {
  const first = await start(folder);
  await first.stop();
  const squatter = Bun.listen({ hostname: "127.0.0.1", port: Number(new URL(first.url).port), socket: { data() {} } });
  const second = await start(folder);
  squatter.stop(true);
  expect(new URL(second.url).port).not.toBe(new URL(first.url).port);
  expect(await query(second.url, "select 1 as one")).toEqual([{ one: 1 }]);
  await second.stop();
});

test("[START-14] after kill -9 the next start adopts the server at the same url and nothing committed is lost", async () => {
  const first = await service();
  await query(first.url, "drop table if exists kept; create table kept (id int); insert into kept values (7)");
  await killService(first);
  expect(isRunning(first.postgres)).toBe(true);
  const second = await service();
  expect(second).toMatchObject({ url: first.url, postgres: first.postgres, adopted: true });
  expect(await query(second.url, "select id from kept")).toEqual([{ id: 7 }]);
  await stopService(second);
  expect(isRunning(first.postgres)).toBe(false);
});

test("[START-14] a start while another service lives says that the folder is in use", async () => {
  const first = await service();
  const second = await service();
  expect(second.error).toContain(`is in use by process ${first.pid}`);
  expect(isRunning(first.postgres)).toBe(true);
  await stopService(first);
});

/** Signals that a stopped process has been sent; a child of its own that ended is one of them too. */
function pendingSignals(pid: number): ReadonlySet<number> {
  const masks = readFileSync(`/proc/${pid}/status`, "utf8").matchAll(/^(?:SigPnd|ShdPnd):\s+([0-9a-f]+)$/gm);
  const pending = [...masks].reduce((all, [, mask]) => all | BigInt(`0x${mask}`), 0n);
  return new Set(Array.from({ length: 64 }, (_, i) => i + 1).filter((signal) => (pending >> BigInt(signal - 1)) & 1n));
}

test.skipIf(!isLinux)("[START-15] an orphan that does not answer is stopped and a new server started", async () => {
  const first = await service();
  await query(first.url, "drop table if exists kept; create table kept (id int); insert into kept values (7)");
  await killService(first);
  process.kill(first.postgres, "SIGSTOP");
  const starting = start(folder);
  // A stopped process does nothing with a polite signal; only a kill ends it, or this.
  await until("the service has given up asking", () => pendingSignals(first.postgres).has(constants.signals.SIGINT));
  process.kill(first.postgres, "SIGCONT");
  const second = await starting;
  expect(second.adopted).toBe(false);
  expect(second.pid).not.toBe(first.postgres);
  expect(isRunning(first.postgres)).toBe(false);
  expect(await query(second.url, "select id from kept")).toEqual([{ id: 7 }]);
  await second.stop();
});

test("[START-15] an orphan with other settings is stopped and a new server started", async () => {
  const first = await service();
  await killService(first);
  const options = join(clusterOf(folder), "postmaster.opts");
  writeFileSync(options, readFileSync(options, "utf8").replace("max_connections=40", "max_connections=41"));
  const second = await start(folder);
  expect(second.adopted).toBe(false);
  expect(isRunning(first.postgres)).toBe(false);
  await second.stop();
});

test("[START-15] a pid file that names another process affects neither the start nor that process", async () => {
  const bystander = Bun.spawn({
    cmd: ["sleep", "60"],
    stdio: ["ignore", "ignore", "ignore"],
    ...ownerOf(clusterOf(folder)),
  });
  writeFileSync(
    join(clusterOf(folder), "postmaster.pid"),
    `${bystander.pid}\n${clusterOf(folder)}\n1\n25000\n\n127.0.0.1\n\nready   \n`,
  );
  const database = await start(folder);
  expect(database.adopted).toBe(false);
  expect(isRunning(bystander.pid)).toBe(true);
  await database.stop();
  bystander.kill("SIGKILL");
});

test("[START-15] a pid file of a process that is gone does not stop the start", async () => {
  const gone = Bun.spawn({ cmd: ["true"] });
  await gone.exited;
  writeFileSync(
    join(clusterOf(folder), "postmaster.pid"),
    `${gone.pid}\n${clusterOf(folder)}\n1\n25000\n\n127.0.0.1\n\nready   \n`,
  );
  const database = await start(folder);
  expect(database.adopted).toBe(false);
  await database.stop();
});

test.skipIf(!isLinux)(
  "[START-15] a server that was killed with its children running is replaced without loss",
  async () => {
    const first = await start(folder);
    await query(first.url, "drop table if exists kept; create table kept (id int); insert into kept values (7)");
    process.kill(first.pid, "SIGKILL");
    const second = await start(folder);
    expect(await query(second.url, "select id from kept")).toEqual([{ id: 7 }]);
    await second.stop();
  },
);

test("[START-16] stop leaves no process, and can be requested twice", async () => {
  const database = await start(folder);
  const family = isLinux ? familyOf(database.pid) : [database.pid];
  const idle = postgres(database.url, { max: 1 });
  await idle`select 1`;
  await Promise.all([database.stop(), database.stop()]);
  expect(family.filter(isRunning)).toEqual([]);
  expect(readPidFile(clusterOf(folder))).toBeNull();
  await idle.end({ timeout: 0 });
});

test("[START-16] a server that ignores a shutdown is killed, and loses nothing", async () => {
  const database = await start(folder);
  await query(database.url, "drop table if exists kept; create table kept (id int); insert into kept values (7)");
  process.kill(database.pid, "SIGSTOP");
  await stopProcess(database.pid, { SIGINT: 20, SIGQUIT: 20, SIGKILL: 5_000 });
  expect(isRunning(database.pid)).toBe(false);
  await database.stop();
  const next = await start(folder);
  expect(await query(next.url, "select id from kept")).toEqual([{ id: 7 }]);
  await next.stop();
});

for (const adopted of [false, true]) {
  test(`[START-16] the end of ${adopted ? "an adopted" : "a started"} server is reported, and not the one that was asked for`, async () => {
    if (adopted) await killService(await service());
    const reasons: string[] = [];
    const database = await start(folder, { onExit: (reason) => void reasons.push(reason) });
    expect(database.adopted).toBe(adopted);
    process.kill(database.pid, "SIGINT");
    await until("the end is reported", () => reasons.length > 0);
    await database.stop();
    const next = await start(folder, { onExit: (reason) => void reasons.push(reason) });
    await next.stop();
    expect(reasons).toHaveLength(1);
    expect(reasons[0]).toContain(`process ${database.pid}`);
  });
}

test.skipIf(!isLinux)("[START-17] a terminal's Ctrl-C does not reach PostgreSQL: it has its own session", async () => {
  const database = await start(folder);
  const stat = readFileSync(`/proc/${database.pid}/stat`, "utf8");
  const [, , group, session] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  expect(group).toBe(database.pid);
  expect(session).toBe(database.pid);
  await database.stop();
});

test.skipIf(!isLinux)("[START-17] PostgreSQL gets none of the service's environment", async () => {
  const database = await start(folder);
  const names = readFileSync(`/proc/${database.pid}/environ`, "utf8")
    .split("\0")
    .map((entry) => entry.split("=")[0]);
  expect(names.filter((name) => name !== "" && !/^(PATH|LC_ALL|TZ|PG_.*|MALLOC_\w+_)$/.test(name ?? ""))).toEqual([]);
  await database.stop();
});

test.skipIf(!isLinux)("[START-18] PostgreSQL takes less than 30 MiB when idle", async () => {
  const database = await start(folder);
  const pssKiB = familyOf(database.pid)
    .map((pid) => Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1]))
    .reduce((sum, value) => sum + value, 0);
  expect(pssKiB).toBeGreaterThan(1024);
  expect(pssKiB).toBeLessThan(30 * 1024);
  await database.stop();
});

function ownerOf(path: string): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const { uid, gid } = statSync(path);
  return { uid, gid };
}

test("[START-15] only a server of this cluster counts as its postmaster", async () => {
  const database = await start(folder);
  expect(isPostmasterOf(database.pid, clusterOf(folder))).toBe(true);
  expect(isPostmasterOf(database.pid, folder)).toBe(false);
  expect(isPostmasterOf(process.pid, clusterOf(folder))).toBe(false);
  await database.stop();
});
