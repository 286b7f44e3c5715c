/** Whatever ends a run, it leaves nothing behind in the limiters that it shares with the others. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { jobExecution } from "../../../../actors/job/run/execution.ts";
import { ProviderLimits } from "../../../../actors/job/run/provider-limits.ts";
import { Slots } from "../../../../actors/job/run/slots.ts";
import { jobRef } from "../../../../actors/job/schema.ts";
import { until } from "../../../support/condition.ts";
import { settle } from "../../../support/fake-clock.ts";
import { FakeModel, gate, type ModelStep } from "../../../support/fake-model.ts";
import { type JobReplica, ORG, startJobs } from "../../../support/job-replica.ts";
import { World } from "../../../support/replica.ts";

const limited = (retryAfterMs: number): ModelStep => ({
  fail: { code: "provider_rate_limited", message: "Slow down.", retryAfterMs },
});

/** Jobs that share their limiters. */
class Scene {
  readonly world = new World();
  readonly model = new FakeModel();
  readonly limits = new ProviderLimits(this.world.clock);
  readonly slots = new Slots({ inProcess: 2, ofOrganization: 2 });
  readonly jobs: string[] = [];
  replica!: JobReplica;

  static async begin(script: (call: number) => readonly ModelStep[]): Promise<Scene> {
    const scene = new Scene();
    const { model, slots, limits } = scene;
    model.script = () => script(model.calls.length);
    scene.replica = await startJobs(scene.world, {
      model,
      slots,
      retry: { retries: 3, fallbacks: [] },
      execution: (services) => jobExecution(services, limits),
    });
    return scene;
  }

  cancel(id: string | undefined): void {
    if (id !== undefined) this.replica.system.dispatch(jobRef(ORG, id), { kind: "cancel" }).catch(() => {});
  }

  get inUse(): Readonly<Record<string, number>> {
    return { calls: this.limits.callsInFlight, slots: this.slots.inUse, rooms: this.model.rooms };
  }
}
const NOTHING = { calls: 0, slots: 0, rooms: 0 };

test("[RUN-8] a job that is cancelled at the moment it gets a pass releases it, and the next job gets it", async () => {
  const scene = await Scene.begin((call) => (call === 1 ? [limited(60_000)] : [{ say: "Done." }]));
  const { replica, world, model } = scene;
  const first = await replica.send("a", "cht_1");
  await until("it is refused", () => (replica.job(first)?.waiting ?? null) !== null);
  scene.cancel(first);
  const second = await replica.send("b", "cht_2");
  await world.clock.advance(59_000);
  expect(replica.job(second).waiting).toMatchObject({ reason: "provider_rate_limited" });
  // The cancel is decided, and not committed: the pass comes before the job hears of it.
  const commit = replica.store.holdNext();
  scene.cancel(second);
  await commit.reached;
  await world.clock.advance(1_000);
  commit.open();
  await until("it is cancelled", () => replica.job(second).status === "cancelled");
  expect(scene.inUse).toEqual(NOTHING);
  const third = await replica.send("c", "cht_3");
  expect((await replica.ended(third)).status).toBe("completed");
  expect(model.calls.length).toBe(2);
});

test("[RUN-8] [JOB-10] a job whose turn at its provider comes while no slot is free gives the turn to others, and takes another one later", async () => {
  const scene = await Scene.begin((call) => (call === 1 ? [limited(10_000)] : [{ say: "Done." }]));
  const { replica, world, model, slots, limits } = scene;
  const first = await replica.send("a", "cht_1");
  await until("it is refused", () => (replica.job(first)?.waiting ?? null) !== null);
  const second = await replica.send("b", "cht_2");
  await world.clock.advance(6_000);
  expect(scene.inUse).toEqual(NOTHING);
  const taken = [1, 2].map(() => slots.acquireNow({ organizationId: "org_b", priority: "medium", since: 0 }));
  await world.clock.advance(10_000);
  await settle();
  expect([model.calls.length, scene.inUse]).toEqual([1, { ...NOTHING, slots: 2 }]);
  // A job that has a slot is not held up by those that have none.
  using pass = await limits.of("fake").enter(new AbortController().signal, "org_b");
  expect(pass).not.toBeNull();
  pass?.end({ kind: "answered", pauseMs: null });
  for (const slot of taken) slot?.end();
  for (const id of [first, second]) expect((await replica.ended(id)).status).toBe("completed");
  expect([model.calls.length, scene.inUse]).toEqual([3, NOTHING]);
});

test("[FILE-7] a job that is cancelled at the moment it gets room releases it", async () => {
  const room = gate();
  const scene = await Scene.begin(() => [{ room: room.hold }, { say: "Done." }]);
  const { replica, world } = scene;
  const id = await replica.send("a");
  await world.clock.advance(2_000);
  const commit = replica.store.holdNext();
  scene.cancel(id);
  await commit.reached;
  room.open();
  await settle();
  commit.open();
  await until("it is cancelled", () => replica.job(id).status === "cancelled");
  expect(scene.inUse).toEqual(NOTHING);
});

test("[RUN-8] [FILE-7] [JOB-10] however runs end, no pass or room is held when nothing runs", async () => {
  const action = fc.oneof(
    fc.record({ kind: fc.constant("send" as const), chat: fc.nat(3) }),
    fc.record({ kind: fc.constant("cancel" as const), job: fc.nat(9) }),
    fc.record({ kind: fc.constant("time" as const), ms: fc.integer({ min: 1, max: 6_000 }) }),
    fc.record({ kind: fc.constantFrom("room" as const, "hold" as const, "open" as const, "lose" as const) }),
  );
  const call = fc.oneof(
    fc.record({ kind: fc.constant("limited" as const), ms: fc.integer({ min: 0, max: 9_000 }) }),
    fc.record({ kind: fc.constantFrom("room" as const, "say" as const), ms: fc.constant(0) }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(action, { minLength: 5, maxLength: 40 }),
      fc.array(call, { minLength: 1, maxLength: 12 }),
      async (actions, calls) => {
        let room = gate();
        const scene = await Scene.begin((count) => {
          const { kind, ms } = calls[count % calls.length]!;
          if (kind === "limited") return [limited(ms)];
          return kind === "room" ? [{ room: room.hold }, { say: "Done." }] : [{ say: "Done." }];
        });
        const { replica, world, jobs } = scene;
        const held = [];
        for (const next of actions) {
          if (next.kind === "send") {
            const sent = replica.send("go", `cht_${jobs.length}`).catch(() => null);
            void sent.then((id) => id !== null && jobs.push(id));
          } else if (next.kind === "cancel") scene.cancel(jobs[next.job]);
          else if (next.kind === "time") await world.clock.advance(next.ms);
          else if (next.kind === "room") {
            room.open();
            room = gate();
          } else if (next.kind === "hold") held.push(replica.store.holdNext());
          else if (next.kind === "open") held.shift()?.open();
          else replica.store.failNext({ kind: "lost_reply" });
          await settle();
        }
        for (const each of held) each.open();
        room.open();
        const isOver = (): boolean => jobs.every((id) => (replica.job(id)?.completedAt ?? null) !== null);
        // A job whose reply was lost is in no list, and may begin late.
        for (let turns = 0, quiet = 0; quiet < 3; turns++) {
          expect(turns).toBeLessThan(60);
          if (turns > 20) for (const id of jobs) scene.cancel(id);
          room.open();
          await world.clock.advance(5_000);
          await settle();
          quiet = isOver() && scene.inUse["slots"] === 0 ? quiet + 1 : 0;
        }
        expect(scene.inUse).toEqual(NOTHING);
      },
    ),
    { numRuns: 40 },
  );
});
