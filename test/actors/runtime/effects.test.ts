import { expect, test } from "bun:test";
import { type EffectContext, type EffectHandler, Effects } from "../../../actors/runtime/outputs/effects.ts";
import { shardOf } from "../../../actors/runtime/placement/placement.ts";
import type { EffectRow } from "../../../actors/runtime/store.ts";
import { until } from "../../support/condition.ts";
import { settle } from "../../support/fake-clock.ts";
import { faultOf, idleEffect, type LedgerReplica, ORG, startLedgers } from "../../support/ledger-replica.ts";
import { inWorld, World } from "../../support/replica.ts";
import { Gate } from "../../support/memory-store.ts";

interface Call {
  readonly how: "run" | "recover";
  readonly effect: EffectRow;
  readonly context: EffectContext;
}

/** A handler that notes its calls; runs last until they are aborted. */
function recorded(more: Partial<EffectHandler> = {}): {
  readonly calls: Call[];
  readonly effects: Record<string, EffectHandler>;
} {
  const calls: Call[] = [];
  const handler = { ...idleEffect(), ...more };
  return {
    calls,
    effects: {
      count: {
        run: (effect, context) => (calls.push({ how: "run", effect, context }), handler.run(effect, context)),
        recover: (effect, context) => (
          calls.push({ how: "recover", effect, context }),
          handler.recover(effect, context)
        ),
      },
    },
  };
}
const begin = (replica: LedgerReplica, id = "l1") => replica.ask(id, { kind: "add_with_effect", by: 1 });

test("[RT-10] an effect starts after the commit that intends it, and its row is there until a turn settles it", async () => {
  const { calls, effects } = recorded();
  const replica = await startLedgers(new World(), { effects });
  const gate = replica.store.holdNext();
  const outcome = begin(replica);
  await gate.reached;
  await settle();
  expect(calls).toEqual([]);
  gate.open();
  const id = ((await outcome) as { value: string }).value;
  expect(calls.map((c) => [c.how, c.effect.id, c.effect.intent, c.context.epoch])).toEqual([["run", id, { by: 1 }, 1]]);
  expect(replica.world.database.effects().map((e) => e.id)).toEqual([id]);
  await replica.ask("l1", { kind: "effect_done", effectId: id });
  expect(replica.world.database.effects()).toEqual([]);
});

test("[RT-10] an effect does not start when its group breaks, is refused or is fenced", async () => {
  const { calls, effects } = recorded();
  const replica = await startLedgers(new World(), { effects });
  await replica.add("l1");
  replica.store.failNext({ kind: "abort", code: "23505" });
  await expect(begin(replica)).rejects.toThrow("refused the group");
  replica.world.database.shards[shardOf(ORG)]!.epoch++;
  expect(faultOf(await begin(replica))).toBe("unavailable");
  expect(calls).toEqual([]);
});

test("[RT-10] settling an effect aborts its handler, and one that is begun and settled at once never starts", async () => {
  const { calls, effects } = recorded();
  const replica = await startLedgers(new World(), { effects });
  const id = ((await begin(replica)) as { value: string }).value;
  await replica.ask("l1", { kind: "settle", effectId: id });
  expect(calls[0]!.context.signal.aborted).toBe(true);
  await settle();
  expect(replica.system.effects.count).toBe(0);
  const ref = { kind: "ledger", organizationId: ORG, id: "l1" };
  const both = [
    { ref, command: { kind: "add_with_effect", by: 1 } },
    ([effectId]: readonly unknown[]) => ({ ref, command: { kind: "settle", effectId } }),
  ];
  expect((await replica.system.dispatchGroup(both)).ok).toBe(true);
  expect([calls.length, replica.world.database.effects()]).toEqual([1, []]);
});

test("[RT-11] an effect that was in progress in a crash is recovered by the next owner beside its clients, and not run", async () => {
  const { world, replica: first } = await inWorld((of) => startLedgers(of, { effects: recorded().effects }));
  await begin(first);
  first.crash();
  const gate = new Gate();
  const { calls, effects } = recorded({ recover: async () => void (await gate.pass()) });
  const second = await startLedgers(world, { effects });
  await gate.reached;
  expect(calls.map((c) => [c.how, c.context.epoch])).toEqual([["recover", 2]]);
  expect(faultOf(await second.add("l1"))).toBe("ok");
  gate.open();
  await settle();
  expect(calls.length).toBe(1);
});

test("[RT-5] the result of an effect of an older epoch is refused; the effect itself is aborted and recovered", async () => {
  const { calls, effects } = recorded();
  const replica = await startLedgers(new World(), { effects });
  const id = ((await begin(replica)) as { value: string }).value;
  replica.store.failNext({ kind: "lost_request" });
  expect(faultOf(await replica.add("l1"))).toBe("outcome_unknown");
  await settle();
  expect(calls.map((c) => [c.how, c.context.epoch, c.context.signal.aborted])).toEqual([
    ["run", 1, true],
    ["recover", 2, false],
  ]);
  expect(faultOf(await replica.ask("l1", { kind: "effect_done", effectId: id }, 1))).toBe("unavailable");
  expect(faultOf(await replica.ask("l1", { kind: "effect_done", effectId: id }, 2))).toBe("ok");
});

test("[RT-10] an effect whose commit is answered after the shard was lost belongs to the new owner, and starts nowhere else", async () => {
  const world = new World();
  const { calls, effects } = recorded();
  const replica = await startLedgers(world, { effects });
  const gate = new Gate();
  replica.store.failNext({ kind: "late_reply", gate });
  const outcome = begin(replica);
  await gate.reached;
  const row = world.database.shards[shardOf(ORG)]!;
  Object.assign(row, { owner: "r9", epoch: row.epoch + 1 });
  world.database.replicas.set("r9", { leaseUntil: Infinity, dead: false });
  await world.clock.advance(3_000);
  gate.open();
  expect(faultOf(await outcome)).toBe("ok");
  await settle();
  expect(calls).toEqual([]);
});

test("[RT-10] a handler that rejects, or that is missing, is a bug in the log; the row stays", async () => {
  const { effects } = recorded({ run: () => Promise.reject(new Error("oops")) });
  const replica = await startLedgers(new World(), { effects });
  await begin(replica);
  await until("the bug is in the log", () => replica.errors.includes("an effect failed"));
  expect(replica.world.database.effects().length).toBe(1);
  const without = await startLedgers(new World(), { effects: {} });
  await begin(without);
  expect(without.errors).toEqual(["an effect failed"]);
});

test("[RT-11] a failed recovery is retried while the epoch lasts, and does not prevent the shard from serving", async () => {
  const { world, replica: first } = await inWorld((of) => startLedgers(of, { effects: recorded().effects }));
  await begin(first);
  first.crash();
  let failures = 2;
  const { calls, effects } = recorded({
    recover: async () => {
      if (failures-- > 0) throw new Error("the database could not be read");
    },
  });
  const second = await startLedgers(world, { effects });
  expect((await second.read("l1"))?.count).toBe(1);
  await world.clock.advance(60_000);
  expect(calls.length).toBe(3);
});

test("[RT-11] a started effect whose handler fails is recovered by the same replica, unless a turn has settled it", async () => {
  const world = new World();
  const failing = Promise.withResolvers<void>();
  const { calls, effects } = recorded({ run: () => failing.promise });
  const replica = await startLedgers(world, { effects });
  const ids = [await begin(replica), await begin(replica, "l2")].map((begun) => (begun as { value: string }).value);
  await replica.ask("l2", { kind: "settle", effectId: ids[1]! });
  failing.reject(new Error("oops"));
  await world.clock.advance(60_000);
  expect(calls.map((c) => [c.how, c.effect.id])).toEqual([
    ["run", ids[0]!],
    ["run", ids[1]!],
    ["recover", ids[0]!],
  ]);
});

test("[RT-11] a stop ends the effects without settling them, and starts no more", async () => {
  const world = new World();
  const { calls, effects } = recorded();
  const replica = await startLedgers(world, { effects });
  await begin(replica);
  const gate = replica.store.holdNext();
  const late = replica.ask("l2", { kind: "add_with_effect", by: 1 });
  await gate.reached;
  const stopping = replica.system.stop();
  const message = replica.ask("l3", { kind: "add_with_effect", by: 1 }, 1);
  gate.open();
  await stopping;
  expect([faultOf(await late), faultOf(await message)]).toEqual(["ok", "ok"]);
  expect(calls.every((c) => c.context.signal.aborted)).toBe(true);
  expect(replica.system.effects.count).toBe(0);
  expect(world.database.effects().length).toBe(3);
});

test("[RT-11] a commit during the last of a stop starts no effect that the stop would wait for", async () => {
  const world = new World();
  let abandoned: Promise<unknown> = Promise.resolve();
  const { calls, effects } = recorded({
    // As it is aborted, its last words lead to another effect.
    run: (_, { signal }) =>
      new Promise((resolve) => {
        const lastWords = (): void => {
          if (calls.length === 1) abandoned = replica.ask("l2", { kind: "add_with_effect", by: 1 }, 1);
          void abandoned.then(() => resolve());
        };
        if (!signal.aborted) signal.addEventListener("abort", lastWords, { once: true });
      }),
  });
  const replica = await startLedgers(world, { effects });
  await begin(replica);
  await replica.system.stop();
  await abandoned;
  expect([calls.length, world.database.effects().length]).toEqual([1, 2]);
});

test("[RT-11] [REP-2] an effect that does not end delays a stop for four seconds, then the shards are released", async () => {
  const world = new World();
  const { effects } = recorded({ run: () => new Promise(() => {}) });
  const replica = await startLedgers(world, { effects });
  await begin(replica);
  let hasStopped = false;
  const stopping = replica.system.stop().then(() => (hasStopped = true));
  await world.clock.advance(3_999);
  expect(hasStopped).toBe(false);
  await world.clock.advance(1);
  await stopping;
  expect(world.database.effects().length).toBe(1);
  const next = await startLedgers(world, { effects: recorded().effects });
  expect(next.system.shards.count).toBeGreaterThan(0);
});

test("[REP-2] an effect that is intended for a shard that leaves is not begun early: the next owner begins it", () => {
  const intended: string[] = [];
  const effects = new Effects(
    () => true,
    (cause) => expect(cause).toBeNull(),
  );
  effects.handle({ count: { ...idleEffect(), intended: ({ id }) => void intended.push(id) } });
  const row = (id: string): EffectRow => ({
    id,
    organizationId: ORG,
    actorKind: "ledger",
    actorId: "l1",
    kind: "count",
    intent: {},
  });
  effects.intend(row("before"), { shard: 1, epoch: 1 });
  effects.leaveShards(new Set([1]));
  effects.intend(row("while it leaves"), { shard: 1, epoch: 1 });
  effects.intend(row("of another one"), { shard: 2, epoch: 1 });
  effects.abortShards(new Set([1]));
  effects.intend(row("back again"), { shard: 1, epoch: 2 });
  expect(intended).toEqual(["before", "of another one", "back again"]);
});

test("[RT-10] an effect that is being recovered does not start as well", async () => {
  const calls: string[] = [];
  const end = Promise.withResolvers<void>();
  const handler: EffectHandler = {
    run: () => (calls.push("run"), Promise.resolve()),
    recover: () => (calls.push("recover"), end.promise),
  };
  const effects = new Effects(
    () => true,
    () => {},
  );
  effects.handle({ count: handler });
  const row = { id: "eff_1", organizationId: ORG, actorKind: "ledger", actorId: "l1", kind: "count", intent: {} };
  const grant = { shard: shardOf(ORG), epoch: 1 };
  const recovered = effects.recover(row, grant);
  effects.start(row, grant);
  expect(calls).toEqual(["recover"]);
  end.resolve();
  expect(await recovered).toBe(true);
});

test("[RT-10] an effect whose commit is answered after its recovery failed runs, and is not recovered beside that", async () => {
  const calls: string[] = [];
  const end = Promise.withResolvers<void>();
  const handler: EffectHandler = {
    run: () => (calls.push("run"), end.promise),
    recover: () => (calls.push("recover"), Promise.reject(new Error("fails"))),
  };
  const effects = new Effects(
    () => true,
    () => {},
  );
  effects.handle({ count: handler });
  const row = { id: "eff_1", organizationId: ORG, actorKind: "ledger", actorId: "l1", kind: "count", intent: {} };
  const grant = { shard: shardOf(ORG), epoch: 1 };
  expect(await effects.recover(row, grant)).toBe(false);
  effects.start(row, grant);
  expect(await effects.recover(row, grant)).toBe(true);
  expect(calls).toEqual(["recover", "run"]);
  end.resolve();
  await effects.drained();
});

test("[RT-10] an effect whose recovery hangs is recovered by the next epoch, and not beside itself before", async () => {
  const ends: (() => void)[] = [];
  const epochs: number[] = [];
  const handler: EffectHandler = {
    run: () => Promise.resolve(),
    // It does not even heed its signal.
    recover: (_, { epoch }) => (epochs.push(epoch), new Promise((resolve) => ends.push(resolve))),
  };
  const effects = new Effects(
    () => true,
    () => {},
  );
  effects.handle({ count: handler });
  const row = { id: "eff_1", organizationId: ORG, actorKind: "ledger", actorId: "l1", kind: "count", intent: {} };
  const shard = shardOf(ORG);
  void effects.recover(row, { shard, epoch: 1 });
  expect(await effects.recover(row, { shard, epoch: 1 })).toBe(true);
  effects.abortShards(new Set([shard]));
  const recovered = effects.recover(row, { shard, epoch: 2 });
  expect([epochs, effects.count]).toEqual([[1, 2], 1]);
  // The end of the old one does not take the entry of the new one.
  ends[0]!();
  await settle();
  effects.start(row, { shard, epoch: 2 });
  expect([epochs, effects.count]).toEqual([[1, 2], 1]);
  ends[1]!();
  expect([await recovered, effects.count]).toEqual([true, 0]);
});
