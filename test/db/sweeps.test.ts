/** What is past its time goes, in batches, and nothing else; what is written at the same time stays (SSE-10, IDEM-1). */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { noWrites, type ShardWrites } from "../../actors/runtime/store.ts";
import { shardOf } from "../../actors/runtime/placement/placement.ts";
import { KEPT_TABLES } from "../../db/changed-fields.ts";
import { type Database, openDatabase } from "../../db/client.ts";
import { PostgresActorStore } from "../../db/stores/actor-store.ts";
import { type Sweep, sweepOnce, sweepsOf } from "../../db/sweeps.ts";
import { until } from "../support/condition.ts";
import { KEPT_ROWS } from "../support/memory-database.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.UTC(2026, 5, 1);
const ORG = "org_1";

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.url);
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});
beforeEach(async () => {
  await database.read`truncate idempotency_key, rate_window, webhook_event, webhook_attempt, job, chat, mission_run, event, sweep_position`;
});

const iso = (ms: number): string => new Date(ms).toISOString();
const sweepNamed = (name: string): Sweep => {
  const found = sweepsOf({ eventDays: 90 }).find((sweep) => sweep.name === name);
  if (found === undefined) throw new Error(`no sweep ${name}`);
  return found;
};

interface Fields {
  readonly id: string;
  readonly createdAt?: string;
  readonly updatedAt?: string;
  readonly expiresAt?: string;
  readonly completedAt?: string | null;
  readonly deletedAt?: string | null;
  readonly missionId?: string;
  readonly missionSeq?: number;
  readonly outcome?: string;
}
const recordOf = (fields: Fields) => ({
  organizationId: ORG,
  version: 1,
  createdAt: iso(0),
  updatedAt: iso(0),
  ...fields,
});

async function put(table: string, fields: Fields): Promise<void> {
  const { read } = database;
  const record = recordOf(fields);
  await read`
    insert into ${read(table)} (organization_id, id, version, body)
    values (${ORG}, ${record.id}, 1, ${JSON.stringify(record)}::text::jsonb)
    on conflict (organization_id, id) do update set body = excluded.body`;
}
async function tell(stream: string, from: number, to: number): Promise<void> {
  await database.read`
    insert into event (organization_id, stream, seq, type, at, data)
    select ${ORG}, ${stream}, n, 'x', ${iso(0)}, '{}' from generate_series(${from}::int, ${to}::int) n`;
}
async function ids(table: string): Promise<string[]> {
  const { read } = database;
  return (await read<{ id: string }[]>`select id from ${read(table)} order by id`).map(({ id }) => id);
}
const seqs = async (stream: string): Promise<number[]> =>
  (await database.read<{ seq: number }[]>`select seq from event where stream = ${stream} order by seq`).map(
    ({ seq }) => seq,
  );

/** All batches of a sweep; answers how many rows each took. */
async function swept(name: string, limit = 1_000, now = NOW): Promise<number[]> {
  const batches: number[] = [];
  for (;;) {
    const { deleted, isDone } = await sweepOnce(database, sweepNamed(name), { now, limit });
    batches.push(deleted);
    if (isDone) return batches;
  }
}

test("[IDEM-1] keys are deleted after their time, and not before", async () => {
  await put("idempotency_key", { id: "over", expiresAt: iso(NOW - HOUR_MS) });
  await put("idempotency_key", { id: "just over", expiresAt: iso(NOW - 1) });
  await put("idempotency_key", { id: "good", expiresAt: iso(NOW + 1) });
  await swept("idempotency_keys");
  // A little later than the clock says: that of another replica may be behind.
  expect(await ids("idempotency_key")).toEqual(["good", "just over"]);
  await swept("idempotency_keys", 10, NOW + DAY_MS);
  expect(await ids("idempotency_key")).toEqual([]);
});

test("[SSE-10] a sweep works in batches, the oldest rows first", async () => {
  for (let n = 0; n < 7; n++) await put("idempotency_key", { id: `k${n}`, expiresAt: iso(NOW - DAY_MS + n) });
  const first = await sweepOnce(database, sweepNamed("idempotency_keys"), { now: NOW, limit: 3 });
  expect(first).toEqual({ deleted: 3, isDone: false });
  expect(await ids("idempotency_key")).toEqual(["k3", "k4", "k5", "k6"]);
  expect(await swept("idempotency_keys", 3)).toEqual([3, 1]);
});

test("[SSE-10] rate windows that ended long ago are deleted", async () => {
  await put("rate_window", { id: "tok_old", updatedAt: iso(NOW - HOUR_MS) });
  await put("rate_window", { id: "tok_new", updatedAt: iso(NOW - 60_000) });
  await swept("rate_windows");
  expect(await ids("rate_window")).toEqual(["tok_new"]);
});

test("[MIS-11] entries of a ledger are deleted after 90 days with the events up to them, except those of open runs", async () => {
  const run = (id: string, days: number, missionSeq: number, outcome = "succeeded"): Promise<void> =>
    put("mission_run", { id, createdAt: iso(NOW - days * DAY_MS), missionId: "mis_1", missionSeq, outcome });
  await run("a", 92, 2);
  await run("b", 91, 4);
  await run("c", 91, 5, "started");
  await run("d", 89, 7);
  await tell("mis_1", 1, 8);
  await tell("mis_2", 1, 3);
  expect(await swept("mission_runs", 1)).toEqual([3, 3, 0]);
  expect(await ids("mission_run")).toEqual(["c", "d"]);
  expect(await seqs("mis_1")).toEqual([5, 6, 7, 8]);
  expect(await seqs("mis_2")).toEqual([1, 2, 3]);
});

test("[SSE-10] the events of a job are deleted 90 days after its end, and no others", async () => {
  const old = NOW - 91 * DAY_MS;
  const jobs: Fields[] = [
    { id: "over", completedAt: iso(old), updatedAt: iso(old) },
    { id: "recent", completedAt: iso(NOW - 89 * DAY_MS), updatedAt: iso(NOW - 89 * DAY_MS) },
    { id: "changed since", completedAt: iso(old), updatedAt: iso(NOW - DAY_MS) },
    { id: "running", completedAt: null, updatedAt: iso(0) },
  ];
  for (const job of jobs) {
    await put("job", job);
    await tell(job.id, 1, 5);
  }
  expect(await swept("job_events")).toEqual([5]);
  const left = await Promise.all(jobs.map(async ({ id }) => (await seqs(id)).length));
  expect(left).toEqual([0, 5, 5, 5]);
  expect(await ids("job")).toHaveLength(4);
  // Later the others come to it, whatever order their ids have.
  expect(await swept("job_events", 1_000, NOW + 90 * DAY_MS)).toEqual([10]);
  expect(await seqs("running")).toHaveLength(5);
});

test("[SSE-10] the events of a chat are deleted 90 days after the chat, and not before", async () => {
  const old = iso(NOW - 91 * DAY_MS);
  await put("chat", { id: "deleted", deletedAt: old, updatedAt: old });
  await put("chat", { id: "there", deletedAt: null, updatedAt: iso(0) });
  for (const id of ["deleted", "there"]) await tell(id, 1, 3);
  await swept("chat_events");
  expect([await seqs("deleted"), await seqs("there")]).toEqual([[], [1, 2, 3]]);
});

test("[SSE-10] events are deleted in batches within a stream and over many, and each record is checked once", async () => {
  const count = 250;
  for (let n = 0; n < count; n++) {
    const at = iso(NOW - 100 * DAY_MS + n);
    await put("job", { id: `job ${n}`, completedAt: at, updatedAt: at });
  }
  for (let n = 0; n < count; n += 50) await tell(`job ${n}`, 1, 10);
  const batches = await swept("job_events", 7);
  expect(Math.max(...batches)).toBe(7);
  expect(batches.reduce((sum, deleted) => sum + deleted, 0)).toBe(50);
  expect(await database.read`select from event`).toHaveLength(0);
  // What it has been at it does not look at again, unless it has changed since.
  await tell("job 0", 11, 12);
  expect(await swept("job_events", 7)).toEqual([0]);
  await put("job", { id: "job 0", completedAt: iso(0), updatedAt: iso(NOW - 95 * DAY_MS) });
  expect(await swept("job_events", 7)).toEqual([2]);
});

test("[SSE-10] a row that is being written is skipped, and the sweep does not wait", async () => {
  await put("idempotency_key", { id: "held", expiresAt: iso(NOW - DAY_MS) });
  await put("idempotency_key", { id: "free", expiresAt: iso(NOW - DAY_MS) });
  await database.placement.begin(async (other) => {
    const body = recordOf({ id: "held", expiresAt: iso(NOW + DAY_MS) });
    await other`update idempotency_key set body = ${JSON.stringify(body)}::text::jsonb where id = 'held'`;
    expect(await swept("idempotency_keys")).toEqual([1]);
  });
  expect(await swept("idempotency_keys")).toEqual([0]);
  expect(await ids("idempotency_key")).toEqual(["held"]);
});

test("[SSE-10] of two replicas that sweep at once only one processes the ended records", async () => {
  const at = iso(NOW - 100 * DAY_MS);
  await put("job", { id: "over", completedAt: at, updatedAt: at });
  await tell("over", 1, 3);
  await swept("job_events", 1_000, 0);
  await database.placement.begin(async (other) => {
    await other`select from sweep_position where sweep = 'job_events' for update`;
    expect(await swept("job_events")).toEqual([0]);
  });
  expect(await seqs("over")).toEqual([1, 2, 3]);
  expect(await swept("job_events")).toEqual([3]);
});

test("[SSE-10] a key that is written again while its row is being swept is stored", async () => {
  await put("idempotency_key", { id: "again", expiresAt: iso(NOW - DAY_MS) });
  const { shard, epoch } = { shard: shardOf(ORG), epoch: 1 };
  await database.read`
    insert into shard (id, owner, epoch) values (${shard}, 'me', 1) on conflict (id) do update set epoch = 1`;
  const record = { ...recordOf({ id: "again", expiresAt: iso(NOW + DAY_MS) }), version: 2 };
  const batch: ShardWrites = {
    shard,
    epoch,
    writes: { ...noWrites(), records: [{ table: "idempotency_key", record }] },
  };
  let flushed: Promise<unknown> = Promise.resolve();
  await database.placement.begin(async (sql) => {
    expect(await sweepNamed("idempotency_keys").take(sql, iso(NOW), 10)).toEqual({ deleted: 1, isDone: true });
    flushed = new PostgresActorStore(database).flush([batch]);
    await until("the flush waits for the batch", async () => {
      const waiting =
        await database.read`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
      return waiting.length === 1;
    });
  });
  expect(await flushed).toEqual({ kind: "answered", live: new Set([shard]) });
  const rows = await database.read<{ expires_at: string }[]>`select expires_at from idempotency_key`;
  expect(rows.map((row) => row.expires_at)).toEqual([iso(NOW + DAY_MS)]);
});

test("[HOOK-9] an event is kept for 30 days, and its row in the ledger for 90", async () => {
  for (const [table, days, sweep] of [
    ["webhook_event", 30, "webhook_events"],
    ["webhook_attempt", 90, "webhook_attempts"],
  ] as const) {
    await put(table, { id: "gone", createdAt: iso(NOW - days * DAY_MS - 1) });
    await put(table, { id: "kept", createdAt: iso(NOW - days * DAY_MS) });
    await put(table, { id: "new", createdAt: iso(NOW) });
    await swept(sweep);
    expect(await ids(table)).toEqual(["kept", "new"]);
  }
});

test("[RT-15] no sweep deletes a row of which a commit may send changed fields alone", async () => {
  const past = { createdAt: iso(0), expiresAt: iso(0), completedAt: iso(0), deletedAt: iso(0) };
  for (const table of KEPT_TABLES) await put(table, { id: `ended_${table}`, ...past });
  for (const { name } of sweepsOf({ eventDays: 90 })) await swept(name);
  for (const table of KEPT_TABLES) expect(await ids(table)).toEqual([`ended_${table}`]);
  expect(KEPT_ROWS).toEqual(KEPT_TABLES);
});
