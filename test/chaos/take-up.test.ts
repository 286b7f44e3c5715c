/** What a replica must forget when a shard is taken up anew, on the model in memory: found by storms. */
import { expect, test } from "bun:test";
import type { EffectContext } from "../../actors/runtime/outputs/effects.ts";
import { LEASE_RENEW_MS, shardOf } from "../../actors/runtime/placement/placement.ts";
import { noWrites } from "../../actors/runtime/store.ts";
import { until } from "../support/condition.ts";
import { FAKE_EPOCH_MS, settle } from "../support/fake-clock.ts";
import { idleEffect, LedgerReplica, ORG, startLedgers } from "../support/ledger-replica.ts";
import { inWorld, World } from "../support/replica.ts";

const SHARD = shardOf(ORG);

test("[RT-10] [RT-11] an effect is not recovered under an epoch that ended while earlier messages were delivered", async () => {
  const { world, replica: former } = await inWorld(startLedgers);
  await former.ask("l1", { kind: "add_with_effect", by: 1 });
  // The message's row is committed, its delivery is not.
  former.store.failNext({ kind: "lost_reply" }, { kind: "lost_request" });
  await former.ask("l1", { kind: "add_and_tell", by: 1, to: "l2" });
  former.crash();
  const contexts: EffectContext[] = [];
  const recover = async (_: unknown, context: EffectContext): Promise<void> => {
    contexts.push(context);
    const isServed = (): boolean => world.database.shards[SHARD]!.epoch === context.epoch;
    if (!isServed() && !context.signal.aborted)
      await new Promise<void>((resolve) => context.signal.addEventListener("abort", () => resolve()));
  };
  const next = new LedgerReplica(world, { effects: { count: { ...idleEffect(), recover } } });
  next.store.failNext({ kind: "lost_request" });
  const start = next.system.start();
  await world.clock.advance(LEASE_RENEW_MS);
  await start;
  await until("the next owner serves", () => next.system.isReady);
  expect((await next.read("l2"))?.count).toBe(1);
  expect(contexts.map((c) => c.epoch)).toEqual([world.database.shards[SHARD]!.epoch]);
});

test("[RT-5] [RT-10] work of a shard's former epoch ends when the shard was lost and regained between two renewals", async () => {
  const world = new World();
  const signals: AbortSignal[] = [];
  const run = (_: unknown, { signal }: EffectContext): Promise<void> => {
    signals.push(signal);
    return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
  };
  const replica = await startLedgers(world, { effects: { count: { run, recover: async () => {} } } });
  await replica.ask("l1", { kind: "add_with_effect", by: 1 });
  await replica.ask("l2", { kind: "wake_at", dueAtMs: FAKE_EPOCH_MS + 2 * LEASE_RENEW_MS, by: 5 });
  // Somebody else owns it for a moment and fires the alarm.
  world.database.shards[SHARD]!.epoch += 2;
  const writes = { ...noWrites(), cleared: [...world.database.alarms()] };
  world.database.commit([{ shard: SHARD, epoch: world.database.shards[SHARD]!.epoch, writes }], new Set([SHARD]));
  await world.clock.advance(LEASE_RENEW_MS);
  expect(signals.map((signal) => signal.aborted)).toEqual([true]);
  await world.clock.advance(4 * LEASE_RENEW_MS);
  await settle();
  expect(await replica.read("l2")).toBeNull();
});
