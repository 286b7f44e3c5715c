/** The arithmetic of schedules: jitter, upcoming times, times that went by (MIS-2, MIS-4). */
import { expect, test } from "bun:test";
import { COUNTED_TIMES, dueMs, jitterMs, stretchUntil, upcomingTimes } from "../../../actors/mission/schedule.ts";
import type { Mission } from "../../../actors/mission/schema.ts";
import { DEFAULT_SCHEDULE } from "../../../actors/mission/schedule-input.ts";
import { calendar } from "../../../src/schedule/calendar.ts";

const HOURLY = { ...DEFAULT_SCHEDULE, type: "cron", value: "0 * * * *" } as const;
const NOON = Date.UTC(2026, 0, 1, 12);

test("[MIS-2] upcoming times begin with the next fire and end with the schedule", () => {
  const next = { scheduledAt: "2026-01-01T12:00:00.000Z", dueAt: "2026-01-01T12:00:30.000Z" };
  const schedule = { ...HOURLY, endAt: "2026-01-01T14:00:00.000Z" };
  const mission = { next, schedule, runCount: 4, openRuns: [] };
  const three = ["2026-01-01T12:00:00.000Z", "2026-01-01T13:00:00.000Z", "2026-01-01T14:00:00.000Z"];
  expect(upcomingTimes(calendar, mission, 5)).toEqual(three);
  expect(upcomingTimes(calendar, mission, 2)).toEqual(three.slice(0, 2));
  expect(upcomingTimes(calendar, { ...mission, next: null }, 5)).toEqual([]);
  const two = { ...mission, schedule: { ...schedule, maxRuns: 6 } };
  expect(upcomingTimes(calendar, two, 5)).toEqual(three.slice(0, 2));
});

test("[MIS-11] jitter depends on the mission and the time, and never reaches the next time", () => {
  const mission = (id: string) => ({ id, schedule: { ...HOURLY, jitterSeconds: 86_400 }, retryAt: null });
  const delays = Array.from({ length: 200 }, (_, i) => dueMs(calendar, mission(`mis_${i}`), NOON) - NOON);
  for (const delay of delays) expect(delay).toBeWithin(0, 3_600_000);
  expect(Math.max(...delays) - Math.min(...delays)).toBeGreaterThan(3_000_000);
  expect(dueMs(calendar, mission("mis_1"), NOON)).toBe(dueMs(calendar, mission("mis_1"), NOON));
});

test("[MIS-11] jitter spreads missions that are due together evenly", () => {
  const counts = Array.from({ length: 10 }, () => 0);
  for (let i = 0; i < 10_000; i++) counts[Math.floor(jitterMs(`mis_${i}`, NOON, 10))]!++;
  for (const count of counts) expect(count).toBeWithin(850, 1_150);
});

test("[MIS-10] a pause after a failure delays what is due in it", () => {
  const retryAt = "2026-01-01T12:05:00.000Z";
  expect(dueMs(calendar, { id: "mis_1", schedule: HOURLY, retryAt }, NOON)).toBe(Date.parse(retryAt));
});

test("[MIS-5] of more missed times than the limit, the last ones are known", () => {
  const schedule = { ...HOURLY, value: "* * * * *" };
  const mission = { id: "mis_1", schedule, retryAt: null } as unknown as Mission;
  const days = NOON + 3 * 86_400_000;
  expect(stretchUntil(calendar, mission, NOON, days)).toEqual({
    firstMs: NOON,
    previousMs: days - 60_000,
    lastMs: days,
    count: COUNTED_TIMES,
  });
  const counted = NOON + (COUNTED_TIMES - 1) * 60_000;
  expect(stretchUntil(calendar, mission, NOON, counted)).toMatchObject({
    previousMs: counted - 60_000,
    lastMs: counted,
  });
});
