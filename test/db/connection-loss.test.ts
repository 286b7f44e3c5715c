/** Connections that end in the middle of something: the pools must come back by themselves, and at once. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Database, openDatabase, type Sql } from "../../db/client.ts";
import { PostgresPlacement } from "../../db/placement.ts";
import { seededChance } from "../support/fake-clock.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";
import { PostgresProxy } from "../support/postgres-proxy.ts";

const ROUNDS = 60;
/** A connection that hangs does so for seconds; one that has been lost is replaced in milliseconds. */
const BACK_MS = 2_500;

let testDatabase: TestDatabase;
let proxy: PostgresProxy;
let database: Database;
const chance = seededChance(7);

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  proxy = await PostgresProxy.open(testDatabase.url);
  database = openDatabase(proxy.urlOf(testDatabase.url));
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

/** Asks until it is answered. */
async function back(ask: () => Promise<unknown>): Promise<void> {
  const from = performance.now();
  while (
    !(await ask().then(
      () => true,
      () => false,
    ))
  )
    expect(performance.now() - from).toBeLessThan(BACK_MS);
  expect(performance.now() - from).toBeLessThan(BACK_MS);
}

for (const pool of ["flush", "read", "placement"] as const) {
  test(`[RT-11] the ${pool} connections that are cut in the middle of a statement come back`, async () => {
    const sql: Sql = database[pool];
    for (let round = 0; round < ROUNDS; round++) {
      await loseWhile(async () => {
        await sql`select ${round}::int, pg_sleep(0.002)`;
        await sql`select ${"x".repeat(2_000)}`;
      });
      await back(() => sql`select 1`);
    }
  }, 30_000);
}

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
}, 30_000);

for (const pool of ["flush", "read", "placement"] as const) {
  test(`[RT-11] silence on a ${pool} connection is not waited for for ever, and the next question is answered`, async () => {
    const impatient = openDatabase(proxy.urlOf(testDatabase.url), { answerMs: 300 });
    await impatient.answered(impatient[pool]`select 1`);
    const swallowed = proxy.strike(`troupe ${pool}`, "reply_swallowed");
    // What waits without a limit of its own on another connection is freed too.
    const bystander = impatient[pool === "read" ? "flush" : "read"]`select pg_sleep(9)`.catch(String);
    await expect(impatient.answered(impatient[pool]`select 2`)).rejects.toThrow();
    await swallowed;
    expect(String(await bystander)).toContain("CONNECTION_DESTROYED");
    await back(() => impatient.answered(impatient[pool]`select 3`));
    await impatient.close();
  });
}
