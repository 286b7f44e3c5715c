/** Schedules that cannot be are refused with the field and a corrected example (MIS-2, MIS-3). */
import { describe, expect, test } from "bun:test";
import { durationMs, durationText } from "../../../actors/mission/duration.ts";
import { checkedSchedule, DEFAULT_SCHEDULE } from "../../../actors/mission/schedule-input.ts";
import type { ScheduleSettings } from "../../../actors/mission/schema.ts";
import { calendar } from "../../../src/schedule/calendar.ts";

const NOW = Date.UTC(2026, 0, 1, 12);
const check = (given: Partial<ScheduleSettings>) => checkedSchedule(calendar, { ...DEFAULT_SCHEDULE, ...given }, NOW);
const errors = (given: Partial<ScheduleSettings>): string[] => {
  const checked = check(given);
  return checked.ok ? [] : checked.errors.map(({ path, message }) => `${path} ${message}`);
};

describe("a schedule", () => {
  test.each<[string, Partial<ScheduleSettings>, string]>([
    [
      "a zone that is none",
      { timezone: "London" },
      "/schedule/timezone `London` is not an IANA time zone; for example `Europe/London`",
    ],
    [
      "a value without a type",
      { value: "0 9 * * *" },
      "/schedule/value A schedule of type `none` has no value; leave it out",
    ],
    [
      "cron without an expression",
      { type: "cron" },
      "/schedule/value A schedule of type `cron` needs an expression; for example `0 9 * * 1-5`",
    ],
    [
      "a cron field",
      { type: "cron", value: "0 25 * * *" },
      "/schedule/value The hour `25` is not valid: it takes 0-23, `*`, lists, ranges and steps; for example `0 9 * * *`",
    ],
    [
      "once without a time",
      { type: "once" },
      "/schedule/value A schedule of type `once` needs a time; for example `2026-01-02T12:00`, local time of `timezone`, or `2026-01-02T12:00:00.000Z`",
    ],
    [
      "once with words",
      { type: "once", value: "tomorrow" },
      "/schedule/value `tomorrow` is not a time in ISO 8601; for example `2026-01-02T12:00`, local time of `timezone`, or `2026-01-02T12:00:00.000Z`",
    ],
    [
      "once with no such day",
      { type: "once", value: "2026-02-30T09:00" },
      "/schedule/value `2026-02-30T09:00` is not a time in ISO 8601; for example `2026-01-02T12:00`, local time of `timezone`, or `2026-01-02T12:00:00.000Z`",
    ],
    [
      "once with no such day and an offset",
      { type: "once", value: "2026-02-30T09:00:00Z" },
      "/schedule/value `2026-02-30T09:00:00Z` is not a time in ISO 8601; for example `2026-01-02T12:00`, local time of `timezone`, or `2026-01-02T12:00:00.000Z`",
    ],
    [
      "once in the past",
      { type: "once", value: "2026-01-01T11:58:59Z" },
      "/schedule/value 2026-01-01T11:58:59.000Z has passed; for example `2026-01-02T12:00`, local time of `timezone`, or `2026-01-02T12:00:00.000Z`",
    ],
    [
      "a pause in words",
      { type: "continuous", value: "5 minutes" },
      "/schedule/value `5 minutes` is not a duration in days, hours, minutes and whole seconds; for example `PT5M` for five minutes between runs",
    ],
    [
      "once after the last year",
      { type: "once", value: "9999-12-31T23:59", timezone: "America/Los_Angeles" },
      "/schedule/value 9999-12-31T23:59 is after the year 9999 in UTC; for example `2026-01-02T12:00`, local time of `timezone`, or `2026-01-02T12:00:00.000Z`",
    ],
    [
      "a pause in weeks",
      { type: "continuous", value: "P1W" },
      "/schedule/value `P1W` is not a duration in days, hours, minutes and whole seconds; for example `PT5M` for five minutes between runs",
    ],
    [
      "a pause too short",
      { type: "continuous", value: "PT0S" },
      "/schedule/value The pause must be from 1 second to 30 days; for example `PT5M` for five minutes between runs",
    ],
    [
      "a pause too long",
      { type: "continuous", value: "P30DT1S" },
      "/schedule/value The pause must be from 1 second to 30 days; for example `PT5M` for five minutes between runs",
    ],
    [
      "an end that has passed",
      { endAt: "2026-01-01T12:00:00.000Z" },
      "/schedule/end_at 2026-01-01T12:00:00.000Z has passed; give a later time, or null for no end",
    ],
    [
      "an end before the start",
      { startAt: "2026-03-01T00:00:00.000Z", endAt: "2026-02-01T00:00:00.000Z" },
      "/schedule/end_at 2026-02-01T00:00:00.000Z is not after `start_at` (2026-03-01T00:00:00.000Z); give a later time",
    ],
    [
      "a time after the end",
      { type: "once", value: "2026-03-01T00:00Z", endAt: "2026-02-01T00:00:00.000Z" },
      "/schedule/end_at The schedule first comes at 2026-03-01T00:00:00.000Z, which is after 2026-02-01T00:00:00.000Z; give a later time, or null for no end",
    ],
    [
      "a time before the start",
      { type: "once", value: "2026-03-01T00:00Z", startAt: "2026-04-01T00:00:00.000Z" },
      "/schedule/start_at The schedule does not come after 2026-04-01T00:00:00.000Z; give an earlier time, or null for no start",
    ],
    [
      "no time from start to end",
      {
        type: "cron",
        value: "@yearly",
        startAt: "2026-02-01T00:00:00.000Z",
        endAt: "2026-03-01T00:00:00.000Z",
      },
      "/schedule/end_at The schedule first comes at 2027-01-01T00:00:00.000Z, which is after 2026-03-01T00:00:00.000Z; give a later time, or null for no end",
    ],
    [
      "a start that no calendar reaches",
      { type: "cron", value: "@yearly", startAt: "9999-12-01T00:00:00.000Z" },
      "/schedule/start_at The schedule does not come after 9999-12-01T00:00:00.000Z; give an earlier time, or null for no start",
    ],
  ])("[MIS-3] with %s is refused at its field", (_, given, message) => {
    expect(errors(given)).toEqual([message]);
  });

  test.each<[Partial<ScheduleSettings>, string | null, string]>([
    [{}, null, "Started by hand"],
    [
      { type: "cron", value: " 0 9 * * 1-5 ", timezone: "Europe/London" },
      "0 9 * * 1-5",
      "Weekdays at 09:00, Europe/London",
    ],
    [{ type: "once", value: "2026-01-01T11:59:30Z" }, "2026-01-01T11:59:30.000Z", "Once at 2026-01-01 11:59, UTC"],
    [
      { type: "once", value: "2026-12-01T09:00", timezone: "Asia/Kathmandu" },
      "2026-12-01T03:15:00.000Z",
      "Once at 2026-12-01 09:00, Asia/Kathmandu",
    ],
    [
      { type: "once", value: "2026-12-01T09:00:00.123456789Z" },
      "2026-12-01T09:00:00.123Z",
      "Once at 2026-12-01 09:00, UTC",
    ],
    [
      { type: "once", value: "2026-12-01 09:00:00.123456", timezone: "Asia/Kathmandu" },
      "2026-12-01T03:15:00.123Z",
      "Once at 2026-12-01 09:00, Asia/Kathmandu",
    ],
    [{ type: "once", value: "2026-12-01T09:00+0200" }, "2026-12-01T07:00:00.000Z", "Once at 2026-12-01 07:00, UTC"],
    [{ type: "continuous" }, null, "Continuously, 10 seconds after each run"],
    [{ type: "continuous", value: "PT1S" }, "PT1S", "Continuously, 1 second after each run"],
    [{ type: "continuous", value: "P30D" }, "P30D", "Continuously, 30 days after each run"],
  ])("[MIS-2] %j is kept as %s and described as %s", (given, value, text) => {
    expect(check(given)).toMatchObject({ ok: true, schedule: { value }, text });
  });
});

test("[MIS-2] durations are parsed and written", () => {
  expect(["PT5M", "P1DT12H", "PT90S", "P1M", "PT", "P", "5M", "PT-5M"].map(durationMs)).toEqual([
    300_000,
    129_600_000,
    90_000,
    null,
    null,
    null,
    null,
    null,
  ]);
  expect(durationText(129_661_000)).toBe("1 day 12 hours 1 minute 1 second");
});
