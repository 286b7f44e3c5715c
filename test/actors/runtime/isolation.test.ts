/** Bugs planted after a commit, over a whole replica: what they must not stop. */
import { expect, test } from "bun:test";
import { settle } from "../../support/fake-clock.ts";
import { ledgerRef } from "../../support/ledger-actor.ts";
import { faultOf, ORG, said, startLedgers } from "../../support/ledger-replica.ts";
import { World } from "../../support/replica.ts";

const CALLBACK_BUG = "a callback after a commit threw: a bug";
const plant = (message: string) => (): never => {
  throw new Error(message);
};
const start = () => startLedgers(new World());

test("[RT-14] a reader's callback that throws affects neither the other readers nor the writer's reply", async () => {
  const replica = await start();
  await replica.add("l1");
  const broken = replica.subscribe("l1", 1);
  broken.take();
  broken.onChange(plant("a reader"));
  const other = replica.subscribe("l1", 1);
  const next = other.next();
  await settle();
  expect(await replica.add("l1")).toMatchObject({ ok: true, value: 2 });
  expect(said(await next)).toEqual(["2"]);
  expect(replica.errors).toEqual([CALLBACK_BUG]);
  expect(await replica.add("l1")).toMatchObject({ ok: true, value: 3 });
  expect([replica.system.isReady, replica.lost]).toEqual([true, []]);
});

test("[RT-14] a bug that prevents a start after a commit does not cost the caller its reply", async () => {
  const replica = await start();
  replica.system.alarms.set = plant("an alarm");
  expect(faultOf(await replica.ask("l1", { kind: "wake_at", dueAtMs: 1_000, by: 1 }))).toBe("ok");
  expect(replica.errors).toEqual([CALLBACK_BUG]);
  expect(faultOf(await replica.add("l1"))).toBe("ok");
});

test("[RT-14] a flush that fails itself is fatal: not ready, nothing hangs, and the process has to end", async () => {
  const replica = await start();
  await replica.add("l1");
  const reader = replica.subscribe("l1", 1);
  const next = reader.next();
  const gate = replica.store.holdNext();
  const sent = replica.add("l1");
  await gate.reached;
  const queued = replica.add("l2");
  const lane = replica.system.laneOf(0) as unknown as { endAnswered(): void };
  lane.endAnswered = plant("a bug of the lane");
  gate.open();
  expect([faultOf(await sent), faultOf(await queued)]).toEqual(["outcome_unknown", "unavailable"]);
  expect(replica.lost).toEqual(["the flush has failed"]);
  expect(replica.errors).toEqual(["the flush has failed: a bug"]);
  expect(replica.system.isReady).toBe(false);
  expect([await next, reader.isLost]).toEqual([[], true]);
  expect(faultOf(await replica.add("l3"))).toBe("unavailable");
  await replica.system.stop();
  const second = await startLedgers(replica.world);
  expect((await second.read("l1"))?.count).toBe(2);
});

test("[RT-14] the flush's failure reaches every caller, whatever its actor", async () => {
  const replica = await start();
  const lane = replica.system.laneOf(0) as unknown as { endAnswered(): void };
  lane.endAnswered = plant("a bug of the lane");
  const outcomes = await Promise.all(
    ["a", "b", "c"].map((id) => replica.system.dispatch(ledgerRef(ORG, id), { kind: "add", by: 1 })),
  );
  expect(outcomes.map(faultOf)).toEqual(["outcome_unknown", "outcome_unknown", "outcome_unknown"]);
});
