/** A job's input is the text of its message, which is stored with the message alone. */
import { expect, test } from "bun:test";
import { shardOf } from "../../actors/runtime/placement/placement.ts";
import type { RecordFields } from "../../actors/runtime/actor.ts";
import { noWrites, type RecordWrite } from "../../actors/runtime/store.ts";
import { openDatabase } from "../../db/client.ts";
import { PostgresPlacement } from "../../db/placement.ts";
import { PostgresActorStore } from "../../db/stores/actor-store.ts";
import { PostgresJobDirectory } from "../../db/stores/job-directory.ts";
import { createTestDatabase } from "../support/postgres.ts";

const ORG = "org_a";
const AT = "2026-01-01T00:00:00.000Z";
const record = (id: string, more: object, version = 1): RecordFields => ({
  id,
  organizationId: ORG,
  version,
  createdAt: AT,
  updatedAt: AT,
  ...more,
});
const job = (id: string, input: string, inputMessageId: string) =>
  record(id, { input, inputMessageId, status: "queued", createdBy: "usr_1", missionId: null, agent: { id: "agt_1" } });

test("[JOB-5] a job has the text of its message as its input, which only the message stores", async () => {
  const { url, drop } = await createTestDatabase();
  await using after = new AsyncDisposableStack();
  after.defer(drop);
  const database = openDatabase(url);
  after.defer(() => database.close());
  const placement = new PostgresPlacement(database, { id: "r1", address: "test", build: "test", folder: null });
  await placement.join();
  const grant = (await placement.claim()).find(({ shard }) => shard === shardOf(ORG))!;
  const store = new PostgresActorStore(database);
  const write = async (...records: readonly RecordWrite[]): Promise<void> => {
    const outcome = await store.flush([{ ...grant, writes: { ...noWrites(), records: [...records] } }]);
    expect(outcome.kind).toBe("answered");
  };
  const text = 'Hello "\\ \u00fc\ud83d\ude00';
  const [said, summary] = [job("job_said", text, "msg_1"), job("job_summary", "Keep the names", "msg_none")];
  // As version 0.2 has stored it: with its input.
  const older = job("job_older", "Hello", "msg_older");
  await write(
    { table: "message", record: record("msg_1", { content: text }) },
    { table: "job", record: said },
    { table: "job", record: summary },
  );
  await write({ table: "job", record: older });
  await write({ table: "message", record: record("msg_older", { content: "Hello" }) });

  const ids = ["job_said", "job_summary", "job_older"];
  const read = () => store.read(ids.map((id) => ({ table: "job", organizationId: ORG, id })));
  expect(await read()).toEqual([said, summary, older]);
  const stored = await database.flush<{ id: string; has: boolean }[]>`
    select id, body ? 'input' as has from job order by id`;
  expect([...stored]).toEqual([
    { id: "job_older", has: true },
    { id: "job_said", has: false },
    { id: "job_summary", has: true },
  ]);

  const running = { ...said, status: "running", version: 2 } as RecordFields;
  await write({ table: "job", record: running, before: said });
  expect(await read()).toEqual([running, summary, older]);

  const page = await new PostgresJobDirectory(database).listJobs(ORG, { seenBy: "usr_1" }, { limit: 10, after: null });
  expect(Object.fromEntries(page.records.map(({ id, input }) => [id, input]))).toEqual({
    job_said: text,
    job_summary: "Keep the names",
    job_older: "Hello",
  });
});
