/** The sweep of a running service, at its shortest interval and in real time. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import postgres from "postgres";
import { type GuardedFolder, guardedFolder } from "../support/guarded-folder.ts";
import { createEmptyDatabase, type TestDatabase } from "../support/postgres.ts";
import { eventually, startTroupe } from "../support/troupe-process.ts";

const INTERVAL_MS = 60_000;

let folder: GuardedFolder;
let database: TestDatabase;

beforeAll(async () => {
  folder = guardedFolder();
  database = await createEmptyDatabase();
});
afterAll(async () => {
  await folder.remove();
  await database.drop();
});

test("[SSE-10] a service sweeps within its interval, reports how much it was, and ends in good order", async () => {
  const service = await startTroupe(folder, { env: { DATABASE_URL: database.url, SWEEP_INTERVAL_MINUTES: "1" } });
  const sql = postgres(database.url, { max: 1 });
  const keep = (id: string, expiresAt: number) => sql`
      insert into idempotency_key (organization_id, id, version, body)
      values ('org_x', ${id}, 1, ${sql.json({ expiresAt: new Date(expiresAt).toISOString() })})`;
  await keep("over", Date.now() - 3_600_000);
  await keep("good", Date.now() + 3_600_000);
  const ids = async () => (await sql<{ id: string }[]>`select id from idempotency_key order by id`).map(({ id }) => id);
  await eventually("what is over is deleted", async () => (await ids()).length < 2, 2 * INTERVAL_MS);
  expect(await ids()).toEqual(["good"]);
  await sql.end();
  expect(await service.end()).toBe(0);
  expect(service.log.filter(({ msg }) => msg === "deleted expired data")).toMatchObject([
    { sweep: "idempotency_keys", rows: 1 },
  ]);
}, 300_000);
