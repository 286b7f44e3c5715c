/** A start that is called off, at each of its stages; one that hangs, too. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import postgres from "postgres";
import { SHARD_COUNT } from "../../actors/runtime/placement/placement.ts";
import { type GuardedFolder, guardedFolder } from "../support/guarded-folder.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { eventually, failTroupe, processesIn, startTroupe, TroupeProcess } from "../support/troupe-process.ts";

let folder: GuardedFolder;

beforeAll(() => void (folder = guardedFolder()));
afterAll(() => folder.remove());

/** The server of tests does not wait for the disk. */
const OF_TEST_SERVER = /^(?:fsync|full_page_writes) is off: a crash of the machine/;

async function expectCalledOff(service: TroupeProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  expect(await service.end(signal)).toBe(0);
  expect(service.complaint).toBe("");
  const warnings = service.log.filter(({ level }) => level >= 40);
  expect(warnings.filter(({ msg }) => !OF_TEST_SERVER.test(msg))).toEqual([]);
  await eventually("nothing is left", () => processesIn(service.dataDir).length === 0);
}

const has = (dataDir: string, name: RegExp): boolean =>
  existsSync(dataDir) && readdirSync(dataDir).some((file) => name.test(file));

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

test("[START-37] a signal while the database is made ends the start, and the next one serves", async () => {
  const dataDir = join(folder.path, "made");
  const service = new TroupeProcess(folder, { dataDir });
  await eventually("initdb is at work", () => has(dataDir, /^postgres\.draft-\w+$/) && processesIn(dataDir).length > 1);
  await expectCalledOff(service, "SIGINT");
  expect(has(dataDir, /^(postgres|first-run\.txt|service\.json)$/)).toBe(false);
  const next = await startTroupe(folder, { dataDir });
  expect(next.firstRun().personal).toStartWith("pat_");
  expect(has(dataDir, /draft/)).toBe(false);
  expect(await next.end()).toBe(0);
});

test("[START-37] a signal while PostgreSQL starts, or just after, ends both", async () => {
  const dataDir = join(folder.path, "made");
  const stages: readonly [string, (service: TroupeProcess) => Promise<void>][] = [
    [
      "the folder is locked",
      (s) => eventually("it is locked", () => read(join(dataDir, "lock.pid")).trim() === String(s.pid)),
    ],
    ["PostgreSQL starts", () => eventually("it starts", () => existsSync(join(dataDir, "postgres/postmaster.pid")))],
    ["PostgreSQL runs", (s) => s.says("PostgreSQL 18")],
  ];
  for (const [, stage] of stages) {
    const service = new TroupeProcess(folder, { dataDir });
    await stage(service);
    await expectCalledOff(service);
  }
  expect(await (await startTroupe(folder, { dataDir })).end()).toBe(0);
});

test("[START-38] a start that hangs at a database that says nothing can be called off", async () => {
  const mute: Server = createServer(() => {});
  const listening = Promise.withResolvers<void>();
  mute.listen(0, "127.0.0.1", listening.resolve);
  await listening.promise;
  const address = mute.address();
  const port = typeof address === "object" ? address?.port : 0;
  const asked = new Promise((resolve) => mute.once("connection", resolve));
  const service = new TroupeProcess(folder, {
    dataDir: join(folder.path, "mute"),
    env: { DATABASE_URL: `postgres://u:secret-pw@127.0.0.1:${port}/d` },
  });
  await asked;
  await expectCalledOff(service, "SIGINT");
  expect(service.output).not.toContain("secret-pw");
  mute.close();
});

/** A replica of nobody, which holds every shard. */
async function addRival(sql: postgres.Sql, leaseMs: number): Promise<() => Promise<unknown>> {
  await sql`insert into replica (id, address, build, lease_until) values ('rpl_other', 'http://other:3000', 'x', clock_timestamp())`;
  await sql`insert into shard (id, owner) select generate_series(0, ${SHARD_COUNT - 1}), 'rpl_other'`;
  const renew = async (): Promise<unknown> =>
    await sql`update replica set lease_until = clock_timestamp() + ${`${leaseMs} milliseconds`}::interval where id = 'rpl_other'`;
  await renew();
  return renew;
}

test("[START-39] with DATABASE_URL the lease of a silent instance is waited out, and the wait can be called off", async () => {
  const database = await createTestDatabase();
  const sql = postgres(database.url, { max: 1 });
  const options = { dataDir: join(folder.path, "leased"), env: { DATABASE_URL: database.url } };
  await addRival(sql, 600_000);
  const hanging = new TroupeProcess(folder, options);
  await hanging.says("the lease of an earlier instance has not run out");
  await expectCalledOff(hanging);
  // Longer than a start takes under load, or there is nothing to wait for.
  await sql`update replica set lease_until = clock_timestamp() + interval '20 seconds' where id = 'rpl_other'`;
  const service = await startTroupe(folder, options);
  expect(service.log.find(({ msg }) => msg.includes("waiting for it"))?.["waitMs"]).toBeLessThanOrEqual(20_000);
  expect(await service.end()).toBe(0);
  await sql.end();
  await database.drop();
});

test("[START-39] with DATABASE_URL a start beside a living instance says that the database is in use", async () => {
  const database = await createTestDatabase();
  const sql = postgres(database.url, { max: 1 });
  const renew = await addRival(sql, 900);
  const renewing = setInterval(() => void renew(), 200);
  const { code, text } = await failTroupe(folder, {
    dataDir: join(folder.path, "rival"),
    env: { DATABASE_URL: database.url },
  });
  clearInterval(renewing);
  expect(code).toBe(69);
  expect(text).toContain("The database is in use by the instance at http://other:3000. Stop it first.\n");
  expect(text).not.toContain("    at ");
  await sql.end();
  await database.drop();
});

test("[START-40] a folder that cannot be written is named with its setting", async () => {
  const dataDir = join(folder.path, "file-in-the-way");
  await Bun.write(dataDir, "");
  const { code, text } = await failTroupe(folder, { dataDir: join(dataDir, "data") });
  expect([code, text]).toEqual([
    69,
    expect.stringContaining(`The data folder ${dataDir}/data (DATA_DIR) cannot be used: `),
  ]);
  expect(text).not.toContain("    at ");
});
