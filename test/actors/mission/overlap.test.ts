/** A fire meets an open run (MIS-4), and runs that are started by hand (MIS-1). */
import { expect, test } from "bun:test";
import { OPEN_RUNS, type ScheduleSettings } from "../../../actors/mission/schema.ts";
import { gate } from "../../support/fake-model.ts";
import { HOUR_MS, type MissionWorld, startMissions, unwrap } from "../../support/mission-replica.ts";

const MINUTELY = { type: "cron", value: "* * * * *" } as const;
const MINUTE_MS = 60_000;

/** A world whose first run is open from 00:01 on, and how it is let go. */
async function withOpenRun(
  overlap: ScheduleSettings["overlap"],
): Promise<{ world: MissionWorld; release: () => void }> {
  const world = await startMissions();
  const { hold, open } = gate();
  world.model.script = () => (world.model.calls.length === 1 ? [{ hold }, { say: "first" }] : [{ say: "later" }]);
  unwrap(await world.create({ ...MINUTELY, overlap, endAt: "2026-01-01T00:03:30.000Z" }));
  await world.advance(MINUTE_MS + 1_000);
  expect(world.mission().status).toBe("running");
  return { world, release: open };
}

test("[MIS-4] skip: a fire during an open run does not run", async () => {
  const { world, release } = await withOpenRun("skip");
  await world.advance(5 * MINUTE_MS);
  release();
  await world.settled();
  expect(world.ledger()).toEqual([
    "2026-01-01T00:01 schedule succeeded",
    "2026-01-01T00:02 schedule skipped_overlap",
    "2026-01-01T00:03 schedule skipped_overlap",
  ]);
  expect(world.mission().status).toBe("completed");
});

test("[MIS-4] buffer_one: one fire waits for the end of the open run, the others are skipped", async () => {
  const { world, release } = await withOpenRun("buffer_one");
  await world.advance(3 * MINUTE_MS);
  expect(world.mission().buffered).toEqual({ scheduledAt: "2026-01-01T00:02:00.000Z", trigger: "schedule" });
  release();
  await world.settled();
  expect(world.ledger().sort()).toEqual([
    "2026-01-01T00:01 schedule succeeded",
    "2026-01-01T00:02 schedule succeeded",
    "2026-01-01T00:03 schedule skipped_overlap",
  ]);
  expect(world.mission()).toMatchObject({ status: "completed", buffered: null, openRuns: [] });
});

test("[MIS-4] cancel_other: the open run is cancelled, and the newest fire runs after its end", async () => {
  const { world } = await withOpenRun("cancel_other");
  await world.advance(MINUTE_MS);
  await world.settled();
  expect(world.ledger()).toEqual(["2026-01-01T00:01 schedule cancelled", "2026-01-01T00:02 schedule succeeded"]);
  expect(world.jobs().map(({ status }) => status)).toEqual(["cancelled", "completed"]);
});

test("[MIS-4] allow_all: runs are open side by side, each in its chat, up to a bound", async () => {
  const world = await startMissions();
  const { hold, open } = gate();
  world.model.script = () => [{ hold }, { say: "done" }];
  unwrap(await world.create({ ...MINUTELY, overlap: "allow_all" }));
  await world.advance((OPEN_RUNS + 1) * MINUTE_MS + 1_000);
  expect(world.mission().openRuns).toHaveLength(OPEN_RUNS);
  expect(world.ledger().at(-1)).toBe("2026-01-01T00:21 schedule skipped_overlap");
  unwrap(await world.update({ status: "paused" }));
  open();
  await world.settled();
  expect(new Set(world.jobs().map(({ chatId }) => chatId)).size).toBe(OPEN_RUNS);
  expect(world.runs().filter(({ outcome }) => outcome === "succeeded")).toHaveLength(OPEN_RUNS);
});

test("[MIS-1] a manual run starts at once, independently of the schedule", async () => {
  const world = await startMissions();
  unwrap(await world.create({ type: "cron", value: "0 * * * *" }));
  const { brief } = unwrap(await world.runNow());
  expect(brief?.run).toMatchObject({ trigger: "manual", outcome: "started", number: 1, scheduledAt: null });
  await world.settled();
  expect(world.ledger()).toEqual(["- manual succeeded"]);
  expect(world.mission()).toMatchObject({ status: "pending", next: { scheduledAt: "2026-01-01T01:00:00.000Z" } });
});

test("[MIS-1] a manual run during an open run follows the overlap policy", async () => {
  const skip = await withOpenRun("skip");
  expect(await skip.world.runNow()).toMatchObject({
    ok: false,
    fault: {
      kind: "invalid_state",
      status: "running",
      allowedActions: ["pause", "update", "change_tasks", "delete"],
      message: "A run is open, and the mission's overlap policy is `skip`",
    },
  });
  const buffer = await withOpenRun("buffer_one");
  expect(unwrap(await buffer.world.runNow()).brief).toBeNull();
  expect(await buffer.world.runNow()).toMatchObject({ ok: false, fault: { kind: "invalid_state" } });
  buffer.release();
  await buffer.world.settled();
  expect(buffer.world.ledger().at(-1)).toBe("- manual succeeded");
});

test("[MIS-11] a deleted mission fires no more, and its open runs are cancelled", async () => {
  const { world } = await withOpenRun("buffer_one");
  await world.advance(MINUTE_MS);
  unwrap(await world.ask({ kind: "delete_mission", by: { userId: "usr_1", isOwner: false } }));
  await world.advance(HOUR_MS);
  await world.settled();
  expect(world.ledger()).toEqual(["2026-01-01T00:01 schedule cancelled"]);
  expect(await world.ask({ kind: "read_mission", by: { userId: "usr_1", isOwner: true } })).toMatchObject({
    ok: false,
    fault: { kind: "not_found", noun: "mission" },
  });
});

test("[MIS-1] a waiting fire does not start if max_runs has been lowered meanwhile", async () => {
  const { world, release } = await withOpenRun("buffer_one");
  await world.advance(MINUTE_MS);
  expect(world.mission().buffered).not.toBeNull();
  unwrap(await world.update({ schedule: { maxRuns: 1 } }));
  release();
  await world.settled();
  expect(world.ledger().sort()).toEqual([
    "2026-01-01T00:01 schedule succeeded",
    "2026-01-01T00:02 schedule skipped_overlap",
  ]);
  expect(world.mission()).toMatchObject({ status: "completed", runCount: 1, buffered: null, openRuns: [] });
});

test("[MIS-2] a part of a schedule can be changed also after the time of a `once` has passed", async () => {
  const world = await startMissions();
  const { hold, open } = gate();
  world.model.script = () => [{ hold }, { say: "done" }];
  unwrap(await world.create({ type: "once", value: "2026-01-01T00:01:00Z" }));
  await world.advance(3 * MINUTE_MS);
  expect(unwrap(await world.update({ schedule: { overlap: "allow_all" } })).schedule).toMatchObject({
    value: "2026-01-01T00:01:00.000Z",
    overlap: "allow_all",
  });
  expect(await world.update({ schedule: { value: "2026-01-01T00:00:30Z" } })).toMatchObject({
    ok: false,
    fault: { kind: "invalid_schedule", errors: [{ path: "/schedule/value" }] },
  });
  open();
  await world.settled();
  expect(world.mission().status).toBe("completed");
});

test("[MIS-1] the reason of a pause can be changed, and no other mission has one", async () => {
  const world = await startMissions();
  unwrap(await world.create(MINUTELY));
  expect(await world.update({ pausedReason: "Holidays" })).toMatchObject({
    ok: false,
    fault: { kind: "invalid_request", errors: [{ path: "/paused_reason" }] },
  });
  unwrap(await world.update({ status: "paused", pausedReason: "Holidays" }));
  expect(unwrap(await world.update({ pausedReason: "Illness" }))).toMatchObject({
    status: "paused",
    pausedReason: "Illness",
  });
  expect(unwrap(await world.update({ status: "paused" })).pausedReason).toBe("Illness");
  expect(unwrap(await world.update({ status: "paused", pausedReason: null })).pausedReason).toBeNull();
});

test("[MIS-1] a run by hand that waits begins right after the run before it has failed, without the pause", async () => {
  const world = await startMissions();
  const { hold, open } = gate();
  world.model.script = () =>
    world.model.calls.length === 1
      ? [{ hold }, { fail: { code: "provider_error", message: "down" } }]
      : [{ say: "by hand" }];
  unwrap(await world.create({ ...MINUTELY, overlap: "buffer_one", endAt: "2026-01-01T00:01:30.000Z" }));
  await world.advance(MINUTE_MS + 1_000);
  expect(unwrap(await world.runNow()).brief).toBeNull();
  open();
  await world.settled();
  expect(world.ledger()).toEqual(["2026-01-01T00:01 schedule failed", "- manual succeeded"]);
});

test("[MIS-10] a scheduled fire that waits yields to the pause after a failed run", async () => {
  const world = await startMissions();
  const { hold, open } = gate();
  world.model.script = () => [{ hold }, { fail: { code: "provider_error", message: "down" } }];
  unwrap(await world.create({ ...MINUTELY, overlap: "buffer_one", endAt: "2026-01-01T00:02:30.000Z" }));
  await world.advance(2 * MINUTE_MS + 1_000);
  expect(world.mission().buffered).not.toBeNull();
  open();
  await world.settled();
  expect(world.ledger()).toEqual(["2026-01-01T00:01 schedule failed", "2026-01-01T00:02 schedule missed"]);
  expect(world.runs().at(-1)?.error?.code).toBe("pause_after_failure");
});
