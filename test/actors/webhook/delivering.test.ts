/** The effects of webhooks by themselves: the order in which attempts start, and how their ends are reported. */
import { expect, test } from "bun:test";
import { ok, type Outcome } from "../../../actors/fault.ts";
import type { EffectContext } from "../../../actors/runtime/outputs/effects.ts";
import type { DispatchAdmission } from "../../../actors/runtime/turns/members.ts";
import type { EffectRow } from "../../../actors/runtime/store.ts";
import { webhookEffects } from "../../../actors/webhook/delivering.ts";
import type { AttemptEnd, Prepared, WebhookCommand } from "../../../actors/webhook/protocol.ts";
import { Reports } from "../../../actors/webhook/reports.ts";
import { FakeClock, settle } from "../../support/fake-clock.ts";

const DELIVERED = { kind: "delivered", httpStatus: 200, durationMs: 3 } as const;
const context: EffectContext = {
  signal: new AbortController().signal,
  epoch: 1,
  isOver: () => false,
  isHandedOver: () => false,
  mayAct: () => true,
};

/** What these effects have and do not use here. */
const UNUSED = {
  queue: { waiting: () => Promise.reject(new Error("unused")), eventsIn: () => Promise.resolve([]) },
  chance: { fraction: () => 1 },
  log: { warn: () => {} },
};
const row = (id: string): EffectRow =>
  ({
    id: `eff_${id}`,
    organizationId: "org_a",
    kind: "deliver_webhooks",
    intent: { attempts: [{ id, eventId: id }] },
  }) as never;
const prepared = (id: string): Prepared => ({ attempt: { id }, event: {}, destination: {} }) as Prepared;

/** Effects whose attempts are prepared when the test says so, and what is sent of them. */
function delivering() {
  const sent: string[] = [];
  const preparations = new Map<string, PromiseWithResolvers<Outcome<readonly unknown[]>>>();
  const effects = webhookEffects({
    ...UNUSED,
    sender: { send: (prepared) => (sent.push(prepared.attempt.id), Promise.resolve(DELIVERED)) },
    clock: new FakeClock(),
    joinNext: (_, run) => run(),
    group: ([member]) => {
      const { command } = member!;
      if (command.kind !== "prepare_attempts") return Promise.resolve(ok([null]));
      const preparation = Promise.withResolvers<Outcome<readonly unknown[]>>();
      preparations.set(command.attempts[0]!.id, preparation);
      return preparation.promise;
    },
  });
  return { sent, preparations, effects };
}

test("[HOOK-6] attempts start in the order of their effects, also when a later one is prepared first", async () => {
  const { sent, preparations, effects } = delivering();
  const prepare = (id: string): void => preparations.get(id)!.resolve(ok([[prepared(id)]]));
  const both = ["first", "second"].map((id) => effects.deliver_webhooks.run(row(id), context));
  prepare("second");
  await settle();
  expect(sent).toEqual([]);
  prepare("first");
  await Promise.all(both);
  expect(sent).toEqual(["first", "second"]);
});

test("[HOOK-6] attempts that cannot be prepared, because of a bug, hold up none after them", async () => {
  const { sent, preparations, effects } = delivering();
  const ends = ["first", "second", "third"].map((id) =>
    effects.deliver_webhooks.run(row(id), context).then(() => "made", String),
  );
  // While it waits for the first one: a rejection that nobody takes ends the process.
  preparations.get("second")!.reject(new Error("the second"));
  await settle();
  preparations.get("first")!.reject(new Error("the first"));
  preparations.get("third")!.resolve(ok([[prepared("third")]]));
  expect(await Promise.all(ends)).toEqual(["Error: the first", "Error: the second", "made"]);
  expect(sent).toEqual(["third"]);
});

test("[HOOK-6] an attempt whose sending throws has failed, and the others of its effect are made", async () => {
  const ends: AttemptEnd[] = [];
  const effects = webhookEffects({
    ...UNUSED,
    sender: {
      send: async (prepared) => {
        if (prepared.attempt.id === "a") throw new Error("a secret does not open");
        return DELIVERED;
      },
    },
    clock: new FakeClock(),
    joinNext: (_, run) => run(),
    group: ([member]) => {
      const { command } = member!;
      if (command.kind === "attempts_ended") ends.push(...command.ends);
      return Promise.resolve(ok([command.kind === "prepare_attempts" ? [prepared("a"), prepared("b")] : null]));
    },
  });
  const both = { ...row("a"), intent: { attempts: ["a", "b"].map((id) => ({ id, eventId: id })) } };
  await effects.deliver_webhooks.run(both, context);
  const byId = Object.fromEntries(ends.map(({ attemptId, result }) => [attemptId, result.kind]));
  expect(byId).toEqual({ a: "failed", b: "delivered" });
});

test("[HOOK-6] an attempt that is prepared while the lease has lapsed is made when the lease is back", async () => {
  const clock = new FakeClock();
  const sent: string[] = [];
  const effects = webhookEffects({
    ...UNUSED,
    sender: { send: (prepared) => (sent.push(prepared.attempt.id), Promise.resolve(DELIVERED)) },
    clock,
    joinNext: (_, run) => run(),
    group: ([member]) => {
      const isPreparing = member!.command.kind === "prepare_attempts";
      return Promise.resolve(ok([isPreparing ? [prepared("a")] : null]));
    },
  });
  let hasLease = false;
  const running = effects.deliver_webhooks.run(row("a"), { ...context, mayAct: () => hasLease });
  await clock.advance(5_000);
  expect(sent).toEqual([]);
  hasLease = true;
  await clock.advance(1_000);
  await running;
  expect(sent).toEqual(["a"]);
});

test("[HOOK-6] ends of one epoch are reported by one command, those of another epoch by another one", async () => {
  const told: { readonly ids: readonly string[]; readonly epoch: number | undefined }[] = [];
  const next: (() => void)[] = [];
  const reports = new Reports({
    joinNext: (_, run) => void next.push(run),
    group: ([member], { epoch }: DispatchAdmission) => {
      const { ends } = member!.command as Extract<WebhookCommand, { kind: "attempts_ended" }>;
      told.push({ ids: ends.map(({ attemptId }) => attemptId), epoch });
      return Promise.resolve(ok([null]));
    },
  });
  const end = (attemptId: string): AttemptEnd => ({ attemptId, effectId: "eff", sentTo: null, result: DELIVERED });
  const all = [
    reports.tell("org_a", 1, end("a")),
    reports.tell("org_a", 2, end("b")),
    reports.tell("org_a", 1, end("c")),
  ];
  for (const run of next) run();
  expect(await Promise.all(all)).toEqual([true, true, true]);
  expect(told).toEqual([
    { ids: ["a", "c"], epoch: 1 },
    { ids: ["b"], epoch: 2 },
  ]);
});
