/** Actors that are taken to be new: their records are not looked up, and what happens if one is stored after all. */
import { expect, test } from "bun:test";
import { settle } from "../../support/fake-clock.ts";
import { FlushRig } from "../../support/flush-rig.ts";
import { ledgerRef } from "../../support/ledger-actor.ts";
import { ORG, startLedgers } from "../../support/ledger-replica.ts";
import { World } from "../../support/replica.ts";

const ADD = { kind: "add", by: 1 };
/** The member that takes this ledger to be new. */
const opening = (id: string) => ({ ref: ledgerRef(ORG, id), command: ADD, isNew: true }) as const;
const value = (outcome: { ok: boolean; value?: unknown }): unknown => outcome.value;

/** A replica with a stored ledger that is not in memory. */
async function withStored(id: string, by: number, world = new World()) {
  const former = await startLedgers(world);
  await former.add(id, by);
  await former.system.stop();
  return startLedgers(world);
}

test("[RT-7] the record of an actor that a command creates is not looked up", async () => {
  const replica = await startLedgers(new World());
  const made = await replica.system.dispatchGroup([opening("l1")]);
  expect([value(made), value(await replica.add("l1"))]).toEqual([[1], 2]);
  expect(replica.store.reads).toBe(0);
  expect(replica.stored("l1")).toMatchObject({ count: 2, version: 2 });
});

test("[RT-7] [RT-15] if one is stored after all, nothing is overwritten: the group runs again with it", async () => {
  const replica = await withStored("l1", 5);
  const two = [opening("l1"), { ref: ledgerRef(ORG, "l2"), command: ADD }];
  expect(value(await replica.system.dispatchGroup(two))).toEqual([6, 1]);
  expect([replica.stored("l1"), replica.stored("l2")]).toMatchObject([{ count: 6, version: 2 }, { count: 1 }]);
  expect(value(await replica.add("l1"))).toBe(7);
});

test("[RT-7] after that the organization's new actors are looked up for a minute", async () => {
  const world = new World();
  const replica = await withStored("l1", 5, world);
  const open = (id: string) => replica.system.dispatchGroup([opening(id)]);
  await open("l1");
  const reads = replica.store.reads;
  await open("l2");
  expect(replica.store.reads).toBe(reads + 1);
  await world.clock.advance(60_001);
  await open("l3");
  expect(replica.store.reads).toBe(reads + 1);
});

test("[RT-7] a group that is refused leaves no trace of a record that it took to be missing", async () => {
  const replica = await withStored("l1", 5);
  const refused = [opening("l1"), { ref: ledgerRef(ORG, "l2"), command: { kind: "refuse_after_writing" } }];
  expect((await replica.system.dispatchGroup(refused)).ok).toBe(false);
  expect(value(await replica.add("l1"))).toBe(6);
});

test("[RT-7] a group that has taken an actor to be new costs other organizations one statement", async () => {
  const rig = new FlushRig();
  rig.poison.add("guess");
  const of = (organizationId: string, name: string, hasGuessed = false) =>
    rig.push(name, [rig.actor(name, 1, organizationId)], { hasGuessed });
  of("org_a", "a1");
  of("org_b", "before");
  of("org_b", "guess", true);
  of("org_b", "after");
  of("org_a", "a2");
  await settle();
  expect(rig.sent).toEqual(["a1 a2 before guess after", "a1 a2", "before", "guess", "after"]);
  expect(rig.ended.filter((end) => !end.endsWith(" committed"))).toEqual(["guess broken"]);
});
