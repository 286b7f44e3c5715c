/** A job's input is the text of its message; a long one is stored with the message alone. */
import { expect, test } from "bun:test";
import { shardOf } from "../../actors/runtime/placement/placement.ts";
import type { RecordFields } from "../../actors/runtime/actor.ts";
import { noWrites, type RecordWrite } from "../../actors/runtime/store.ts";
import { openDatabase } from "../../db/client.ts";
import { wholeJob } from "../../db/record-rows.ts";
import { inOrganization } from "../../db/organization-export.ts";
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

test("[JOB-5] a job has the text of its message as its input, and only the message stores a long one", async () => {
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
  const text = `Hello "\\ \u00fc\ud83d\ude00 ${"x".repeat(2_000)}`;
  const [said, short] = [job("job_said", text, "msg_said"), job("job_short", "Hello", "msg_short")];
  // The instructions of a summary are no message's text.
  const summary = job("job_summary", text, "msg_none");
  // As version 0.2 has stored it: with its input.
  const older = job("job_older", text, "msg_older");
  await write(
    { table: "message", record: record("msg_said", { content: text }) },
    { table: "message", record: record("msg_short", { content: "Hello" }) },
    ...[said, short, summary].map((one) => ({ table: "job", record: one })),
  );
  await write({ table: "job", record: older });
  await write({ table: "message", record: record("msg_older", { content: text }) });

  const all = [older, said, short, summary];
  const read = () => store.read(all.map(({ id }) => ({ table: "job", organizationId: ORG, id })));
  expect(await read()).toEqual(all);
  const stored = await database.flush<{ id: string; has: boolean }[]>`
    select id, body ? 'input' as has from job order by id`;
  expect(stored.map(({ id, has }) => [id, has])).toEqual([
    ["job_older", true],
    ["job_said", false],
    ["job_short", true],
    ["job_summary", true],
  ]);

  // Changed fields leave the input where it is; a whole record without its message has it.
  const running = { ...said, status: "running", version: 2 } as RecordFields;
  await write({ table: "job", record: running, before: said });
  expect(await read()).toEqual([older, running, short, summary]);

  const inputs = { job_older: text, job_said: text, job_short: "Hello", job_summary: text };
  const page = await new PostgresJobDirectory(database).listJobs(ORG, { seenBy: "usr_1" }, { limit: 10, after: null });
  expect(Object.fromEntries(page.records.map(({ id, input }) => [id, input]))).toEqual(inputs);
  const exported = await inOrganization(url, ORG, (snapshot) => Array.fromAsync(snapshot.records("job")));
  const records = exported.flat() as { readonly id: string; readonly input: string }[];
  expect(Object.fromEntries(records.map(({ id, input }) => [id, input]))).toEqual(inputs);

  await write({ table: "job", record: { ...running, version: 3 } as RecordFields });
  expect((await read())[1]).toEqual({ ...running, version: 3 } as RecordFields);
});

test("[JOB-5] the input of a job is looked up by its message's key, also before the tables have statistics", async () => {
  const { url, drop } = await createTestDatabase();
  await using after = new AsyncDisposableStack();
  after.defer(drop);
  const database = openDatabase(url);
  after.defer(() => database.close());
  const query = `explain (generic_plan) select ${wholeJob("job.body")} from job where organization_id = $1 and id = $2`;
  const rows = await database.read.unsafe<Record<string, string>[]>(query).simple();
  const plan = rows.flatMap((row) => Object.values(row)).join("\n");
  expect(plan).toContain("Index Scan using message_organization_id_id_pk on message");
});
