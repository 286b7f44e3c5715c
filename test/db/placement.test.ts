/** What only PostgreSQL's placement does: a former replica of the same data folder is dead for certain. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { SHARD_COUNT } from "../../actors/runtime/placement/placement.ts";
import { type Database, openDatabase } from "../../db/client.ts";
import { holdLifeLock } from "../../db/life-lock.ts";
import { PostgresPlacement } from "../../db/placement.ts";
import { eventually } from "../support/troupe-process.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.url);
});
beforeEach(async () => {
  await database.read`delete from shard`;
  await database.read`delete from replica`;
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

const replica = (id: string, folder: string | null): PostgresPlacement =>
  new PostgresPlacement(database, { id, address: `http://${id}`, build: "test", folder });

async function owner(id: string, folder: string | null): Promise<PostgresPlacement> {
  const placement = replica(id, folder);
  await placement.join();
  expect(await placement.claim()).toHaveLength(SHARD_COUNT);
  return placement;
}

test("[START-41] the lease of a former replica of the same folder is ended at once", async () => {
  const former = await owner("rpl_1", "/data");
  const next = replica("rpl_2", "/data");
  expect((await next.rivals()).map(({ address }) => address)).toEqual(["http://rpl_1"]);
  await next.buryFormer();
  expect(await next.rivals()).toEqual([]);
  await next.join();
  const grants = await next.claim();
  expect(new Set(grants.map(({ epoch }) => epoch))).toEqual(new Set([2]));
  // The dead one learns of it, should it still twitch.
  expect(await former.renew()).toBe(false);
  expect(await former.claim()).toEqual([]);
});

test("[REP-6] a replica is declared dead only if its lock is free, and a single process never is", async () => {
  const beside = (id: string) =>
    new PostgresPlacement(database, { id, address: "", peerUrl: `http://${id}`, build: "test", folder: null });
  const looking = beside("rpl_1");
  const lock = await holdLifeLock(testDatabase.url, "rpl_2");
  const other = beside("rpl_2");
  await other.join();
  await owner("rpl_3", null);
  expect((await looking.read()).replicas).toEqual([{ id: "rpl_2", url: "http://rpl_2" }]);
  expect([await looking.bury("rpl_2"), await looking.bury("rpl_3")]).toEqual([false, false]);
  expect(await other.renew()).toBe(true);
  await lock.release();
  await eventually("the server has dropped the lock", () => looking.bury("rpl_2"));
  expect([await other.renew(), (await looking.read()).replicas]).toEqual([false, []]);
  expect(await looking.bury("rpl_2")).toBe(false);
});

test("[REP-1] a replica that has its share does not wait for others that take shards", async () => {
  const [full, other] = [replica("rpl_1", null), replica("rpl_2", null)];
  await full.join();
  await other.join();
  expect((await full.claimPart()).grants).toHaveLength(SHARD_COUNT / 2);
  const taking = await database.flush.reserve();
  try {
    await taking`begin`;
    await taking`select id from shard where owner is null for update`;
    expect((await full.claimPart()).grants).toHaveLength(SHARD_COUNT / 2);
  } finally {
    await taking`rollback`;
    taking.release();
  }
});

test("[RT-16] a new connection asks for no types, and arrays of each kind arrive as they were given", async () => {
  const words = ["a", "", 'b"c', String.raw`d\e`, "f,g", "{h}", "null", " i ", "j\nk"];
  await database.reading("own", "", async ({ sql }) => {
    const [row] = await sql`select array_to_json(${words}::text[]) as words, array_to_json(${"{}"}::text[]) as none,
      array_to_json(${[1, -2]}::int[]) as ints, array_to_json(${["9007199254740993"]}::bigint[])::text as longs`;
    expect(row).toEqual({ words, none: [], ints: [1, -2], longs: "[9007199254740993]" });
    // What the driver knows of the server's types after it has asked for them.
    const { shared } = sql.options as unknown as { readonly shared: { readonly typeArrayMap: object } };
    expect(shared.typeArrayMap).toEqual({});
  });
});

test("[REP-8] only the connections for a takeover are opened in advance", async () => {
  const opened = openDatabase(testDatabase.url);
  const count = async (): Promise<number> => {
    const [row] = await database.read<{ n: number }[]>`select count(*)::int as n from pg_stat_activity
      where datname = current_database() and application_name like 'troupe %'`;
    return row!.n;
  };
  // Of this test's own.
  await database.connect();
  const before = await count();
  try {
    await opened.connect();
    // Two for the flush, four for the runtime's own reads and for those who ask for an owner, three for the placement.
    expect([before, (await count()) - before]).toEqual([9, 9]);
  } finally {
    await opened.close();
  }
});

test("[RT-12] requests that look up an owner delay neither the lease nor a claim", async () => {
  const placement = await owner("rpl_1", null);
  const lock = await database.flush.reserve();
  let looked = 0;
  try {
    await lock`select pg_advisory_lock(7)`;
    const looks = Array.from({ length: 5 }, () =>
      database.placing("look", (sql) => sql`select pg_advisory_lock_shared(7)`).then(() => looked++),
    );
    expect(await placement.renew()).toBe(true);
    expect(await placement.claim()).toHaveLength(SHARD_COUNT);
    expect(looked).toBe(0);
    await lock`select pg_advisory_unlock(7)`;
    await Promise.all(looks);
    await database.placing("look", (sql) => sql`select pg_advisory_unlock_all()`);
  } finally {
    lock.release();
  }
});

test("[REP-7] replicas are not rivals of each other, but of a single process", async () => {
  const self = { address: "http://other", build: "test", folder: null };
  const one = new PostgresPlacement(database, { ...self, id: "rpl_1", peerUrl: "http://one" });
  await one.join();
  await one.claim();
  const two = new PostgresPlacement(database, { ...self, id: "rpl_2", peerUrl: "http://two" });
  expect(await two.rivals()).toEqual([]);
  expect(await replica("rpl_3", null).rivals()).toHaveLength(1);
});

test("[START-39] without a folder, or with another one, nobody is declared dead", async () => {
  const living = await owner("rpl_1", "/data");
  for (const folder of [null, "/other"]) {
    const next = replica("rpl_2", folder);
    await next.buryFormer();
    const [rival] = await next.rivals();
    expect(rival).toMatchObject({ address: "http://rpl_1" });
    expect(rival!.waitMs).toBeWithin(1, 10_001);
  }
  expect(await living.renew()).toBe(true);
});

test("[START-39] replicas without shards, dead ones and the process itself are not rivals", async () => {
  await owner("rpl_1", null);
  const idle = replica("rpl_2", null);
  await idle.join();
  expect(await replica("rpl_1", null).rivals()).toEqual([]);
  await database.read`update replica set dead = true where id = 'rpl_1'`;
  expect(await idle.rivals()).toEqual([]);
});

test("[PG-3] after a failover every epoch is above those of the former primary, and owned shards are claimed again", async () => {
  const placement = await owner("rpl_1", null);
  expect(await placement.raise([1])).toEqual([{ shard: 1, epoch: 2 }]);
  // The second timeline: a standby has been promoted.
  await database.read.unsafe(`create schema promoted;
    create function promoted.pg_walfile_name(pg_lsn) returns text language sql as 'select ''000000020000000000000001''';
    alter database ${new URL(testDatabase.url).pathname.slice(1)} set search_path = promoted, public, pg_catalog`);
  const promoted = openDatabase(testDatabase.url);
  const after = new PostgresPlacement(promoted, { id: "rpl_1", address: "", build: "test", folder: null });
  const base = 2 ** 32;
  try {
    expect(new Set((await after.claim()).map(({ epoch }) => epoch))).toEqual(new Set([base]));
    expect(await after.raise([1])).toEqual([{ shard: 1, epoch: base + 1 }]);
    expect(new Set((await after.claim()).map(({ epoch }) => epoch))).toEqual(new Set([base, base + 1]));
  } finally {
    await promoted.close();
    await database.read.unsafe(
      `alter database ${new URL(testDatabase.url).pathname.slice(1)} reset search_path; drop schema promoted cascade`,
    );
  }
});
