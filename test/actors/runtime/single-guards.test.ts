/**
 * Guards of the runtime that one line each keeps, and that random runs seldom miss: each test fails
 * without its line.
 */
import { expect, test } from "bun:test";
import { ok } from "../../../actors/fault.ts";
import type { AnyDefinition, RecordFields, Table, Tx } from "../../../actors/runtime/actor.ts";
import { ALARM_PAGE, Alarms } from "../../../actors/runtime/outputs/alarms.ts";
import { Backoff, pauseMs } from "../../../actors/runtime/backoff.ts";
import { Lease, shardOf } from "../../../actors/runtime/placement/placement.ts";
import { Replay } from "../../../actors/runtime/streams/replay.ts";
import { SharedPages } from "../../../actors/runtime/streams/shared-pages.ts";
import { Shards } from "../../../actors/runtime/placement/shards.ts";
import type { ActorStore, AlarmRow, EventPage } from "../../../actors/runtime/store.ts";
import { Subscription } from "../../../actors/runtime/streams/subscription.ts";
import { FAKE_EPOCH_MS, FakeClock, settle } from "../../support/fake-clock.ts";
import { ledgerRef } from "../../support/ledger-actor.ts";
import { faultOf, ORG, said, startLedgers } from "../../support/ledger-replica.ts";
import { World } from "../../support/replica.ts";

test("[SSE-3] [RT-8] readers of one page at different positions of its text each get the rest of it", async () => {
  const live = { messageId: "m1", attempt: 1, base: 0, position: 6 };
  const event = { seq: 1, type: "e", at: "", data: {}, live };
  const page: EventPage = { events: [event, { seq: 2, type: "e", at: "", data: {} }], hasMore: true };
  const replay = new Replay();
  const reader = async (position: number): Promise<readonly string[]> => {
    const store = { page: () => Promise.resolve(page), textOf: () => Promise.resolve("abcdef") };
    const subscription = new Subscription(replay, 0, store);
    Object.assign(Reflect.get(subscription, "cursor") as object, { live, position });
    return said(await subscription.nextPage());
  };
  expect(await reader(0)).toEqual(['"abcdef"@6', "1", "2"]);
  expect(await reader(4)).toEqual(['"ef"@6', "1", "2"]);
  expect(await reader(0)).toEqual(['"abcdef"@6', "1", "2"]);
});

test("[RT-8] a page that was in flight when all pages were forgotten is not remembered", async () => {
  const pages = new SharedPages();
  const asked = { after: 0, limit: 2 };
  const pageOf = (type: string): EventPage => ({ events: [{ seq: 1, type, at: "", data: {} }], hasMore: true });
  const old = Promise.withResolvers<EventPage>();
  const first = pages.read(asked, 0, () => old.promise);
  pages.forget();
  old.resolve(pageOf("old"));
  expect((await first).events[0]?.type).toBe("old");
  const second = await pages.read(asked, 0, () => Promise.resolve(pageOf("new")));
  expect(second.events[0]?.type).toBe("new");
  // Remembered by now.
  expect(await pages.read(asked, 0, () => Promise.reject(new Error("asked again")))).toBe(second);
});

/** Alarms of a replica that owns nothing yet, whose scans find a page of these rows when the answer comes. */
async function scannedAlarms(rows: number) {
  const clock = new FakeClock();
  const lease = new Lease(clock);
  await lease.renew({ renew: () => Promise.resolve(true) } as never);
  const shards = new Shards(lease);
  const page = Array.from({ length: rows }, (_, i): AlarmRow => {
    const address = { organizationId: ORG, actorKind: "ledger", actorId: `l${i}` };
    return { ...address, name: "wake", dueAtMs: FAKE_EPOCH_MS + 10, command: { kind: "x" } };
  });
  const answer = Promise.withResolvers<readonly AlarmRow[]>();
  const fired: string[] = [];
  const scans: (readonly number[])[] = [];
  const store = {
    alarms: (scanned) => {
      scans.push(scanned);
      return answer.promise;
    },
  } as Partial<ActorStore> as ActorStore;
  const alarms = new Alarms({ store, shards, clock }, (alarm) => {
    fired.push(alarm.name);
    return Promise.resolve(true);
  });
  return { clock, shards, shard: shardOf(ORG), alarms, scans, fired, answer: () => answer.resolve(page) };
}

test("[RT-5] [RT-10] a scan for alarms arms nothing of a shard whose epoch has risen since its start", async () => {
  const { clock, shards, shard, alarms, fired, answer } = await scannedAlarms(1);
  shards.grant(shard, 1);
  const scan = alarms.scan([shard]);
  shards.lose(shard);
  shards.grant(shard, 2);
  answer();
  await scan;
  await clock.advance(100);
  expect(fired).toEqual([]);
  await alarms.scan([shard]);
  await clock.advance(100);
  expect(fired).toEqual(["wake"]);
});

test("[RT-5] [RT-10] a scan for alarms arms nothing of a shard that was lost before the scan or during it", async () => {
  const { clock, shards, shard, alarms, scans, fired, answer } = await scannedAlarms(ALARM_PAGE);
  answer();
  await alarms.scan([shard]);
  await clock.advance(100);
  expect(fired).toEqual([]);
  shards.grant(shard, 1);
  const scan = alarms.scan([shard]);
  shards.lose(shard);
  alarms.drop(new Set([shard]));
  await scan;
  // An alarm of another shard has fired: a full page would be followed by the next one.
  alarms.set({
    organizationId: "org_b",
    actorKind: "ledger",
    actorId: "l",
    name: "other",
    dueAtMs: 0,
    command: { kind: "x" },
  });
  await clock.advance(100);
  expect(fired).toEqual(["other"]);
  expect(scans).toEqual([[shard], [shard]]);
});

test("[REP-2] a shard that leaves at an epoch that has passed stays open", async () => {
  const lease = new Lease(new FakeClock());
  await lease.renew({ renew: () => Promise.resolve(true) } as never);
  const shards = new Shards(lease);
  const shard = shardOf(ORG);
  shards.grant(shard, 2);
  shards.open(shard, 2);
  shards.leave([{ shard, epoch: 1 }]);
  expect(shards.isOpen(shard)).toBe(true);
  shards.leave([{ shard, epoch: 2 }]);
  expect(shards.isOpen(shard)).toBe(false);
});

test("[RT-12] a list that waited for commits is refused when the lease or the epoch has gone meanwhile", async () => {
  for (const loss of ["lease", "epoch"] as const) {
    const replica = await startLedgers(new World());
    await replica.add("l1");
    const gate = replica.store.holdNext();
    const add = replica.add("l1");
    await gate.reached;
    const settled = replica.system.settled(ORG);
    if (loss === "lease") {
      replica.placement.isCut = true;
      await replica.world.clock.advance(9_000);
    } else {
      const { shards } = replica.system;
      const epoch = shards.epochOf(shardOf(ORG))!;
      shards.lose(shardOf(ORG));
      shards.grant(shardOf(ORG), epoch + 1);
      shards.open(shardOf(ORG), epoch + 1);
    }
    gate.open();
    expect([loss, faultOf(await settled)]).toEqual([loss, "unavailable"]);
    await add;
  }
});

type Noted = RecordFields & { readonly note?: string };

test("[RT-4] a group whose actors are evicted at each attempt is refused as overloaded after the fifth", async () => {
  /** Attempts beyond this are let through, so that the test ends whatever is bounded. */
  const ENOUGH = 40;
  let attempts = 0;
  const table: Table<Noted> = { name: "chat" };
  const definition: AnyDefinition = {
    kind: "ledger",
    // In order, the other group would wait behind this one while that loads the actor anew.
    isUnordered: true,
    needs: (ref) => [{ table: "chat", id: ref.id }],
    handlers: {
      // Another group of the same actor, which the store refuses, is sent right before this one.
      change: (tx: Tx) => {
        attempts++;
        if (attempts < ENOUGH) void replica.system.dispatchGroup([member("break")]).catch(() => {});
        tx.update(table, tx.read(table, tx.self.id)!);
        return ok(null);
      },
      break: (tx: Tx) => ok(tx.update(table, { ...(tx.read(table, tx.self.id) as Noted), note: "\u0000" })),
      create: (tx: Tx) => ok(tx.create(table, { id: tx.self.id } as never)),
    },
  };
  const member = (kind: string) => ({ ref: ledgerRef(ORG, "l1"), command: { kind } });
  const replica = await startLedgers(new World(), { definitions: [definition] });
  await replica.system.dispatchGroup([member("create")]);
  const outcome = await replica.system.dispatchGroup([member("change")]);
  expect([faultOf(outcome), attempts]).toEqual(["overloaded", 5]);
});

test("[RT-10] [RT-11] pauses double up to their bound, start over after a reset, and jitter only shortens them", async () => {
  const clock = new FakeClock();
  let fraction = 1;
  const parts = { clock, chance: { fraction: () => fraction } };
  const backoff = new Backoff(parts, { firstMs: 50, lastMs: 300 });
  expect([1, 2, 3, 4, 5].map(() => backoff.next())).toEqual([50, 100, 200, 300, 300]);
  backoff.reset();
  expect(backoff.next()).toBe(50);
  const jittered = new Backoff(parts, { firstMs: 100, lastMs: 1_000 });
  fraction = 0;
  expect([1, 2].map(() => jittered.next())).toEqual([80, 160]);
  fraction = 0.5;
  expect(jittered.next()).toBe(360);
  // What the other side asks for is waited for, and the next pause goes on from where it was.
  expect(jittered.next(5_000)).toBe(5_000);
  expect(jittered.next(10)).toBe(900);
  expect(pauseMs({ firstMs: 1_000, lastMs: 60_000, jitter: 0.5 }, 1, parts.chance)).toBe(1_500);
  expect(pauseMs({ firstMs: 1_000, lastMs: 60_000 }, 5_000, { fraction: () => 1 })).toBe(60_000);
  fraction = 1;
  let isOver = false;
  const pause = new Backoff(parts, { firstMs: 50, lastMs: 50 }).pause().then(() => (isOver = true));
  await clock.advance(49);
  expect(isOver).toBe(false);
  await clock.advance(1);
  await pause;
  const abort = new AbortController();
  const aborted = new Backoff(parts, { firstMs: 1_000, lastMs: 1_000 }).pause(abort.signal);
  abort.abort();
  await aborted;
  await new Backoff(parts, { firstMs: 1_000, lastMs: 1_000 }).pause(abort.signal);
  await settle();
  expect(clock.pending).toBe(0);
});
