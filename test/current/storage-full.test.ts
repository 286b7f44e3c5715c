/** What is answered while the disk of the database is nearly full (RT-17). */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { answered, Client, refused } from "../support/current.ts";
import { gate } from "../support/fake-model.ts";
import { type Founded, type Service, startService } from "../support/service.ts";
import { createAgent } from "../support/v1.ts";

let hasRoom = true;
let service: Service;
let owner: Founded;

beforeAll(async () => {
  service = await startService({ hasRoom: () => hasRoom });
  owner = await service.found();
});
afterAll(() => service.stop());

let written = 0;
const write = () => service.call(owner, "PUT", `/api/secrets/key-${++written}`, { value: "long enough" });

test("[RT-17] writes are 503 storage_full and leave nothing, reads go on, and it recovers by itself", async () => {
  await answered(write(), 201);
  hasRoom = false;
  const refusal = await write();
  expect(refusal.headers.get("retry-after")).toBe("10");
  await refused(refusal, 503, "storage_full");
  expect((await service.call(owner, "POST", "/api/v1/tasks", { title: "x" })).status).toBe(503);
  // More than one reservation of the rate window, which is a commit.
  const list = () => answered<{ secrets: unknown[] }>(service.call(owner, "GET", "/api/secrets"));
  for (let i = 0; i < 100; i++) expect((await list()).secrets).toHaveLength(1);
  hasRoom = true;
  await answered(write(), 201);
});

test("[RT-17] a job that runs waits for room, and goes on", async () => {
  const client = new Client(service, owner);
  const hold = gate();
  service.model.script = () => [{ say: "half" }, hold, { say: " and half" }];
  const { job } = await client.send(await client.chat(await createAgent(service, owner), owner.workspaceId), "hi");
  await client.reached(job.id, "running");
  hasRoom = false;
  hold.open();
  await refused(write(), 503, "storage_full");
  expect((await client.job(job.id)).status).toBe("running");
  hasRoom = true;
  expect((await client.reached(job.id, "completed")).result).toBe("half and half");
});
