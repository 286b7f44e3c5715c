/** Migrations on a real database: once, in order, and never on a newer one. Each test has its own database. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import postgres from "postgres";
import { MigrationRefused, type MigrationRefusalKind, checkServer, migrate } from "../../db/migrate.ts";
import { type TestDatabase, createEmptyDatabase, createTestDatabase } from "../support/postgres.ts";
import { type TestFolder, makeTestFolder } from "../support/service-process.ts";

/** The server of tests does not wait for the disk. */
const UNSAFE_TEST_SERVER = [
  expect.stringContaining("fsync is off"),
  expect.stringContaining("full_page_writes is off"),
];
const HEALTHY = {
  versionNumber: 150_000,
  fsync: "on",
  synchronousCommit: "on",
  fullPageWrites: "on",
  synchronousStandbys: "",
  standbys: 0,
};

let folder: TestFolder;
let database: TestDatabase;
beforeEach(async () => {
  folder = makeTestFolder();
  database = await createEmptyDatabase();
});
afterEach(async () => {
  await database.drop();
  await folder.remove();
});

/** A migrations folder as drizzle-kit writes it; each migration has a time (ms) and its SQL. */
function migrations(...list: readonly (readonly [when: number, sql: string])[]): { folder: string } {
  const entries = list.map(([when], idx) => ({ idx, version: "7", when, tag: `${when}_made`, breakpoints: true }));
  mkdirSync(join(folder.path, "meta"), { recursive: true });
  writeFileSync(
    join(folder.path, "meta/_journal.json"),
    JSON.stringify({ version: "7", dialect: "postgresql", entries }),
  );
  for (const [when, sql] of list) writeFileSync(join(folder.path, `${when}_made.sql`), sql);
  return { folder: folder.path };
}

const ONE = [1000, "create table one (id int);\n--> statement-breakpoint\ninsert into one values (1);"] as const;
const TWO = [2000, "create table two (id int);"] as const;

async function withSql<T>(use: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(database.url, { max: 1, onnotice: () => {} });
  try {
    return await use(sql);
  } finally {
    await sql.end();
  }
}

async function refusal(work: Promise<unknown>): Promise<MigrationRefusalKind | null> {
  try {
    await work;
    return null;
  } catch (error) {
    if (error instanceof MigrationRefused) return error.kind;
    throw error;
  }
}

test("[START-23] an empty database gets all migrations, and later only the new ones", async () => {
  expect(await migrate(database.url, migrations(ONE))).toEqual({ applied: 1, warnings: UNSAFE_TEST_SERVER });
  expect(await migrate(database.url, migrations(ONE))).toEqual({ applied: 0, warnings: UNSAFE_TEST_SERVER });
  expect(await migrate(database.url, migrations(ONE, TWO))).toEqual({ applied: 1, warnings: UNSAFE_TEST_SERVER });
  expect(await withSql((sql) => sql`select count(*)::int as rows from one, two`)).toMatchObject([{ rows: 0 }]);
});

test("[START-23] replicas that start together apply each migration once", async () => {
  const options = migrations(ONE, TWO);
  const reports = await Promise.all(Array.from({ length: 4 }, () => migrate(database.url, options)));
  expect(reports.map((report) => report.applied).toSorted((a, b) => a - b)).toEqual([0, 0, 0, 2]);
  expect(await withSql((sql) => sql`select count(*)::int as rows from one`)).toMatchObject([{ rows: 1 }]);
});

test("[START-23] a migration that fails leaves the database as it was", async () => {
  await expect(
    migrate(database.url, migrations(ONE, [2000, "create table two (id int); select nonsense;"])),
  ).rejects.toThrow();
  expect(await withSql((sql) => sql`select to_regclass('one') as one`)).toMatchObject([{ one: null }]);
  expect((await migrate(database.url, migrations(ONE, TWO))).applied).toBe(2);
});

test("[START-23] the wait for another replica's migration is limited", async () => {
  const options = { ...migrations(ONE), lockWaitMs: 50 };
  await withSql(async (sql) => {
    await sql`select pg_advisory_lock(${0x54525045})`;
    expect(await refusal(migrate(database.url, options))).toBe("locked");
  });
  expect((await migrate(database.url, options)).applied).toBe(1);
});

test("[START-67] the start does not wait for a migration's connection that stays open", async () => {
  const { hostname, port } = new URL(database.url);
  const ended: unknown[] = [];
  // Passes everything on, but neither end of the connection: as a server or a network that is stuck.
  const between = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    near.on("data", (bytes) => far.write(bytes)).on("end", () => ended.push("near"));
    near.on("error", () => {}).on("close", () => far.destroy());
    far.on("data", (bytes) => near.write(bytes)).on("error", () => {});
  });
  await new Promise<void>((resolve) => void between.listen(0, "127.0.0.1", resolve));
  const stuck = new URL(database.url);
  stuck.port = String((between.address() as AddressInfo).port);
  try {
    expect((await migrate(stuck.href, migrations(ONE))).applied).toBe(1);
    expect(ended).toEqual(["near"]);
  } finally {
    between.close();
  }
});

test("[START-23] [HOOK-6] unfinished deliveries of an older process are converted to the current form", async () => {
  const real = join(import.meta.dir, "../../db/migrations");
  const journal = JSON.parse(readFileSync(join(real, "meta/_journal.json"), "utf8")) as { entries: { tag: string }[] };
  const before = journal.entries.findIndex(({ tag }) => tag.endsWith("joined_deliveries"));
  cpSync(real, folder.path, { recursive: true });
  const older = { ...journal, entries: journal.entries.slice(0, before) };
  writeFileSync(join(folder.path, "meta/_journal.json"), JSON.stringify(older));
  await migrate(database.url, { folder: folder.path });
  const left = { organization_id: "org_1", actor_kind: "webhook", actor_id: "org_1", shard: 1 };
  await withSql(async (sql) => {
    const attempt = { id: "dlv_1", organizationId: "org_1", version: 1, eventId: "evt_1", sequence: 1 };
    await sql`insert into webhook_attempt (organization_id, id, version, body) values ('org_1', 'dlv_1', 1, ${sql.json(attempt)})`;
    for (const [id, kind, intent] of [
      ["eff_1", "deliver_webhook", { attemptId: "dlv_1" }],
      ["eff_2", "run", { attemptId: "not ours" }],
    ] as const)
      await sql`insert into effect ${sql({ ...left, id, kind, intent: sql.json(intent) as never })}`;
  });
  await migrate(database.url);
  const effects = await withSql((sql) => sql`select id, kind, intent from effect order by id`);
  expect([...effects]).toEqual([
    { id: "eff_1", kind: "deliver_webhooks", intent: { attempts: [{ id: "dlv_1", eventId: "evt_1" }] } },
    { id: "eff_2", kind: "run", intent: { attemptId: "not ours" } },
  ]);
});

test("[START-24] a database that is newer than the code is refused and not changed", async () => {
  await migrate(database.url, migrations(ONE, TWO));
  expect(await refusal(migrate(database.url, migrations(ONE)))).toBe("database_newer");
  expect(await refusal(migrate(database.url, migrations(ONE, [3000, "create table three (id int)"])))).toBe(
    "database_newer",
  );
  expect(await withSql((sql) => sql`select to_regclass('three') as three`)).toMatchObject([{ three: null }]);
});

test("[START-24] a migration older than the last applied one is refused, not left out", async () => {
  await migrate(database.url, migrations(TWO));
  expect(await refusal(migrate(database.url, migrations(ONE, TWO)))).toBe("out_of_order");
});

test("[START-24] a folder without migrations is refused", async () => {
  expect(await refusal(migrate(database.url, { folder: folder.path }))).toBe("no_migrations");
});

test("[START-25] a server older than PostgreSQL 15 is refused", async () => {
  expect(() => checkServer({ ...HEALTHY, versionNumber: 140_012 })).toThrow(
    "This is PostgreSQL 14; 15 or newer is needed.",
  );
  expect(checkServer(HEALTHY)).toEqual([]);
});

test("[START-25] a warning reports a server that may lose acknowledged commits", async () => {
  expect(checkServer({ ...HEALTHY, fsync: "off" })).toEqual([expect.stringContaining("fsync is off")]);
  expect(checkServer({ ...HEALTHY, fullPageWrites: "off" })).toEqual([
    expect.stringContaining("full_page_writes is off"),
  ]);
  const asynchronous = expect.stringContaining("the standbys of PostgreSQL are asynchronous");
  expect(checkServer(HEALTHY, true)).toEqual([asynchronous]);
  expect(checkServer({ ...HEALTHY, standbys: 1 })).toEqual([asynchronous]);
  expect(checkServer({ ...HEALTHY, standbys: 1, synchronousStandbys: "b" }, true)).toEqual([]);
  expect(checkServer({ ...HEALTHY, synchronousStandbys: "b", synchronousCommit: "local" }, true)).toEqual([
    asynchronous,
  ]);
  const options = migrations(ONE);
  await withSql((sql) =>
    sql.unsafe(`alter database ${new URL(database.url).pathname.slice(1)} set synchronous_commit = off`),
  );
  const report = await migrate(database.url, options);
  expect(report.warnings).toHaveLength(UNSAFE_TEST_SERVER.length + 1);
  expect(report.warnings).toContainEqual(expect.stringContaining("synchronous_commit is off"));
});

test.skipIf(!existsSync(join(import.meta.dir, "../../db/migrations/meta/_journal.json")))(
  "[START-23] a test's database has the service's own migrations",
  async () => {
    const own = await createTestDatabase();
    expect(await migrate(own.url)).toEqual({ applied: 0, warnings: UNSAFE_TEST_SERVER });
    await own.drop();
  },
);
