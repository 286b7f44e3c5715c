import { expect, spyOn, test } from "bun:test";
import { ALARM_HORIZON_MS, ALARM_PAGE, ALARM_SCAN_MS, FIRING } from "../../../actors/runtime/outputs/alarms.ts";
import { shardOf } from "../../../actors/runtime/placement/placement.ts";
import type { MemberStep } from "../../../actors/runtime/turns/members.ts";
import { until } from "../../support/condition.ts";
import { FAKE_EPOCH_MS, settle } from "../../support/fake-clock.ts";
import { ledgerActor, type LedgerCommand, ledgerRef } from "../../support/ledger-actor.ts";
import { type LedgerReplica, ORG, startLedgers } from "../../support/ledger-replica.ts";
import { erased, inWorld, World } from "../../support/replica.ts";

const MORE_THAN_PAGE = ALARM_PAGE + 200;
const at = (ms: number): number => FAKE_EPOCH_MS + ms;
const wakeAt = (replica: LedgerReplica, dueMs: number, by = 1, id = "l1") =>
  replica.ask(id, { kind: "wake_at", dueAtMs: at(dueMs), by });
const member = (command: { kind: string }): MemberStep => ({ ref: ledgerRef(ORG, "l1"), command });

test("[RT-10] an alarm fires once, when it is due, and its row goes with the turn's commit", async () => {
  const { world, replica } = await inWorld(startLedgers);
  await wakeAt(replica, 5_000, 7);
  expect(world.database.alarms().length).toBe(1);
  await world.clock.advance(4_999);
  expect(await replica.read("l1")).toBeNull();
  await world.clock.advance(1);
  expect((await replica.read("l1"))?.count).toBe(7);
  expect(world.database.alarms()).toEqual([]);
  await world.clock.advance(3 * ALARM_SCAN_MS);
  expect((await replica.read("l1"))?.count).toBe(7);
});

test("[RT-10] an alarm does not fire before its time by a wall clock that was set back", async () => {
  const { world, replica } = await inWorld(startLedgers);
  await wakeAt(replica, 5_000, 7);
  world.clock.setForward(-2_000);
  await world.clock.advance(6_999);
  expect(await replica.read("l1")).toBeNull();
  await world.clock.advance(1);
  expect((await replica.read("l1"))?.count).toBe(7);
});

test("[RT-10] an alarm in the past fires at once; one beyond the horizon is found by a scan and fires in time", async () => {
  const { world, replica } = await inWorld(startLedgers);
  await wakeAt(replica, -1, 1, "past");
  await wakeAt(replica, ALARM_HORIZON_MS + 12_345, 2, "far");
  await world.clock.advance(0);
  expect((await replica.read("past"))?.count).toBe(1);
  await world.clock.advance(ALARM_HORIZON_MS + 12_344);
  expect(await replica.read("far")).toBeNull();
  await world.clock.advance(1);
  expect((await replica.read("far"))?.count).toBe(2);
});

test("[RT-10] a new alarm of the same name replaces the old one, whether sooner, later or beyond the horizon", async () => {
  const { world, replica } = await inWorld(startLedgers);
  await wakeAt(replica, 1_000, 1);
  await wakeAt(replica, 2_000, 10);
  await wakeAt(replica, 500, 1, "sooner");
  await wakeAt(replica, 100, 10, "sooner");
  await wakeAt(replica, 100, 1, "far");
  await wakeAt(replica, 2 * ALARM_HORIZON_MS, 10, "far");
  await world.clock.advance(2_000);
  expect([(await replica.read("l1"))?.count, (await replica.read("sooner"))?.count, await replica.read("far")]).toEqual(
    [10, 10, null],
  );
  await world.clock.advance(2 * ALARM_HORIZON_MS);
  expect((await replica.read("far"))?.count).toBe(10);
});

test("[RT-10] a cleared alarm does not fire; one that is set and cleared by one group is never stored", async () => {
  const { world, replica } = await inWorld(startLedgers);
  await wakeAt(replica, 1_000);
  await replica.ask("l1", { kind: "sleep_on" });
  const set = { kind: "wake_at", dueAtMs: at(1_000), by: 1 };
  await replica.system.dispatchGroup([member(set), member({ kind: "sleep_on" })]);
  expect(world.database.alarms()).toEqual([]);
  await world.clock.advance(2 * ALARM_SCAN_MS);
  expect(await replica.read("l1")).toBeNull();
  await replica.system.dispatchGroup([
    member({ kind: "sleep_on" }),
    member({ ...set, dueAtMs: world.clock.now() + 5 } as { kind: string }),
  ]);
  await world.clock.advance(5);
  expect((await replica.read("l1"))?.count).toBe(1);
});

test("[RT-10] an alarm whose command is refused counts as handled", async () => {
  const { world, replica } = await inWorld(startLedgers);
  await replica.ask("l1", { kind: "wake_and_refuse", dueAtMs: at(1_000) });
  await world.clock.advance(1_000);
  expect(world.database.alarms()).toEqual([]);
  expect(await replica.read("l1")).toBeNull();
});

test("[RT-10] an alarm survives a restart, also when it came due meanwhile", async () => {
  const { world, replica: first } = await inWorld(startLedgers);
  await wakeAt(first, 1_000, 1, "missed");
  await wakeAt(first, 50_000, 2, "coming");
  first.crash();
  world.clock.jump(20_000);
  const second = await startLedgers(world);
  await world.clock.advance(0);
  expect((await second.read("missed"))?.count).toBe(1);
  await world.clock.advance(30_000);
  expect((await second.read("coming"))?.count).toBe(2);
});

test("[RT-10] a scan that finds the row of an alarm whose turn is in progress does not fire it again", async () => {
  const { world, replica } = await inWorld(startLedgers);
  await wakeAt(replica, ALARM_SCAN_MS - 1, 7);
  await replica.read("l1");
  const gate = replica.store.holdNext();
  await world.clock.advance(ALARM_SCAN_MS + 10);
  await gate.reached;
  gate.open();
  await world.clock.advance(10);
  expect((await replica.read("l1"))?.count).toBe(7);
});

test("[RT-10] a scan with an old answer fires no alarm that was fired or cleared meanwhile", async () => {
  const { world, replica } = await inWorld(startLedgers);
  await wakeAt(replica, ALARM_SCAN_MS + 1, 7);
  await wakeAt(replica, ALARM_SCAN_MS + 5, 7, "cleared");
  const release = holdOperation(world, "alarms");
  await world.clock.advance(ALARM_SCAN_MS + 2);
  await replica.ask("cleared", { kind: "sleep_on" });
  release();
  await world.clock.advance(100);
  expect((await replica.read("l1"))?.count).toBe(7);
  expect(await replica.read("cleared")).toBeNull();
});

for (const order of ["ordered", "unordered"] as const)
  test(`[RT-10] an alarm that waits for a record, and a command that replaces or clears it: ${order}`, async () => {
    for (const last of ["wake_at", "sleep_on"] as const) {
      const world = new World();
      const definition = erased(ledgerActor());
      const definitions = [order === "ordered" ? definition : { ...definition, isUnordered: true as const }];
      const replica = await startLedgers(world, { liveActors: 1, definitions });
      await wakeAt(replica, 1_000, 1);
      await replica.read("other");
      const release = holdOperation(world, "read");
      await world.clock.advance(1_000);
      const command = last === "wake_at" ? { kind: last, dueAtMs: at(2_000), by: 10 } : { kind: last };
      const superseding = replica.ask("l1", command);
      release();
      await superseding;
      await world.clock.advance(2_000);
      // In the order of their dispatch the alarm had its turn first; else it was overtaken, and does not fire.
      const ofAlarm = order === "ordered" ? 1 : 0;
      expect((await replica.read("l1"))?.count ?? 0).toBe(ofAlarm + (last === "wake_at" ? 10 : 0));
      expect(world.database.alarms()).toEqual([]);
    }
  });

test("[RT-10] an alarm whose actor is unavailable is retried", async () => {
  const { world, replica } = await inWorld(startLedgers);
  await wakeAt(replica, 1_000, 7);
  replica.system.actors.passivate(Infinity);
  replica.store.isCut = true;
  await world.clock.advance(1_500);
  replica.store.isCut = false;
  await world.clock.advance(1_000);
  expect((await replica.read("l1"))?.count).toBe(7);
});

test("[RT-5] a replica that has lost a shard fires nothing of it, neither then nor after it has the shard again", async () => {
  const { world, replica } = await inWorld(startLedgers);
  await wakeAt(replica, 20_000, 7);
  const shard = world.database.shards[shardOf(ORG)]!;
  Object.assign(shard, { owner: "r9", epoch: shard.epoch + 1 });
  world.database.replicas.set("r9", { leaseUntil: Infinity, dead: false });
  await world.clock.advance(3_000);
  expect((await replica.ask("l1", { kind: "read" })).ok).toBe(false);
  // The other owner has answered it.
  const cleared = { organizationId: ORG, actorId: "l1", name: "wake" };
  world.database.commit(
    [{ shard: shardOf(ORG), epoch: 2, writes: { ...NOTHING, cleared: [cleared] } }],
    new Set([shardOf(ORG)]),
  );
  world.database.replicas.get("r9")!.dead = true;
  await world.clock.advance(30_000);
  expect(await replica.read("l1")).toBeNull();
});

test("[RT-10] after a stop nothing fires and no timer is left", async () => {
  const { world, replica } = await inWorld(startLedgers);
  await wakeAt(replica, 1_000);
  await replica.system.stop();
  await world.clock.advance(60_000);
  expect(world.database.alarms().length).toBe(1);
  expect(world.clock.pending).toBe(0);
});

const NOTHING = {
  records: [],
  events: [],
  messages: [],
  consumed: [],
  effects: [],
  settled: [],
  alarms: [],
  cleared: [],
};

/** Operations of this name have read what they read, and answer only when they are released. */
function holdOperation(world: World, name: string): () => void {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  world.database.reply = (operation) => (operation === name ? released : Promise.resolve());
  return () => {
    world.database.reply = () => Promise.resolve();
    release();
    void settle();
  };
}

test("[RT-10] more due alarms than one scan returns still fire together", async () => {
  const { world, replica } = await inWorld(startLedgers);
  // Between two regular scans, and beyond the horizon when they are set.
  const due = ALARM_HORIZON_MS + ALARM_SCAN_MS - 5_000;
  await Promise.all(Array.from({ length: MORE_THAN_PAGE }, (_, i) => wakeAt(replica, due, 1, `l${i}`)));
  await world.clock.advance(due - 1);
  expect(world.database.alarms()).toHaveLength(MORE_THAN_PAGE);
  await world.clock.advance(1_000);
  expect(world.database.alarms()).toEqual([]);
});

test("[RT-10] a scan of another shard does not make them wait for the next regular scan", async () => {
  const { world, replica } = await inWorld(startLedgers);
  const due = ALARM_HORIZON_MS + ALARM_SCAN_MS - 5_000;
  await Promise.all(Array.from({ length: MORE_THAN_PAGE }, (_, i) => wakeAt(replica, due, 1, `l${i}`)));
  await world.clock.advance(due - 1);
  // As when a shard without alarms is taken up.
  await replica.system.alarms.scan([shardOf("org_b")]);
  await world.clock.advance(1_000);
  expect(world.database.alarms()).toEqual([]);
});

/** Alarms that are due, as found by the next scan. */
function storeAlarms({ world, system }: LedgerReplica, count: number, command: LedgerCommand): void {
  const shard = shardOf(ORG);
  const one = { organizationId: ORG, actorKind: "ledger", name: "wake", command, dueAtMs: at(1) };
  const alarms = Array.from({ length: count }, (_, i) => ({ ...one, actorId: `a${i}` }));
  const writes = { ...NOTHING, alarms };
  world.database.commit([{ shard, epoch: system.shards.epochOf(shard)!, writes }], new Set([shard]));
}

test("[RT-5] [RT-10] a scan arms nothing of a shard that is lost before it or during it, and reads no other page of it", async () => {
  const { world, replica } = await inWorld(startLedgers);
  storeAlarms(replica, ALARM_PAGE, { kind: "add", by: 1 });
  const { alarms, shards } = replica.system;
  const shard = shardOf(ORG);
  const epoch = shards.epochOf(shard)!;
  const pages = spyOn(replica.store, "alarms");
  const timers = world.clock.pending;
  const release = holdOperation(world, "alarms");
  const scan = alarms.scan([shard]);
  shards.lose(shard);
  shards.grant(shard, epoch + 1);
  release();
  await scan;
  shards.lose(shard);
  await alarms.scan([shard]);
  expect([pages.mock.calls.length, world.clock.pending - timers]).toEqual([2, 0]);
  shards.grant(shard, epoch + 1);
  await alarms.scan([shard]);
  expect(world.clock.pending - timers).toBe(ALARM_PAGE);
});

test("[RT-10] more alarms whose turns always throw than one page do not hide the others", async () => {
  const { world, replica } = await inWorld(startLedgers);
  storeAlarms(replica, MORE_THAN_PAGE, { kind: "fall" });
  await wakeAt(replica, ALARM_HORIZON_MS + ALARM_SCAN_MS - 5_000, 7, "of the same shard");
  await world.clock.advance(ALARM_HORIZON_MS + ALARM_SCAN_MS - 4_000);
  await until("the other one has fired", () => world.database.alarms().length === MORE_THAN_PAGE);
  expect((await replica.read("of the same shard"))?.count).toBe(7);
  // They are tried with each scan, and not more often.
  const failures = replica.errors.length;
  expect(failures).toBeLessThanOrEqual(3 * MORE_THAN_PAGE);
  expect(failures).toBeGreaterThanOrEqual(MORE_THAN_PAGE);
});

test("[RT-10] more than a page of alarms that set themselves again do not hide the others", async () => {
  const { world, replica } = await inWorld(startLedgers);
  storeAlarms(replica, ALARM_PAGE, { kind: "wake_at", dueAtMs: at(2 * ALARM_HORIZON_MS - ALARM_SCAN_MS), by: 1 });
  const shard = shardOf(ORG);
  const command = { kind: "add", by: 7 };
  const behind = { organizationId: ORG, actorKind: "ledger", actorId: "behind", name: "wake", command, dueAtMs: at(2) };
  const writes = { ...NOTHING, alarms: [behind] };
  world.database.commit([{ shard, epoch: replica.system.shards.epochOf(shard)!, writes }], new Set([shard]));
  await world.clock.advance(2 * ALARM_SCAN_MS + 1_000);
  expect((await replica.read("behind"))?.count).toBe(7);
});

/** The records of stored alarms cannot be read until this is called. */
function hideRecords({ store }: LedgerReplica): () => void {
  const read = store.read.bind(store);
  store.read = async (refs) => {
    if (refs.some(({ id }) => /^a\d/u.test(id))) throw new Error("unreadable");
    return read(refs);
  };
  return () => (store.read = read);
}

test("[RT-10] more alarms whose turns cannot run than one page do not hide the others", async () => {
  const { world, replica } = await inWorld(startLedgers);
  storeAlarms(replica, MORE_THAN_PAGE, { kind: "add", by: 1 });
  await wakeAt(replica, ALARM_HORIZON_MS + ALARM_SCAN_MS - 5_000, 7, "other");
  hideRecords(replica);
  await world.clock.advance(ALARM_HORIZON_MS + ALARM_SCAN_MS + 5_000);
  expect((await replica.read("other"))?.count).toBe(7);
});

test("[RT-10] thousands of alarms whose turns cannot run for a moment do not wait for the next scan", async () => {
  const { world, replica } = await inWorld(startLedgers);
  storeAlarms(replica, ALARM_PAGE - 1, { kind: "add", by: 1 });
  const show = hideRecords(replica);
  await world.clock.advance(ALARM_SCAN_MS + 500);
  expect(world.database.alarms()).toHaveLength(ALARM_PAGE - 1);
  show();
  await world.clock.advance(1_000);
  expect(world.database.alarms()).toEqual([]);
});

test("[RT-10] of thousands of due alarms only some fire at once, and organizations take turns", async () => {
  const { world, replica } = await inWorld(startLedgers);
  for (let i = 0; i < 200; i++) await wakeAt(replica, 1_000, 1, `a${i}`);
  const other = { ref: ledgerRef("org_b", "b"), command: { kind: "wake_at", dueAtMs: at(1_000), by: 1 } };
  expect((await replica.system.dispatchGroup([other])).ok).toBe(true);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const batches: (readonly number[])[] = [];
  const { store } = replica;
  const flush = store.flush.bind(store);
  store.flush = async (batch) => {
    batches.push(batch.map(({ shard }) => shard));
    await held;
    return flush(batch);
  };
  // All come due while the first commit is under way.
  await world.clock.advance(1_000);
  release();
  await world.clock.advance(0);
  await until("all have fired", () => world.database.alarms().length === 0);
  const [first = [], second = [], third = []] = batches;
  expect(first).toHaveLength(1);
  // Many of one organization have a statement of their own (FAIR-3).
  expect(second).toEqual([shardOf("org_b")]);
  // In statements of a bounded size, of what has fired at once.
  expect(third.length).toBeGreaterThan(1);
  expect(third.length).toBeLessThan(FIRING.each);
  expect(Math.max(...batches.map((shards) => shards.length))).toBeLessThanOrEqual(FIRING.slots);
});
