/**
 * A page of undone effects could hold one whose commit was stored but not answered yet: it was recovered
 * from the page, and started when the answer came. Seed 533 of the simulation had found it.
 */
import { expect, test } from "bun:test";
import { Effects } from "../../actors/runtime/outputs/effects.ts";

test("[RT-10] an effect that is being recovered does not start as well when its commit is answered", async () => {
  const calls: string[] = [];
  const recovered = Promise.withResolvers<void>();
  const handler = {
    run: async () => void calls.push("run"),
    recover: async () => {
      calls.push("recover");
      await recovered.promise;
    },
  };
  const effects = new Effects(
    () => true,
    (cause) => expect(cause).toBeNull(),
  );
  effects.handle({ count: handler });
  const effect = { id: "eff_1", organizationId: "org_a", actorKind: "ledger", actorId: "a", kind: "count", intent: {} };
  const grant = { shard: 1, epoch: 1 };
  const recovery = effects.recover(effect, grant);
  effects.start(effect, grant);
  recovered.resolve();
  expect(await recovery).toBe(true);
  expect(calls).toEqual(["recover"]);
  expect(effects.count).toBe(0);
});
