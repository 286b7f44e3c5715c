/** With DATABASE_URL only the lock of its own folder proves a death: what a killed and a living instance mean for the next, in real time. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { LEASE_TERM_MS } from "../../actors/runtime/placement/placement.ts";
import { type GuardedFolder, guardedFolder } from "../support/guarded-folder.ts";
import { createEmptyDatabase, type TestDatabase } from "../support/postgres.ts";
import { failTroupe, startTroupe, type TroupeOptions } from "../support/troupe-process.ts";

/** Instances of one database share its key. */
const SECRET = Buffer.alloc(32, 7).toString("base64");

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

/** Two instances on two machines, as far as their data folders go. */
const options = (name: string): TroupeOptions => ({
  dataDir: join(folder.path, name),
  env: { DATABASE_URL: database.url, TROUPE_SECRET: SECRET },
});

test("[START-39] a living instance keeps the database, a killed one's lease is waited out, and nothing is lost", async () => {
  const living = await startTroupe(folder, options("one"));
  const { personal } = living.firstRun();
  const headers = { authorization: `Bearer ${personal}`, "content-type": "application/json" };
  const written = await fetch(`${living.url}/api/v1/tasks`, { method: "POST", headers, body: '{"title": "kept"}' });
  expect(written.status).toBe(200);

  const refused = await failTroupe(folder, options("two"));
  expect([refused.code, refused.text]).toEqual([69, expect.stringContaining("The database is in use by the instance")]);
  expect((await fetch(`${living.url}/readyz`)).status).toBe(200);

  expect(await living.end("SIGKILL")).toBe("SIGKILL");
  const killedAt = performance.now();
  const next = await startTroupe(folder, options("two"));
  expect(performance.now() - killedAt).toBeGreaterThan(LEASE_TERM_MS / 2);
  const { tasks } = (await (await fetch(`${next.url}/api/v1/tasks`, { headers })).json()) as {
    tasks: { title: string }[];
  };
  expect(tasks.map(({ title }) => title)).toEqual(["kept"]);

  // One that has been stopped has given its shards up: nobody waits for it.
  expect(await next.end()).toBe(0);
  const third = await startTroupe(folder, options("one"));
  expect(third.log.map(({ msg }) => msg).join()).not.toContain("waiting");
  expect(await third.end()).toBe(0);
}, 300_000);

test.skipIf(process.platform !== "linux")(
  "[START-39] a start on the folder of a killed instance waits for no lease, and a copy of the folder proves nothing",
  async () => {
    const first = await startTroupe(folder, options("three"));
    expect(await first.end("SIGKILL")).toBe("SIGKILL");
    const second = await startTroupe(folder, options("three"));
    expect(second.log.map(({ msg }) => msg).join()).not.toContain("waiting");
    cpSync(join(folder.path, "three"), join(folder.path, "four"), { recursive: true });
    const refused = await failTroupe(folder, options("four"));
    expect(refused.text).toContain("The database is in use by the instance");
    expect(await second.end()).toBe(0);
  },
  300_000,
);
