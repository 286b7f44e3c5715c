/** Which texts the statements of batches have, and that PostgreSQL runs those with tables to spare. */
import { expect, test } from "bun:test";
import { noWrites, type ShardWrites, type Writes } from "../../actors/runtime/store.ts";
import { openDatabase } from "../../db/client.ts";
import { flushStatement } from "../../db/flush.ts";
import { FlushShapes, SHAPES, SPARE_TABLES } from "../../db/flush-shapes.ts";
import { PostgresPlacement } from "../../db/placement.ts";
import { PostgresActorStore } from "../../db/stores/actor-store.ts";
import { createTestDatabase } from "../support/postgres.ts";

const names = (...of: string[]): ReadonlySet<string> => new Set(of);
const tables = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `record_t${"abcdefghij"[i % 10]}${i}`);

test("[RT-4] a batch with fewer tables reuses a text, unless that has too many others", () => {
  const shapes = new FlushShapes();
  const [first = "", ...rest] = tables(SPARE_TABLES + 1);
  const wide = shapes.covering(names(first, ...rest));
  expect(wide).toEqual(names(first, ...rest));
  expect(shapes.covering(names(first))).toBe(wide);
  expect(shapes.size).toBe(1);
  const wider = shapes.covering(names(first, ...rest, "record_x"));
  // Both have its tables: the one with fewer besides is taken, and of the wider one there would be too many.
  expect(shapes.covering(names(...rest))).toBe(wide);
  expect(shapes.covering(names("record_x"))).toEqual(names("record_x"));
  expect(wider.size).toBe(SPARE_TABLES + 2);
  expect(shapes.size).toBe(3);
});

test("[RT-4] tables of rows that one batch creates and another deletes are in the same text", () => {
  const shapes = new FlushShapes();
  const begun = shapes.covering(names("record_job", "effect", "actor_message"));
  expect(begun).toEqual(names("record_job", "effect", "settled", "actor_message", "consumed"));
  expect(shapes.covering(names("record_job", "settled", "consumed"))).toBe(begun);
});

test("[RT-4] however batches mix tables, there are few texts, and each has all tables of its batch", () => {
  const shapes = new FlushShapes();
  const all = [...tables(20), "event", "effect", "settled", "alarm", "cleared", "actor_message", "consumed"];
  const texts = new Set<string>();
  // A fixed sequence that looks like a random one (Park and Miller, 1988).
  let state = 1;
  for (let batch = 0; batch < 5_000; batch++) {
    const touched = new Set(all.filter(() => (state = (state * 48_271) % 2_147_483_647) % 7 === 0));
    const shape = shapes.covering(touched);
    expect(touched.isSubsetOf(shape)).toBe(true);
    texts.add([...shape].sort().join(" "));
  }
  // The text of all tables is there once more for each table that came later.
  expect(texts.size).toBeLessThanOrEqual(SHAPES + 3);
});

const record = (id: string, version: number) => ({ id, organizationId: "o", version, createdAt: "", updatedAt: "" });
const event = (seq: number) => ({ organizationId: "o", stream: "s", seq, type: "t", at: "", data: {} });
const group = (writes: Partial<Writes>): ShardWrites => ({ shard: 1, epoch: 1, writes: { ...noWrites(), ...writes } });

test("[RT-4] a table that the batch does not touch gets no rows, in the same place of the statement", () => {
  const shapes = new FlushShapes();
  const chat = { table: "chat", record: record("c", 1) };
  const both = flushStatement([group({ records: [chat], events: [event(1)] })], shapes);
  const one = flushStatement([group({ events: [event(2)] })], shapes);
  expect(one.text).toBe(both.text);
  expect(
    one.parameters.map((parameter) => (typeof parameter === "string" ? parameter.slice(0, 2) : parameter)),
  ).toEqual([[1], [1], "[]", "[{"]);
});

test("[RT-4] PostgreSQL plans one statement for batches that differ in a few tables, and stores the rows of each", async () => {
  const testDatabase = await createTestDatabase();
  const database = openDatabase(testDatabase.url);
  try {
    const placement = new PostgresPlacement(database, { id: "r", address: "127.0.0.1:0", build: "test", folder: null });
    await placement.join();
    const [{ shard, epoch } = { shard: 1, epoch: 1 }] = await database.read<{ shard: number; epoch: number }[]>`
      update shard set owner = 'r', epoch = 5 where id = 1 returning id as shard, epoch::int`;
    const store = new PostgresActorStore(database);
    const flush = async (writes: Partial<Writes>): Promise<void> => {
      const outcome = await store.flush([{ shard, epoch, writes: { ...noWrites(), ...writes } }]);
      expect(outcome).toEqual({ kind: "answered", live: new Set([shard]) });
    };
    const address = { organizationId: "o", actorKind: "k", actorId: "a" };
    const chat = (version: number) => ({ table: "chat", record: record("c", version) });
    await flush({
      records: [chat(1)],
      events: [event(1)],
      effects: [{ ...address, id: "e1", kind: "k", intent: {} }],
    });
    await flush({ events: [event(2)] });
    await flush({ records: [chat(2)] });
    await flush({ settled: ["e1"] });
    const prepared = await database.flush`select name from pg_prepared_statements where statement like 'with f as%'`;
    expect(prepared).toHaveLength(1);
    const [left] = await database.read<{ events: number; effects: number; version: number }[]>`
      select (select count(*)::int from event) as events, (select count(*)::int from effect) as effects,
        (select version from chat) as version`;
    expect(left).toEqual({ events: 2, effects: 0, version: 2 });
    // A table that is not there breaks its own batch, and no text that others may take.
    const broken = await store.flush([
      {
        shard,
        epoch,
        writes: { ...noWrites(), records: [{ table: "nowhere", record: record("n", 1) }], events: [event(3)] },
      },
    ]);
    expect(broken).toMatchObject({ kind: "aborted", code: "42P01" });
    await flush({ alarms: [{ ...address, name: "n", dueAtMs: 1, command: { kind: "c" } }] });
    await flush({ events: [event(3)] });
  } finally {
    await database.close();
    await testDatabase.drop();
  }
});
