/** What becomes of the times at which a mission did not fire: after a downtime, a pause, or a change of the clock (MIS-3, MIS-4, MIS-11). */
import { expect, test } from "bun:test";
import { jitterMs } from "../../../actors/mission/schedule.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, MISSION, startMissions, unwrap } from "../../support/mission-replica.ts";

const HOURLY = { type: "cron", value: "0 * * * *" } as const;

test.each([
  [0, ["2026-01-01T01:00 schedule missed ×24"]],
  [60, ["2026-01-01T01:00 schedule missed ×24"]],
  [1_800, ["2026-01-01T01:00 schedule missed ×23", "2026-01-02T00:00 catchup succeeded"]],
  [7 * 86_400, ["2026-01-01T01:00 schedule missed ×23", "2026-01-02T00:00 catchup succeeded"]],
] as const)(
  "[MIS-4] after a day of downtime with a catch-up of %d s, at most the last time fires",
  async (seconds, ledger) => {
    const world = await startMissions();
    unwrap(await world.create({ ...HOURLY, catchupWindowSeconds: seconds }));
    world.replica.crash();
    world.world.clock.jump(DAY_MS + 10 * MINUTE_MS);
    await world.start();
    await world.advance(1_000);
    await world.settled();
    expect(world.ledger()).toEqual([...ledger]);
    expect(world.mission()).toMatchObject({ status: "pending", next: { scheduledAt: "2026-01-02T01:00:00.000Z" } });
  },
);

test("[MIS-4] a long downtime is one entry of the ledger, and its count is limited", async () => {
  const world = await startMissions();
  unwrap(await world.create({ type: "cron", value: "* * * * *" }));
  world.replica.crash();
  world.world.clock.jump(400 * DAY_MS + 30_000);
  await world.start();
  await world.advance(1_000);
  await world.settled();
  expect(world.ledger()).toEqual(["2026-01-01T00:01 schedule missed ×999", "2027-02-05T00:00 catchup succeeded"]);
});

test("[MIS-4] a clock that is set back by an hour makes no time fire twice", async () => {
  const world = await startMissions();
  unwrap(await world.create({ type: "cron", value: "*/10 * * * *" }));
  await world.advance(60 * MINUTE_MS + 1_000);
  await world.settled();
  world.world.clock.setForward(-HOUR_MS);
  await world.advance(60 * MINUTE_MS);
  await world.settled();
  expect(world.runs()).toHaveLength(6);
  await world.advance(10 * MINUTE_MS);
  await world.settled();
  expect(world.ledger().at(-1)).toBe("2026-01-01T01:10 schedule succeeded");
  expect(world.runs()).toHaveLength(7);
});

test("[MIS-4] a clock that is set forward by an hour counts as an hour of downtime", async () => {
  const world = await startMissions();
  unwrap(await world.create({ type: "cron", value: "*/10 * * * *", catchupWindowSeconds: 600 }));
  await world.advance(5 * MINUTE_MS);
  world.world.clock.setForward(HOUR_MS);
  await world.advance(MINUTE_MS);
  await world.settled();
  expect(world.ledger()).toEqual(["2026-01-01T00:10 schedule missed ×5", "2026-01-01T01:00 catchup succeeded"]);
});

test("[MIS-4] a mission that is changed after the clock was set back plans no time that was decided before", async () => {
  const world = await startMissions();
  unwrap(await world.create({ type: "cron", value: "*/10 * * * *" }));
  await world.advance(60 * MINUTE_MS + 1_000);
  await world.settled();
  world.world.clock.setForward(-HOUR_MS);
  unwrap(await world.update({ goal: "Another goal" }));
  expect(world.mission().next?.scheduledAt).toBe("2026-01-01T01:10:00.000Z");
  unwrap(await world.update({ schedule: { value: "*/5 * * * *" } }));
  expect(world.mission().next?.scheduledAt).toBe("2026-01-01T01:05:00.000Z");
  await world.advance(HOUR_MS);
  await world.settled();
  expect(world.runs()).toHaveLength(6);
});

test("[MIS-11] after a downtime, a time whose jitter has not passed yet is not due", async () => {
  const world = await startMissions();
  unwrap(await world.create({ ...HOURLY, jitterSeconds: 3_600 }));
  world.replica.crash();
  // 03:00 has passed, but with its jitter it is due later.
  world.world.clock.jump(3 * HOUR_MS + 1_000);
  await world.start();
  await world.advance(1_000);
  await world.settled();
  const jitterOfThree = jitterMs(MISSION, Date.parse("2026-01-01T03:00:00.000Z"), HOUR_MS);
  expect(jitterOfThree).toBeGreaterThan(2_000);
  expect(world.ledger().some((entry) => entry.startsWith("2026-01-01T03:00"))).toBe(false);
  await world.advance(jitterOfThree);
  await world.settled();
  expect(world.ledger().at(-1)).toBe("2026-01-01T03:00 schedule succeeded");
});

test("[MIS-11] a time whose jitter has not passed yet is in the ledger after a pause", async () => {
  const world = await startMissions();
  unwrap(await world.create({ ...HOURLY, jitterSeconds: 3_600 }));
  await world.advance(HOUR_MS + 1_000);
  unwrap(await world.update({ status: "paused" }));
  await world.advance(HOUR_MS);
  unwrap(await world.update({ status: "pending" }));
  expect(world.ledger()).toEqual(["2026-01-01T01:00 schedule skipped_paused ×2"]);
});

test("[MIS-4] an alarm before its time fires nothing", async () => {
  const world = await startMissions();
  unwrap(await world.create(HOURLY));
  await world.advance(MINUTE_MS);
  unwrap(await world.ask({ kind: "fire_due" }));
  expect(world.runs()).toEqual([]);
  await world.advance(HOUR_MS);
  await world.settled();
  expect(world.ledger()).toEqual(["2026-01-01T01:00 schedule succeeded"]);
});
