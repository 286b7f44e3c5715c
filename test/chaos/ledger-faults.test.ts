/** Single faults on a real PostgreSQL, each made at an exact place, with the judgement of the history. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import type { Outcome } from "../../actors/fault.ts";
import { MAILBOX_MESSAGES } from "../../actors/runtime/turns/mailbox.ts";
import { GroupBroken } from "../../actors/runtime/commit/group.ts";
import { until } from "../support/condition.ts";
import type { LedgerCommand } from "../support/ledger-actor.ts";
import { LedgerBench, refOf } from "../support/ledger-bench.ts";
import { History, judge } from "../support/ledger-history.ts";
import { LedgerLoad, POISON } from "../support/ledger-load.ts";
import type { WireFault } from "../support/postgres-proxy.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";

const FLUSH = "troupe flush";
const HONEST = { lost: [], twice: [], wrong: [] };

let testDatabase: TestDatabase;
let bench: LedgerBench;
let history: History;

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  bench = await LedgerBench.open(testDatabase.url);
  history = new History();
});
afterEach(async () => {
  await bench.close();
  await testDatabase.drop();
});

/** A write whose answer is noted; the outcome, or `broken`. */
async function write(
  ledgers: readonly string[],
  command: (by: number) => LedgerCommand,
  hasEffect = false,
): Promise<string> {
  const noted = history.begin(ledgers, hasEffect);
  try {
    const outcome = await bench.ask(ledgers[0]!, command(noted.key));
    if (outcome.ok) history.acknowledge(noted, [typeof outcome.value === "number" ? outcome.value : null]);
    else noted.answer = outcome.fault.kind === "outcome_unknown" ? "unknown" : "refused";
    return outcome.ok ? "ok" : outcome.fault.kind;
  } catch (cause) {
    noted.answer = "refused";
    expect(cause).toBeInstanceOf(GroupBroken);
    return "broken";
  }
}
const add = (ledger: string, note?: string): Promise<string> =>
  write([ledger], (by) => (note === undefined ? { kind: "add", by } : { kind: "add", by, note }));

/** No event can be written until the answer is called: what comes meanwhile is one batch. */
async function holdFlush(): Promise<() => Promise<void>> {
  let release!: () => void;
  const released = new Promise<void>((resolve) => (release = resolve));
  let locked!: () => void;
  const isLocked = new Promise<void>((resolve) => (locked = resolve));
  const over = bench.beside.begin(async (sql) => {
    await sql`lock table event in share row exclusive mode`;
    locked();
    await released;
  });
  await isLocked;
  return async () => {
    release();
    await over;
  };
}

/** A flush that waits for the lock of `holdFlush`. */
async function flushWaits(): Promise<number> {
  let pid = 0;
  await until("a flush waits for a lock", async () => {
    const [row] = await bench.beside<{ pid: number }[]>`select pid from pg_stat_activity
      where application_name = ${FLUSH} and wait_event_type = 'Lock' and datname = current_database()`;
    return (pid = row?.pid ?? 0) > 0;
  });
  return pid;
}

/** Resolves when the flush is connected and no promise is open, so that nothing is flushed but what is asked. */
async function quiet(): Promise<void> {
  await bench.serving();
  expect(await add("l0")).toBe("ok");
  await until("every promise is kept", async () => (await bench.undone()) === 0);
  await bench.serving();
}

/** The next statement of the flush meets the fault; resolves when the replica has noticed. */
async function strikeNext(fault: WireFault): Promise<void> {
  const noticed = (): number =>
    bench.replica.log.filter(({ message }) => message.startsWith("the outcome of a commit is unknown")).length;
  const before = noticed();
  await bench.replica.proxy.strike(FLUSH, fault);
  await until("the replica has noticed", () => noticed() > before);
}

async function judged(): Promise<void> {
  await bench.serving();
  expect(judge(history, await bench.stored())).toEqual(HONEST);
  expect(bench.notes.mixedBatches).toBe(0);
}

test("[RT-4] a poisoned row breaks its own group and no other of its batch", async () => {
  const letGo = await holdFlush();
  const first = add("l0");
  await flushWaits();
  const before = bench.notes.statements;
  const others = Array.from({ length: 40 }, (_, i) => add(`l${i % 10}`, i === 33 || i === 37 ? POISON : "fine"));
  await letGo();
  expect(await first).toBe("ok");
  const said = await Promise.all(others);
  expect(said.filter((answer) => answer === "ok").length).toBe(38);
  expect([said[33], said[37]]).toEqual(["broken", "broken"]);
  expect(bench.notes.statements - before).toBeGreaterThan(2);
  await judged();
});

test("[RT-1] [RT-4] many turns of one record in one batch make one statement, with their own replies in order", async () => {
  const letGo = await holdFlush();
  const first = add("l1");
  await flushWaits();
  const before = bench.notes.statements;
  const others = Array.from({ length: 300 }, () => add("l1"));
  await letGo();
  expect(new Set(await Promise.all([first, ...others]))).toEqual(new Set(["ok"]));
  expect(bench.notes.statements - before).toBe(1);
  const counts = history.writes.map((w) => w.counts[0]!);
  expect(counts).toEqual([...counts].sort((a, b) => a - b));
  await judged();
});

test("[RT-3] [RT-4] no caller learns of anything that is not stored when a backend ends in the middle of a statement", async () => {
  const letGo = await holdFlush();
  const writes = Array.from({ length: 20 }, (_, i) => add(`l${i}`));
  const pid = await flushWaits();
  const seen = bench.ask("l0", { kind: "read" });
  await bench.beside`select pg_terminate_backend(${pid})`;
  expect(await seen).toMatchObject({ ok: false, fault: { kind: "outcome_unknown" } });
  await letGo();
  expect(await Promise.all(writes)).toContain("outcome_unknown");
  await judged();
});

test("[RT-10] a commit whose reply was lost keeps its message, effect and alarm exactly once", async () => {
  await add("l0");
  const promises: [string[], (by: number) => LedgerCommand, boolean][] = [
    [["l0", "l8"], (by) => ({ kind: "add_and_tell", by, to: "l8" }), false],
    [["l0"], (by) => ({ kind: "add_with_effect", by }), true],
    [["w1"], (by) => ({ kind: "wake_at", dueAtMs: Date.now(), by }), false],
  ];
  for (const fault of ["reply_lost", "cut_short"] as const) {
    for (const [ledgers, command, hasEffect] of promises) {
      await quiet();
      const struck = strikeNext(fault);
      expect(
        await write(
          ledgers.map((id) => (id === "w1" ? `w${history.writes.length}` : id)),
          command,
          hasEffect,
        ),
      ).toBe("outcome_unknown");
      await struck;
    }
  }
  await quiet();
  const stored = await bench.stored();
  // The reply was lost after the commit: the first three are stored.
  const unknown = history.writes.filter(({ answer }) => answer === "unknown");
  expect(unknown.length).toBe(6);
  expect(
    unknown
      .slice(0, 3)
      .every((w) => stored.ledgers.some(({ id, events }) => id === w.ledgers[0] && events.some((e) => e.by === w.key))),
  ).toBe(true);
  await judged();
});

test("[RT-10] a message, an effect or an alarm is not answered again after the reply to that commit was lost", async () => {
  const ways: ((round: number) => Promise<string>)[] = [
    () => write(["l0", "l8"], (by) => ({ kind: "add_and_tell", by, to: "l8" })),
    () => write(["l0"], (by) => ({ kind: "add_with_effect", by }), true),
    (round) => write([`w${round}`], (by) => ({ kind: "wake_at", dueAtMs: Date.now() + 60, by })),
  ];
  let round = 0;
  for (const fault of ["reply_lost", "cut_short", "reply_lost"] as const) {
    for (const way of ways) {
      await quiet();
      expect(await way(++round)).toBe("ok");
      // The next statement of the flush is the one that answers.
      await strikeNext(fault);
    }
  }
  await judged();
});

test("[RT-6] a full mailbox refuses with `overloaded`; the other actors are served", async () => {
  await add("l0");
  const letGo = await holdFlush();
  const stuck = Array.from({ length: MAILBOX_MESSAGES }, () => add("l0"));
  await flushWaits();
  const refused = await Promise.all(Array.from({ length: 50 }, () => add("l0")));
  expect(new Set(refused)).toEqual(new Set(["overloaded"]));
  // Another actor of the same organization and one of another take commands; one without pending work answers.
  const others = [add("l8"), add("l1")];
  const read: Outcome<unknown> = await bench.ask("l2", { kind: "read" });
  expect(read).toEqual({ ok: true, value: null });
  await letGo();
  expect(await Promise.all(others)).toEqual(["ok", "ok"]);
  expect(new Set(await Promise.all(stuck))).toEqual(new Set(["ok"]));
  expect(await add("l0")).toBe("ok");
  await judged();
});

test("[RT-2] a group that breaks leaves nothing in any of its actors", async () => {
  await Promise.all([add("l0"), add("l8")]);
  for (const place of [0, 1]) {
    const noted = history.begin(["l0", "l8"]);
    const members = noted.ledgers.map((id, i) => ({
      ref: refOf(id),
      command: { kind: "add", by: noted.key, note: i === place ? POISON : "" },
    }));
    await expect(bench.group(members)).rejects.toThrow("refused the group");
    noted.answer = "refused";
  }
  expect(await Promise.all([add("l0"), add("l8")])).toEqual(["ok", "ok"]);
  await judged();
});

test("[RT-9] eviction and reload work under load with memory for a tenth of the actors", async () => {
  const replica = await bench.replaceReplica({ liveActors: 12 });
  const load = new LedgerLoad(bench, history, { seed: 5, clients: 64 });
  let live = 0;
  try {
    for (let round = 0; round < 3; round++) {
      await load.more(400);
      live = Math.max(live, replica.system.actors.count);
      await replica.proxy.strike(FLUSH, "reply_lost");
      // Far in the future everything has been idle.
      replica.system.actors.passivate(Number.MAX_SAFE_INTEGER);
    }
    await load.more(200);
  } finally {
    replica.proxy.forgive();
    await load.stop();
  }
  // Those with work under way stay above the budget.
  expect(live).toBeLessThanOrEqual(12 + 2 * 64);
  await judged();
  expect(replica.system.actors.count).toBeLessThanOrEqual(2 * 64);
});
