/** Connections that end in the middle of something: the pools must come back by themselves. */
import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import type { TransactionSql } from "postgres";
import { type Database, openDatabase, poolOf, READ_BOUNDS, type ReadKind, type Sql } from "../../db/client.ts";
import { PostgresPlacement } from "../../db/placement.ts";
import { until } from "../support/condition.ts";
import { seededChance } from "../support/fake-clock.ts";
import { IS_LONG } from "../support/long.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { PostgresProxy } from "../support/postgres-proxy.ts";

const ROUNDS = IS_LONG ? 60 : 12;
/** A limit that no other timer has, and longer than a test: what hangs has no other end. */
const ANSWER_MS = 86_399_999;

let testDatabase: TestDatabase;
let proxy: PostgresProxy;
let database: Database;
const chance = seededChance(7);

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  proxy = await PostgresProxy.open(testDatabase.url);
  database = openDatabase(proxy.urlOf(testDatabase.url), { answerMs: ANSWER_MS });
});
afterAll(async () => {
  await database.close();
  await proxy.close();
  await testDatabase.drop();
});

async function loseWhile(work: () => Promise<unknown>): Promise<void> {
  const done = work().catch(() => {});
  await Bun.sleep(chance.fraction() * 4);
  proxy.cut();
  await done;
}

/** Asks until it is answered. A connection that hangs does so until the test's own limit. */
const back = (ask: () => Promise<unknown>): Promise<void> =>
  until("the connections are back", () =>
    ask().then(
      () => true,
      () => false,
    ),
  );

for (const pool of ["flush", "read", "placement"] as const) {
  test(`[RT-11] the ${pool} connections that are cut in the middle of a statement return`, async () => {
    const sql: Sql = database[pool];
    for (let round = 0; round < ROUNDS; round++) {
      await loseWhile(async () => {
        await sql`select ${round}::int, pg_sleep(0.002)`;
        await sql`select ${"x".repeat(2_000)}`;
      });
      await back(() => sql`select 1`);
    }
  });
}

test("[RT-11] a statement that fails while its rows arrive leaves no rows to the next statement", async () => {
  const sql = poolOf(testDatabase.url, "test", 1);
  try {
    await expect(sql`select 1 / (3 - n) from generate_series(1, 5) n`.execute()).rejects.toThrow("division by zero");
    expect([...(await sql`select 7 as n`)]).toEqual([{ n: 7 }]);
  } finally {
    await sql.end();
  }
});

test("[RT-11] the rest of a transaction whose connection was lost runs nowhere else, and holds no connection", async () => {
  const sql = poolOf(proxy.urlOf(testDatabase.url), "test", 1);
  try {
    const opened = Promise.withResolvers<TransactionSql>();
    const rest = Promise.withResolvers<never>();
    const lost = sql.begin(async (tx) => {
      await tx`create temporary table rest_of_it (n int)`;
      opened.resolve(tx);
      return rest.promise;
    });
    const tx = await opened.promise;
    proxy.cut();
    await expect(lost).rejects.toThrow("CONNECTION_CLOSED");
    await expect(tx`select ${1}::int`.execute()).rejects.toThrow("CONNECTION_CLOSED");
    await back(() => sql`select 1`);
    // By now the pool's only connection is another one.
    await expect(tx`select ${2}::int`.execute()).rejects.toThrow("CONNECTION_CLOSED");
    expect([...(await sql`select ${3}::int as n`)]).toEqual([{ n: 3 }]);
    rest.reject(new Error("too late"));
    expect([...(await sql`select 4 as n`)]).toEqual([{ n: 4 }]);
  } finally {
    await sql.end({ timeout: 0 });
  }
});

test("[RT-11] a lost reserved connection is neither used nor returned", async () => {
  const sql = poolOf(proxy.urlOf(testDatabase.url), "reserving", 1);
  try {
    const held = await sql.reserve();
    // The second one waits for its turn on the connection.
    const running = [1, 2].map((n) => held`select pg_sleep(60), ${n}::int`.then(String, String));
    const next = sql.reserve();
    await until("the first one runs", async () => {
      const found = await database.read`
        select from pg_stat_activity where application_name = 'troupe reserving' and state = 'active'`;
      return found.length === 1;
    });
    proxy.cut();
    for (const end of await Promise.all(running)) expect(end).toContain("CONNECTION_CLOSED");
    const reserved = await next;
    await expect(held`select 1`.execute()).rejects.toThrow("CONNECTION_CLOSED");
    held.release();
    expect([...(await reserved`select ${5}::int as n`)]).toEqual([{ n: 5 }]);
    reserved.release();
    expect([...(await sql`select 6 as n`)]).toEqual([{ n: 6 }]);
  } finally {
    await sql.end({ timeout: 0 });
  }
});

test("[RT-12] placement survives the loss of its connection anywhere in a transaction", async () => {
  const placement = new PostgresPlacement(database, {
    id: "rpl_loss",
    address: "127.0.0.1:0",
    build: "test",
    folder: null,
  });
  await placement.join();
  for (let round = 0; round < ROUNDS; round++) {
    await loseWhile(async () => {
      await placement.claim();
      await placement.raise([1, 2, 3]);
      await placement.renew();
    });
    await back(() => placement.claim());
  }
  const grants = await placement.claim();
  expect(grants.length).toBe(128);
  expect(new Set((await placement.raise([5, 6])).map((g) => g.shard))).toEqual(new Set([5, 6]));
});

/** The limits of answers end when the test says so: an answer that must come may take its time. */
function answerLimits() {
  const armed: (() => void)[] = [];
  const later = globalThis.setTimeout;
  const spy = spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, ...rest: unknown[]) => {
    if (rest[0] === ANSWER_MS) armed.push(run);
    return Reflect.apply(later, globalThis, [run, ...rest]) as NodeJS.Timeout;
  }) as typeof setTimeout);
  return { end: () => armed.at(-1)?.(), [Symbol.dispose]: () => spy.mockRestore() };
}

const POOLS = ["flush", "read", "placement"] as const;
for (const pool of POOLS) {
  test(`[RT-11] a silent ${pool} connection is given up after a time, and affects only its own pool`, async () => {
    using limits = answerLimits();
    const impatient = openDatabase(proxy.urlOf(testDatabase.url), { answerMs: ANSWER_MS });
    const ask = (name: (typeof POOLS)[number]): Promise<unknown> => {
      if (name === "flush") return impatient.flushing((sql) => sql`select 1`);
      if (name === "placement") return impatient.placing("lease", (sql) => sql`select 1`);
      return impatient.reading("load", "org_a", ({ sql }) => sql`select 1`);
    };
    for (const name of POOLS) await ask(name);
    const others = POOLS.filter((name) => name !== pool).map((name) => [impatient[name], name] as const);
    const silent = impatient[pool];
    const swallowed = proxy.strike(`troupe ${pool}`, "reply_swallowed");
    const refused = ask(pool).catch(String);
    await swallowed;
    limits.end();
    expect(await refused).toContain("no answer in time");
    expect(impatient[pool]).not.toBe(silent);
    for (const [sql, name] of others) {
      expect(impatient[name]).toBe(sql);
      await ask(name);
    }
    await back(() => ask(pool));
    await impatient.close();
  });
}

test("[RT-16] a question that throws is refused, and its time limit ends", async () => {
  const own = openDatabase(testDatabase.url);
  const ended = spyOn(globalThis, "clearTimeout");
  try {
    const bad = (): never => {
      throw new Error("a bug in a question");
    };
    expect(await own.flushing(bad).catch(String)).toContain("a bug in a question");
    expect(ended).toHaveBeenCalledTimes(1);
  } finally {
    ended.mockRestore();
    await own.close();
  }
});

test("[RT-16] a read's time limit starts at its dispatch, so a read that waits longer for a slot is answered", async () => {
  const impatient = openDatabase(testDatabase.url, { answerMs: 2_000 });
  const slow = () => impatient.reading("list", "org_a", ({ sql }) => sql`select pg_sleep(0.6)`);
  await Promise.all(Array.from({ length: 5 }, slow));
  await impatient.close();
});

test("[RT-16] an organization whose reads use all of its slots does not block those of others", async () => {
  const kinds = Object.keys(READ_BOUNDS) as ReadKind[];
  const own = openDatabase(testDatabase.url);
  const held = await own.placement.reserve();
  await held`select pg_advisory_lock(42)`;
  const stuck = kinds
    .filter((kind) => READ_BOUNDS[kind].each < READ_BOUNDS[kind].slots)
    .flatMap((kind) =>
      Array.from({ length: 20 }, () =>
        own.reading(kind, "org_a", ({ sql }) => sql`select pg_advisory_lock_shared(42), pg_advisory_unlock_shared(42)`),
      ),
    );
  for (const kind of kinds) {
    const rows = await own.reading(kind, "org_b", ({ sql }) => sql<{ one: number }[]>`select 1 as one`);
    expect([kind, rows[0]?.one]).toEqual([kind, 1]);
  }
  await held`select pg_advisory_unlock(42)`;
  held.release();
  await Promise.all(stuck);
  await own.close();
});

test("[RT-16] a query that waits for a slot when the connections close is answered", async () => {
  const closing = openDatabase(testDatabase.url);
  const reads = Array.from({ length: 3 }, () =>
    closing.reading("list", "org_a", ({ sql }) => sql`select pg_sleep(0.02)`),
  );
  await closing.close();
  expect(await Promise.all(reads)).toHaveLength(3);
});
