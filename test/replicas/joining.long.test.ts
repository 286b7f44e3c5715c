/** Replicas as processes that join and leave beside others. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { ReplicaProcesses } from "../support/replica-processes.ts";

let replicas: ReplicaProcesses;

beforeAll(async () => {
  replicas = await ReplicaProcesses.start(2);
}, 300_000);
afterAll(() => replicas.stop());

test("[REP-7] a replica with another folder of files ends and says why", async () => {
  const started = replicas.join({ FILES_DIR: join(replicas.folder.path, "elsewhere") });
  await expect(started).rejects.toThrow("is not the folder of the replica at");
});

test("[REP-8] a replica that cannot open its port does not join", async () => {
  const count = async (): Promise<number> => (await replicas.sql`select id from replica`).length;
  const before = await count();
  const PORT = new URL(replicas.all[0]!.url).port;
  await expect(replicas.join({ PORT })).rejects.toThrow(`Port ${PORT} is in use`);
  expect(await count()).toBe(before);
});

test("[REP-8] every request through the other replicas is answered while one joins and leaves", async () => {
  const staying = [...replicas.all];
  let isOver = false;
  const statuses: number[] = [];
  const load = staying.map(async (at) => {
    while (!isOver) {
      statuses.push((await replicas.call(at, "POST", "/api/tasks", { title: "under load" })).status);
      // Within the rate budget.
      await Bun.sleep(10);
    }
  });
  const guest = await replicas.join();
  await replicas.even();
  const before = statuses.length;
  expect(await guest.end("SIGTERM")).toBe(0);
  await replicas.even();
  isOver = true;
  await Promise.all(load);
  expect(new Set(statuses)).toEqual(new Set([201]));
  expect(statuses.length).toBeGreaterThan(before);
}, 300_000);
