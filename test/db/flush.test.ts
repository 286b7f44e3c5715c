/** How a batch becomes one statement. What the statement does is tested by the contract of the store. */
import { expect, test } from "bun:test";
import { noWrites, type ShardWrites, type Writes } from "../../actors/runtime/store.ts";
import { flushStatement } from "../../db/flush.ts";

const record = (id: string, version: number) => ({
  id,
  organizationId: "org_a",
  version,
  createdAt: "",
  updatedAt: "",
});
const group = (writes: Partial<Writes>, shard = 1, epoch = 7): ShardWrites => ({
  shard,
  epoch,
  writes: { ...noWrites(), ...writes },
});
const event = (seq: number) => ({ organizationId: "org_a", stream: "s", seq, type: "t", at: "", data: {} });
const rowsOf = (parameter: unknown): object[] => JSON.parse(parameter as string) as object[];
const addressed = { organizationId: "org_a", actorKind: "k", actorId: "a" };

test("[RT-4] a batch is one statement that names each shard once, with its epoch, and fences before it writes", () => {
  const { text, parameters } = flushStatement([
    group({ records: [{ table: "chat", record: record("c1", 1) }] }, 1, 7),
    group({ events: [event(1)] }, 2, 9),
    group({ records: [{ table: "chat", record: record("c2", 1) }] }, 1, 7),
  ]);
  expect(parameters.slice(0, 2)).toEqual([
    [1, 2],
    [7, 9],
  ]);
  expect(text).toStartWith("with f as materialized (select s.id from shard s");
  expect(text).toContain("for share of s");
  expect(text.split(";").length).toBe(1);
  expect(text.match(/ = any\(array\(select id from f\)\)/g)?.length).toBe(2);
});

test("[RT-4] a text has only the tables that its batch touches, so that few texts have to be prepared", () => {
  const one = flushStatement([group({ records: [{ table: "chat", record: record("c1", 1) }], events: [event(1)] })]);
  const many = flushStatement(
    Array.from({ length: 50 }, (_, i) =>
      group({ events: [event(i + 1)], records: [{ table: "chat", record: record(`c${i}`, i) }] }, i, 1),
    ),
  );
  expect(many.text).toBe(one.text);
  for (const table of ["actor_message", "effect", "alarm"]) expect(one.text).not.toContain(table);
});

test("[RT-4] the text does not depend on the order in which groups touch tables", () => {
  const [chat, job] = ["chat", "job"].map((table) => group({ records: [{ table, record: record("x", 1) }] })) as [
    ShardWrites,
    ShardWrites,
  ];
  expect(flushStatement([chat, job]).text).toBe(flushStatement([job, chat]).text);
});

test("[RT-4] rows of one key are merged to the last of the batch; events never are", () => {
  const { parameters } = flushStatement([
    group({ records: [{ table: "chat", record: record("c1", 1) }], events: [event(1)] }),
    group({ records: [{ table: "chat", record: record("c1", 2) }], events: [event(1)] }),
  ]);
  expect(rowsOf(parameters[2])).toMatchObject([[1, 0, { id: "c1", version: 2 }]]);
  expect(rowsOf(parameters[3])).toMatchObject([{ seq: 1 }, { seq: 1 }]);
});

test("[RT-10] an effect that begins and ends in one batch leaves no row, and an alarm only its last state", () => {
  const effect = { ...addressed, id: "e1", kind: "k", intent: {} };
  const alarm = { ...addressed, name: "n", dueAtMs: 5, command: { kind: "c" } };
  const key = { organizationId: "org_a", actorId: "a", name: "n" };
  const { text, parameters } = flushStatement([
    group({ effects: [effect], alarms: [alarm] }),
    group({ settled: ["e1"], cleared: [key] }),
  ]);
  expect(text).not.toContain("into effect");
  expect(text).not.toContain("into alarm");
  expect(parameters.length).toBe(3);
  expect(rowsOf(parameters[2])).toEqual([{ shard: 1, organization_id: "org_a", actor_id: "a", name: "n" }]);
});

test("[RT-4] a table name that is not a name never reaches the statement; values only travel as parameters", () => {
  expect(() => flushStatement([group({ records: [{ table: 'x"; drop', record: record("c", 1) }] })])).toThrow(
    "no table name",
  );
  const { text } = flushStatement([
    group({ records: [{ table: "chat", record: record("'); drop table chat; --", 1) }] }),
  ]);
  expect(text).not.toContain("drop");
});

test("[RT-4] of a changed record only its changed fields travel, unless a field is gone or its row may be swept", () => {
  const agent = { systemPrompt: "Be brief." };
  const job = (version: number, more: object) => ({ ...record("j1", version), agent, ...more });
  const sent = (table: string, ...records: readonly ReturnType<typeof job>[]) =>
    rowsOf(
      flushStatement(
        records.slice(1).map((one, index) => group({ records: [{ table, record: one, before: records[index]! }] })),
      ).parameters[2],
    )[0];
  const key = { organizationId: "org_a", id: "j1" };
  expect(sent("job", job(4, { step: 1 }), job(5, { step: 2 }))).toEqual([1, 4, { ...key, version: 5, step: 2 }]);
  expect(sent("job", job(4, { step: 1 }), job(5, { step: 2 }), job(6, { step: 3, note: null }))).toEqual([
    1,
    4,
    { ...key, version: 6, step: 3, note: null },
  ]);
  expect(sent("job", job(4, { note: 1 }), job(5, {}))).toEqual([1, 4, job(5, {})]);
  expect(sent("idempotency_key", job(4, { step: 1 }), job(5, { step: 2 }))).toEqual([1, 4, job(5, { step: 2 })]);
});
