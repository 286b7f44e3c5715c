/** A process that dies around the time of a fire: each time fires once, whatever was lost with it (MIS-4, JOB-4). */
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Writes } from "../../../actors/runtime/store.ts";
import { idsOfRun } from "../../../src/work/missions.ts";
import { ORG } from "../../support/job-replica.ts";
import { HOUR_MS, type MissionWorld, startMissions, unwrap, USER } from "../../support/mission-replica.ts";

const HOURLY = { type: "cron", value: "0 * * * *" } as const;

/** Kills the process when it wants to store the first commit that `isIt` says; `after`: when that is stored. */
async function killedAt(isIt: (writes: Writes) => boolean, how: "before" | "after"): Promise<MissionWorld> {
  const world = await startMissions();
  unwrap(await world.create(HOURLY));
  const { store } = world.replica;
  const flush = store.flush.bind(store);
  let isDead = false;
  store.flush = async (batch) => {
    if (isDead || !batch.some(({ writes }) => isIt(writes))) return flush(batch);
    isDead = true;
    if (how === "after") await flush(batch);
    world.replica.crash();
    return { kind: "unknown", cause: new Error("killed") };
  };
  await world.advance(HOUR_MS + 1_000);
  expect(isDead).toBe(true);
  await world.start();
  await world.advance(2_000);
  await world.settled();
  return world;
}

const isFire = ({ records }: Writes): boolean => records.some(({ table }) => table === "mission_run");
const isJob = ({ records }: Writes): boolean =>
  records.some(({ table, record }) => table === "job" && record.version === 1);
const isEnd = ({ consumed }: Writes): boolean => consumed.length > 0;

test.each([
  ["before the commit of the fire", isFire, "before"],
  ["after the commit of the fire, before its job begins", isFire, "after"],
  ["before the commit of the job", isJob, "before"],
  ["after the commit of the job, before it runs", isJob, "after"],
] as const)("[MIS-4] a kill %s leaves one run", async (_, isIt, how) => {
  const world = await killedAt(isIt, how);
  expect(world.ledger()).toEqual(["2026-01-01T01:00 schedule succeeded"]);
  expect(world.jobs()).toHaveLength(1);
  expect(world.mission()).toMatchObject({ status: "pending", runCount: 1, openRuns: [] });
});

test.each(["before", "after"] as const)(
  "[MIS-4] a kill %s the mission learns of the end loses nothing",
  async (how) => {
    const world = await killedAt(isEnd, how);
    expect(world.ledger()).toEqual(["2026-01-01T01:00 schedule succeeded"]);
    expect(world.mission()).toMatchObject({ status: "pending", openRuns: [] });
  },
);

test("[MIS-4] a service that is killed and restarted at any time fires each time once", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ runs: fc.integer({ min: 1, max: 90 }), down: fc.integer({ min: 0, max: 50 }) }), {
        minLength: 2,
        maxLength: 12,
      }),
      async (lives) => {
        const world = await startMissions();
        unwrap(await world.create({ type: "cron", value: "* * * * *", overlap: "allow_all" }));
        for (const { runs, down } of lives) {
          await world.advance(runs * 1_000);
          world.replica.crash();
          world.world.clock.jump(down * 1_000);
          await world.start();
        }
        await world.advance(60_000);
        await world.settled();
        const times = world.runs().map(({ scheduledAt }) => scheduledAt);
        const last = Date.parse(times.at(-1) ?? "");
        const first = Date.UTC(2026, 0, 1, 0, 1);
        const expected = Array.from({ length: (last - first) / 60_000 + 1 }, (_, i) =>
          new Date(first + i * 60_000).toISOString(),
        );
        expect(times).toEqual(expected);
        expect(world.runs().map(({ outcome }) => outcome)).toEqual(expected.map(() => "succeeded"));
        expect(world.jobs()).toHaveLength(expected.length);
      },
    ),
    { numRuns: 15 },
  );
});

test("[MIS-4] a report of an effect that was replaced does not change the run", async () => {
  const world = await startMissions();
  // A run that waits for its job: nothing of its beginning is passing, so its effect tries again and again.
  world.agent = { ok: false, fault: { kind: "unavailable", retryAfterMs: 1_000 } };
  unwrap(await world.create(HOURLY));
  await world.advance(HOUR_MS + 1_000);
  const [open] = world.mission().openRuns;
  const [runId, former] = [open!.id, open!.effectId!];
  unwrap(await world.ask({ kind: "retry_run", runId, effectId: former }));
  const present = world.mission().openRuns[0]!.effectId;
  expect(present).not.toBe(former);

  expect(unwrap(await world.ask({ kind: "read_run", runId, effectId: former }))).toBeNull();
  expect((await world.ask({ kind: "begin_run", runId, effectId: former, ids: idsOfRun(ORG, "x") })).ok).toBe(false);
  const refusal = { kind: "impossible", reason: "agent_unavailable" } as const;
  unwrap(await world.ask({ kind: "refuse_run", runId, effectId: former, refusal }));
  unwrap(await world.ask({ kind: "retry_run", runId, effectId: former }));
  expect(world.mission()).toMatchObject({
    status: "running",
    openRuns: [{ id: runId, jobId: null, effectId: present }],
  });
  expect(world.ledger()).toEqual(["2026-01-01T01:00 schedule started"]);
  // A run that is cancelled before its job begins takes its effect with it.
  unwrap(await world.ask({ kind: "delete_mission", by: USER }));
  await world.advance(HOUR_MS);
  expect(world.ledger()).toEqual(["2026-01-01T01:00 schedule cancelled"]);
  expect(world.world.database.effects()).toEqual([]);
});
