/** Recovering the effects that a former owner left undone, when there are many or it does not go well. */
import { expect, test } from "bun:test";
import type { EffectContext } from "../../../actors/runtime/outputs/effects.ts";
import type { EffectRow } from "../../../actors/runtime/store.ts";
import { RECOVERY_SLOT_MS, UNDONE_PAGE } from "../../../actors/runtime/placement/take-up.ts";
import { until } from "../../support/condition.ts";
import { settle } from "../../support/fake-clock.ts";
import { heir, HEIR_SHARD, undoneEffect, withholdAnswers } from "../../support/heir.ts";
import { faultOf } from "../../support/ledger-replica.ts";

test("[RT-11] effects are recovered a few at a time, failed ones again later, and newly started ones not at all", async () => {
  const recovered: string[] = [];
  let running = 0;
  let most = 0;
  let isBad = true;
  const handler = {
    run: () => Promise.resolve(),
    recover: async ({ id }: EffectRow) => {
      most = Math.max(most, ++running);
      await settle();
      running--;
      if (id === undoneEffect(5).id && isBad) throw new Error("cannot be recovered yet");
      recovered.push(id);
    },
  };
  const effects = Array.from({ length: UNDONE_PAGE + 50 }, (_, i) => undoneEffect(i));
  const { world, replica } = heir({ effects }, { work: handler });
  await replica.system.start();
  await until("each has had its try", () => recovered.length === effects.length - 1 && replica.errors.length > 0);
  expect(most).toBeLessThanOrEqual(16);
  expect(replica.errors).toEqual(["an effect failed"]);
  isBad = false;
  await world.clock.advance(10_000);
  await until("it has had its second one", () => recovered.length === effects.length);
  expect(recovered.at(-1)).toBe(undoneEffect(5).id);
  expect(new Set(recovered).size).toBe(effects.length);
  expect(recovered.length).toBe(effects.length);
});

test("[RT-11] failed effects of a shard share one read of the table for their next try", async () => {
  let isBad = true;
  const ended: string[] = [];
  const handle = async ({ id }: EffectRow): Promise<void> => {
    if (isBad) throw new Error("not yet");
    ended.push(id);
  };
  const effects = Array.from({ length: 5 }, (_, i) => undoneEffect(i));
  const { world, replica, ask } = heir({ effects }, { work: { run: handle, recover: handle } });
  let reads = 0;
  const read = replica.store.undoneEffects.bind(replica.store);
  replica.store.undoneEffects = (...asked) => {
    reads++;
    return read(...asked);
  };
  await replica.system.start();
  // Some fail later than the others, and some when they begin.
  for (let i = 0; i < 5; i++) {
    await world.clock.advance(500);
    expect(faultOf(await ask("b", { kind: "begin" }))).toBe("ok");
  }
  await until("each has failed", () => replica.errors.length === 10);
  reads = 0;
  await world.clock.advance(50_000);
  expect(reads).toBeGreaterThan(5);
  expect(reads).toBeLessThanOrEqual(15);
  isBad = false;
  await world.clock.advance(5_000);
  await until("each has had its turn", () => ended.length === 10);
  expect(new Set(ended).size).toBe(10);
});

test("[RT-10] [RT-11] an effect whose commit is answered while its recovery waits for a slot is not recovered too", async () => {
  const recovered: string[] = [];
  const ran: string[] = [];
  const ends: (() => void)[] = [];
  const pending = (): Promise<void> => new Promise((resolve) => ends.push(resolve));
  const work = {
    run: ({ id }: EffectRow) => {
      ran.push(id);
      return pending();
    },
    recover: ({ id }: EffectRow) => {
      recovered.push(id);
      return pending();
    },
  };
  // As many as are recovered at once.
  const effects = Array.from({ length: 16 }, (_, i) => undoneEffect(i));
  const { world, replica, ask } = heir({ effects }, { work });
  const door = Promise.withResolvers<void>();
  const read = replica.store.undoneEffects.bind(replica.store);
  replica.store.undoneEffects = async (...asked) => {
    await door.promise;
    return read(...asked);
  };
  await replica.system.start();
  const answerCommits = withholdAnswers(replica);
  const begun = ask("b", { kind: "begin" });
  await until("its row is there", () => world.database.effects().length > effects.length);
  door.resolve();
  await until("every slot is taken", () => recovered.length === effects.length);
  await settle();
  answerCommits();
  expect(faultOf(await begun)).toBe("ok");
  await until("it runs", () => ran.length === 1);
  for (const end of ends.splice(0)) end();
  await settle();
  expect(recovered).toEqual(effects.map(({ id }) => id));
  replica.crash();
});

test("[RT-11] recoveries that hang hold back other recoveries and retries no longer than they have their slots", async () => {
  const recovered: string[] = [];
  const hangs = ({ id }: EffectRow): boolean => id < undoneEffect(40).id;
  let isBad = true;
  const work = {
    run: () => Promise.resolve(),
    recover: async (effect: EffectRow, { signal }: EffectContext) => {
      if (!isBad) recovered.push(effect.id);
      if (hangs(effect) && !isBad) await new Promise((resolve) => signal.addEventListener("abort", resolve));
      if (isBad) throw new Error("not yet");
    },
  };
  const effects = Array.from({ length: 45 }, (_, i) => undoneEffect(i));
  const { world, replica } = heir({ effects }, { work });
  await replica.system.start();
  await until("each has failed", () => replica.errors.length === effects.length);
  isBad = false;
  await world.clock.advance(5_000);
  expect(recovered.length).toBe(16);
  await world.clock.advance(2 * RECOVERY_SLOT_MS);
  await until("the last ones are recovered", () => recovered.at(-1) === undoneEffect(44).id);
  // Those that hang are under way, and not begun again.
  await world.clock.advance(60_000);
  expect(new Set(recovered).size).toBe(recovered.length);
  replica.crash();
});

test("[RT-11] no effect is recovered after its shard is lost", async () => {
  const recovered: string[] = [];
  const ends: (() => void)[] = [];
  const work = {
    run: () => Promise.resolve(),
    recover: ({ id }: EffectRow) => {
      recovered.push(id);
      return new Promise<void>((resolve) => ends.push(resolve));
    },
  };
  const effects = Array.from({ length: 40 }, (_, i) => undoneEffect(i));
  const { replica } = heir({ effects }, { work });
  await replica.system.start();
  await until("some are being recovered", () => recovered.length > 0);
  await settle();
  const before = recovered.length;
  expect(before).toBeLessThan(effects.length);
  replica.system.shards.lose(HEIR_SHARD);
  for (const end of ends.splice(0)) end();
  await settle();
  expect(recovered.length).toBe(before);
  replica.crash();
});
