/** Shards that go to another replica: what is dropped, who reads on, and what nobody serves twice. */
import { expect, test } from "bun:test";
import { LOST_READERS_MS } from "../../../actors/runtime/placement/ownership.ts";
import { LEASE_RENEW_MS, shardOf } from "../../../actors/runtime/placement/placement.ts";
import { ledgerRef } from "../../support/ledger-actor.ts";
import { faultOf, type LedgerReplica, ORG, said, startLedgers } from "../../support/ledger-replica.ts";
import { inWorld, World } from "../../support/replica.ts";

const SHARD = shardOf(ORG);
const started = async (world = new World()) => ({ world, replica: await startLedgers(world) });
const epochOf = (replica: LedgerReplica) => replica.system.shards.epochOf(SHARD);

test("[RT-5] a fenced shard is dropped with its actors and its queue, and served again after a claim at a higher epoch", async () => {
  const { world, replica } = await started();
  await replica.add("l1", 1);
  world.steal(SHARD);
  const outcomes = await Promise.all([replica.add("l1", 10), replica.ask("l1", { kind: "read" })]);
  expect(outcomes.map(faultOf)).toEqual(["unavailable", "unavailable"]);
  expect(epochOf(replica)).toBeNull();
  world.giveBack();
  await world.clock.advance(LEASE_RENEW_MS);
  expect([(await replica.read("l1"))?.count, epochOf(replica)]).toEqual([1, 3]);
});

test("[RT-5] a shard that a claim no longer returns is dropped", async () => {
  const { world, replica } = await started();
  await replica.add("l1", 1);
  world.steal(SHARD);
  await world.clock.advance(LEASE_RENEW_MS);
  expect(epochOf(replica)).toBeNull();
  expect(replica.system.actors.count).toBe(0);
});

test("[RT-8] readers get events that another owner has written meanwhile", async () => {
  const { world, replica } = await started();
  await replica.add("l1", 1);
  const reader = replica.subscribe("l1");
  await reader.next();
  const next = reader.next();
  world.steal(SHARD);
  await world.clock.advance(LEASE_RENEW_MS);
  const events = [{ organizationId: ORG, stream: "l1", seq: 2, type: "added", at: "", data: {} }];
  world.database.commit(
    [
      {
        shard: SHARD,
        epoch: 2,
        writes: {
          records: [],
          events,
          messages: [],
          consumed: [],
          effects: [],
          settled: [],
          alarms: [],
          cleared: [],
        },
      },
    ],
    new Set([SHARD]),
  );
  world.giveBack();
  await world.clock.advance(LEASE_RENEW_MS);
  reader.close();
  expect(said(await next)).toEqual(["2"]);
});

test("[RT-8] readers of a shard that does not return are ended, and those of the others read on", async () => {
  const { world, replica } = await started();
  await replica.add("l1", 1);
  const reader = replica.subscribe("l1");
  const other = replica.system.subscribe(ledgerRef("org_b", "l1"), 0);
  await reader.next();
  const [next, others] = [reader.next(), other.next()];
  world.steal(SHARD);
  await world.clock.advance(LEASE_RENEW_MS + LOST_READERS_MS);
  expect(await next).toEqual([]);
  expect([reader.isLost, reader.seq, other.isLost]).toEqual([true, 1, false]);
  other.close();
  expect(await others).toEqual([]);
  // Who comes after that waits for the shard's return like any other.
  expect(replica.subscribe("l1").isLost).toBe(false);
});

test("[RT-8] a replica that is declared dead ends all its readers", async () => {
  const { world, replica } = await started();
  await replica.add("l1", 1);
  const reader = replica.subscribe("l1");
  await reader.next();
  const next = reader.next();
  world.database.replicas.get(replica.placement.id)!.dead = true;
  await world.clock.advance(LEASE_RENEW_MS);
  expect([await next, reader.isLost, replica.lost.length]).toEqual([[], true, 1]);
});

test("[RT-12] two replicas never both serve an organization, and nothing acknowledged is lost in a handover", async () => {
  const { world, replica: first } = await inWorld(startLedgers);
  for (let i = 0; i < 5; i++) await first.add("l1");
  await first.system.stop();
  expect(faultOf(await first.add("l1"))).toBe("unavailable");
  const second = await startLedgers(world);
  for (let i = 0; i < 5; i++) await second.add("l1");
  expect(second.storedSeqs("l1")).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(world.clock.pending).toBeGreaterThan(0);
  await second.system.stop();
  expect(world.clock.pending).toBe(0);
});
