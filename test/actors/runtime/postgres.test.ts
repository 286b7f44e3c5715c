/** The whole runtime on PostgreSQL: what the model in memory stands for. */
import { DEFAULT_JOB_LIMITS } from "../../../actors/job/limits.ts";
import { ok } from "../../../actors/fault.ts";
import { chatRef, type Message } from "../../../actors/chat/schema.ts";
import { jobExecution } from "../../../actors/job/run/execution.ts";
import { type Job, jobRef } from "../../../actors/job/schema.ts";
import { NO_RETRIES } from "../../../actors/job/run/retry-policy.ts";
import { Slots } from "../../../actors/job/run/slots.ts";
import type { AnyDefinition, Tx } from "../../../actors/runtime/actor.ts";
import { shardOf } from "../../../actors/runtime/placement/placement.ts";
import { troupeActors, type TroupeProtocols } from "../../../actors/troupe.ts";
import { calendar } from "../../../src/schedule/calendar.ts";
import { type Database, openDatabase } from "../../../db/client.ts";
import { PostgresActorStore } from "../../../db/stores/actor-store.ts";
import { PostgresTranscripts } from "../../../db/stores/transcripts.ts";
import { systemChance, systemClock } from "../../../src/wiring/clock.ts";
import { until } from "../../support/condition.ts";
import { FakeModel, gate } from "../../support/fake-model.ts";
import { FakeTools, parsedOutputs } from "../../support/fake-tools.ts";
import { AGENT, MESSAGE } from "../../support/job-replica.ts";
import { idleEffect, said } from "../../support/ledger-replica.ts";
import { type Ledger, ledgerActor, type LedgerProtocols, ledgerRef } from "../../support/ledger-actor.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";
import { erased } from "../../support/replica.ts";
import { startPostgresSystem } from "../../support/postgres-system.ts";
import { afterEach, beforeEach, expect, test } from "bun:test";

const ORG = "org_a";
let created: TestDatabase;
let open: { stop(): Promise<void> }[];

beforeEach(async () => {
  created = await createTestDatabase();
  open = [];
});
afterEach(async () => {
  for (const replica of open) await replica.stop();
  await created.drop();
});

const log = { debug: () => {}, warn: () => {}, error: () => {} };

/** Closes a system's connections under it, as the death of its process does, and ends its lease. */
function crashing(system: { stop(): Promise<void> }, database: Database, id: string) {
  let isDown = false;
  const stop = async (): Promise<void> => {
    if (isDown) return;
    isDown = true;
    await system.stop();
    await database.close();
  };
  open.push({ stop });
  return {
    crash: async (): Promise<void> => {
      isDown = true;
      await database.placement`update replica set dead = true where id = ${id}`;
      await database.close();
    },
  };
}

async function startLedgers(id: string, more: readonly AnyDefinition[] = []) {
  const database = openDatabase(created.url);
  const system = await startPostgresSystem<LedgerProtocols>(database, {
    id,
    definitions: [erased(ledgerActor()), ...more],
    handlers: () => ({ count: idleEffect() }),
  });
  return { system, database, ...crashing(system, database, id) };
}

test("[RT-4] concurrent turns of many actors are all stored after a restart, none twice, in few statements", async () => {
  const first = await startLedgers("r1");
  const ids = Array.from({ length: 20 }, (_, i) => `l${i}`);
  const outcomes = await Promise.all(
    ids.flatMap((id) =>
      Array.from({ length: 25 }, () => first.system.dispatch(ledgerRef(ORG, id), { kind: "add", by: 1 })),
    ),
  );
  expect(outcomes.every((outcome) => outcome.ok)).toBe(true);
  expect(first.system.lanes[0]!.statements).toBeLessThanOrEqual(500 / 32);
  await first.crash();
  const { system, database } = await startLedgers("r2");
  const store = new PostgresActorStore(database);
  for (const id of ids) {
    expect(((await system.dispatch(ledgerRef(ORG, id), { kind: "read" })) as { value: Ledger }).value).toMatchObject({
      count: 25,
      lastSeq: 25,
    });
    expect((await store.events(ORG, id, { after: 0, limit: 99 })).events.map((e) => e.seq)).toEqual(
      Array.from({ length: 25 }, (_, i) => i + 1),
    );
  }
});

test("[RT-10] messages, alarms and events arrive once, and a reader sees them in order", async () => {
  const { system } = await startLedgers("r1");
  const reader = system.subscribe(ledgerRef(ORG, "b"), 0);
  await system.dispatch(ledgerRef(ORG, "a"), { kind: "add_and_tell", by: 5, to: "b" });
  await system.dispatch(ledgerRef(ORG, "b"), { kind: "wake_at", dueAtMs: Date.now() - 1, by: 7 });
  const items: string[] = [];
  while (!items.includes("2")) items.push(...said(await reader.next()));
  expect(items).toEqual(["1", "2"]);
  const outcome = (await system.dispatch(ledgerRef(ORG, "b"), { kind: "read" })) as { value: Ledger };
  expect(outcome.value.count).toBe(12);
});

test("[RT-4] a poisoned group among many breaks alone; groups that depended on it run again", async () => {
  const { system } = await startLedgers("r1");
  const add = (id: string, by: number, note = "") => system.dispatch(ledgerRef(ORG, id), { kind: "add", by, note });
  await Promise.all(["a", "b"].map((id) => add(id, 1)));
  const read = system.dispatch(ledgerRef(ORG, "b"), { kind: "read" });
  const outcomes = await Promise.allSettled([add("a", 1), add("b", 10), add("b", 100, "\u0000"), add("a", 1)]);
  expect(outcomes.map((o) => (o.status === "fulfilled" && o.value.ok ? o.value.value : o.status))).toEqual([
    2,
    11,
    "rejected",
    3,
  ]);
  expect(((await read) as { value: Ledger }).value.count).toBe(1);
  const [onIt, behind] = await Promise.all([add("b", 1), system.dispatch(ledgerRef(ORG, "b"), { kind: "read" })]);
  expect([(onIt as { value: number }).value, (behind as { value: Ledger }).value.count]).toEqual([12, 12]);
});

test("[RT-4] a flush whose backend is ended: the epoch rises, and everything is served again from what is stored", async () => {
  const { system, database } = await startLedgers("r1");
  await system.dispatch(ledgerRef(ORG, "a"), { kind: "add", by: 1 });
  const blocker = await database.read.reserve();
  await blocker`begin`;
  await blocker`insert into event (organization_id, stream, seq, type, at, data) values (${ORG}, 'a', 2, 'in the way', '', '{}')`;
  const outcome = system.dispatch(ledgerRef(ORG, "a"), { kind: "add", by: 10 });
  await until("the flush waits", async () => {
    const rows =
      await database.read`select pid from pg_stat_activity where datname = current_database() and application_name = 'troupe flush' and wait_event_type = 'Lock'`;
    for (const { pid } of rows) await database.read`select pg_terminate_backend(${pid as number})`;
    return rows.length > 0;
  });
  expect(await outcome).toMatchObject({ ok: false, fault: { kind: "outcome_unknown" } });
  await blocker`rollback`;
  blocker.release();
  await until(
    "the shard is served again",
    async () => (await system.dispatch(ledgerRef(ORG, "a"), { kind: "add", by: 100 })).ok,
  );
  const ledger = ((await system.dispatch(ledgerRef(ORG, "a"), { kind: "read" })) as { value: Ledger }).value;
  expect(ledger).toMatchObject({ count: 101, lastSeq: 2 });
  expect(system.shards.epochOf(shardOf(ORG))).toBeGreaterThan(1);
});

test("[RT-1] with real cold records, commands to an actor run in the order of their dispatch", async () => {
  const noted: string[] = [];
  const rows = { name: "task" };
  const definition: AnyDefinition = {
    kind: "ordered",
    needs: (_, command) => (command as unknown as { records: string[] }).records.map((id) => ({ table: "task", id })),
    handlers: {
      note: (tx: Tx, { name, records }: { readonly name: string; readonly records: readonly string[] }) => {
        for (const id of records) if (tx.read(rows, id) === null) tx.create(rows, { id } as never);
        if (tx.self.id === "a") noted.push(name);
        return ok(null);
      },
    },
  };
  const { system } = await startLedgers("r1", [definition]);
  const ask = (id: string, name: string, records: readonly string[]) => ({
    ref: { kind: "ordered", organizationId: ORG, id },
    command: { kind: "note", name, records },
  });
  for (let round = 0; round < 20; round++) {
    noted.length = 0;
    const outcomes = await Promise.all([
      system.dispatchGroup([ask("a", "1", [`cold${round}`, `colder${round}`])]),
      system.dispatchGroup([ask("a", "2", [])]),
      system.dispatchGroup([ask("b", "3", [`other${round}`]), ask("a", "3", [])]),
      system.dispatchGroup([ask("a", "4", ["warm"])]),
      system.dispatchGroup([ask("a", "5", [])]),
    ]);
    expect(outcomes.every((outcome) => outcome.ok)).toBe(true);
    expect(noted).toEqual(["1", "2", "3", "4", "5"]);
  }
});

async function startJobs(id: string, model: FakeModel, tools: FakeTools) {
  const database = openDatabase(created.url);
  const system = await startPostgresSystem<TroupeProtocols>(database, {
    id,
    definitions: troupeActors({ calendar }),
    handlers: (system) => ({
      run: jobExecution({
        models: model,
        tools,
        outputs: parsedOutputs,
        transcripts: new PostgresTranscripts(database),
        slots: new Slots(),
        steps: DEFAULT_JOB_LIMITS.steps,
        retry: NO_RETRIES,
        chance: systemChance,
        clock: systemClock,
        group: (members, admission) => system.dispatchGroup(members, admission),
        textWriter: (text) => system.textWriter(text),
        log,
      }),
    }),
  });
  const send = async (content: string, isFirst: boolean): Promise<Job> => {
    const open = isFirst ? { workspaceId: "w", title: "t" } : null;
    const outcome = await system.dispatch(chatRef(ORG, "cht_1"), { ...MESSAGE, open, agent: AGENT, content });
    if (!outcome.ok) throw new Error(outcome.fault.kind);
    return outcome.value.job!;
  };
  const read = async (jobId: string): Promise<Job> => {
    const outcome = await system.dispatch(jobRef(ORG, jobId), { kind: "read_job" });
    if (!outcome.ok) throw new Error(outcome.fault.kind);
    return outcome.value;
  };
  return { system, database, send, read, ...crashing(system, database, id) };
}

test("[JOB-4] a run with tools survives a crash: the finished call is not made again, and chat, job and streams agree", async () => {
  const [model, tools, held] = [new FakeModel(), new FakeTools(), gate()];
  model.script = (call) =>
    JSON.stringify(call.entries).includes("tool_result")
      ? [{ say: "Seen." }]
      : [{ say: "Look. " }, { use: { type: "tool_use", id: "c1", name: "look", input: {} } }];
  const first = await startJobs("r1", model, tools);
  const script = model.script;
  model.script = (call) => (model.calls.length === 2 ? [{ hold: held.hold }] : script(call));
  const { id } = await first.send("go", true);
  await model.called(2);
  await first.crash();
  const second = await startJobs("r2", model, tools);
  await until("the job ends", async () => (await second.read(id)).status === "completed");
  held.open();
  const job = await second.read(id);
  expect(job).toMatchObject({ attempt: 2, result: "Look. \n\nSeen.", step: 2 });
  expect(tools.keys()).toEqual([`${id}:1:c1`]);
  const store = new PostgresActorStore(second.database);
  const [message] = (await store.read([{ table: "message", organizationId: ORG, id: job.outputMessageId }])) as [
    Message,
  ];
  expect(message).toMatchObject({ status: "completed", content: "Look. \n\nSeen." });
  for (const stream of [id, "cht_1"]) {
    const seqs = (await store.events(ORG, stream, { after: 0, limit: 99 })).events.map((event) => event.seq);
    expect(seqs).toEqual(seqs.map((_, i) => i + 1));
  }
});

test("[CHAT-5] a queued turn gets the answers of the turns before it, in the order of the turns", async () => {
  const [model, held] = [new FakeModel(), gate()];
  model.script = () =>
    model.calls.length === 1 ? [{ hold: held.hold }, { say: "1" }] : [{ say: `${model.calls.length}` }];
  const { send, read } = await startJobs("r1", model, new FakeTools());
  const jobs = [await send("a", true), await send("b", false), await send("c", false)];
  held.open();
  await until("the last ends", async () => (await read(jobs[2]!.id)).status === "completed");
  const told = model.calls.map((call) =>
    call.entries.map((e) =>
      e.role === "user" ? e.text : e.blocks.map((b) => (b.type === "text" ? b.text : "")).join(""),
    ),
  );
  expect(told).toEqual([["a"], ["a", "1", "b"], ["a", "1", "b", "2", "c"]]);
});
