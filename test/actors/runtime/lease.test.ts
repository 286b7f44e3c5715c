/** The lease of a replica: until when it serves, and what becomes of one that was paused or cut off (RT-12). */
import { expect, test } from "bun:test";
import { LEASE_RENEW_MS, LEASE_TERM_MS, shardOf } from "../../../actors/runtime/placement/placement.ts";
import {
  faultOf,
  type LedgerReplica,
  LedgerReplica as Ledgers,
  ORG,
  startLedgers,
} from "../../support/ledger-replica.ts";
import { settle } from "../../support/fake-clock.ts";
import { Gate } from "../../support/memory-store.ts";
import { World } from "../../support/replica.ts";

const SHARD = shardOf(ORG);
const SAFE_MS = LEASE_TERM_MS * 0.8;
const started = async (world = new World()) => ({ world, replica: await startLedgers(world) });
const epochOf = (replica: LedgerReplica) => replica.system.shards.epochOf(SHARD);

test("[RT-12] a replica serves up to 0.8 of its term, counted from before the renewal, and not past it", async () => {
  const { world, replica } = await started();
  world.clock.jump(SAFE_MS - 1);
  expect(faultOf(await replica.add("l1"))).toBe("ok");
  world.clock.jump(1);
  expect(faultOf(await replica.ask("l1", { kind: "read" }))).toBe("unavailable");
  expect([faultOf(await replica.system.settled(ORG)), replica.system.isReady]).toEqual(["unavailable", false]);
});

test("[RT-12] a machine that was suspended serves nothing from memory: its monotonic clock stopped, its wall clock did not", async () => {
  const { world, replica } = await started();
  await replica.add("l1");
  world.clock.setForward(LEASE_TERM_MS + 1);
  const other = await startLedgers(world);
  await other.add("l1", 10);
  expect(faultOf(await replica.ask("l1", { kind: "read" }))).toBe("unavailable");
  await settle();
  expect([replica.lost.length, (await other.read("l1"))?.count]).toEqual([1, 11]);
});

test("[RT-12] a wall clock that is set forward costs one renewal, which is made at once", async () => {
  const { world, replica } = await started();
  const renewals = replica.placement.renewals;
  world.clock.setForward(SAFE_MS - 1);
  expect(faultOf(await replica.add("l1"))).toBe("ok");
  world.clock.setForward(1);
  expect(faultOf(await replica.add("l1"))).toBe("unavailable");
  await settle();
  expect([faultOf(await replica.add("l1")), replica.placement.renewals - renewals]).toEqual(["ok", 1]);
  world.clock.setForward(-86_400_000);
  expect(faultOf(await replica.add("l1"))).toBe("ok");
});

test("[RT-12] the lease does not include the time that a renewal takes", async () => {
  const world = new World();
  const replica = new Ledgers(world);
  world.database.pace = async (operation) => {
    if (operation === "renew") world.clock.jump(SAFE_MS);
  };
  await replica.system.start();
  expect(faultOf(await replica.add("l1"))).toBe("unavailable");
});

test("[RT-12] after an outage that no other replica noticed, the same epoch continues to serve", async () => {
  const { world, replica } = await started();
  await replica.add("l1");
  replica.placement.isCut = true;
  await world.clock.advance(SAFE_MS);
  expect(faultOf(await replica.add("l1"))).toBe("unavailable");
  replica.placement.isCut = false;
  await world.clock.advance(LEASE_RENEW_MS);
  expect([faultOf(await replica.add("l1")), epochOf(replica)]).toEqual(["ok", 1]);
});

test("[RT-12] a replica that was paused beyond its lease serves nothing, stores nothing, and is notified once", async () => {
  const world = new World();
  const { replica } = await started(world);
  await replica.add("l1", 1);
  const gate = new Gate();
  world.database.pace = async (operation) => {
    if (operation === "flush") await gate.pass();
  };
  const inFlight = replica.add("l1", 10);
  await gate.reached;
  world.database.pace = () => Promise.resolve();
  world.clock.jump(LEASE_TERM_MS + 1);
  const second = await startLedgers(world);
  gate.open();
  expect(faultOf(await inFlight)).toBe("unavailable");
  expect(faultOf(await replica.ask("l1", { kind: "read" }))).toBe("unavailable");
  expect((await second.read("l1"))?.count).toBe(1);
  await world.clock.advance(4 * LEASE_TERM_MS);
  expect(replica.lost.length).toBe(1);
  expect([replica.system.isReady, replica.system.shards.count, second.system.isReady]).toEqual([false, 0, true]);
});
