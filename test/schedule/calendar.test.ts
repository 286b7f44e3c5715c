import { describe, expect, test } from "bun:test";
import { calendar } from "../../src/schedule/calendar.ts";
import { testClockChanges } from "./clock-changes.ts";

/** Zones with awkward rules, from a year whose following three have the most of them. */
testClockChanges(3, {
  "America/New_York": 2020,
  "Europe/London": 2020,
  // Half an hour.
  "Australia/Lord_Howe": 2020,
  // Five hours and 45 minutes, and no changes.
  "Asia/Kathmandu": 2020,
  // Four changes a year, by the moon.
  "Africa/Casablanca": 2017,
  // A day that never was: 2011-12-30.
  "Pacific/Apia": 2010,
});

const at = (text: string): number => Date.parse(text);
const next = (expression: string, timezone: string, after: string): string =>
  new Date(calendar.next({ expression, timezone }, at(after)) ?? Number.NaN).toISOString();

test("[MIS-3] a local time in the gap fires at the first instant after it", () => {
  expect(next("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z")).toBe("2026-03-29T01:00:00.000Z");
});

test("[MIS-3] a local time that comes twice fires the first time only", () => {
  expect(next("30 1 * * *", "Europe/London", "2026-10-24T12:00:00Z")).toBe("2026-10-25T00:30:00.000Z");
  expect(next("30 1 * * *", "Europe/London", "2026-10-25T00:30:00Z")).toBe("2026-10-26T01:30:00.000Z");
});

test("[MIS-3] a day that a zone leaves out fires at its end", () => {
  expect(next("0 9 30 12 *", "Pacific/Apia", "2011-12-29T12:00:00Z")).toBe("2011-12-30T10:00:00.000Z");
});

test("[MIS-3] an expression that has no time any more has no next one", () => {
  expect(calendar.next({ expression: "0 0 1 1 *", timezone: "UTC" }, at("9999-06-01T00:00:00Z"))).toBeNull();
});

describe("what is wrong with an expression", () => {
  const complaint = (expression: string): string =>
    calendar.cronComplaint({ expression, timezone: "UTC" })?.message ?? "nothing";

  test.each([
    ["0 25 * * *", "The hour `25` is not valid: it takes 0-23, `*`, lists, ranges and steps; for example `0 9 * * *`"],
    [
      "60 9 * * 1",
      "The minute `60` is not valid: it takes 0-59, `*`, lists, ranges and steps; for example `0 9 * * 1`",
    ],
    [
      "0 9 * FOO *",
      "The month `FOO` is not valid: it takes 1-12 or JAN-DEC, `*`, lists, ranges and steps; for example `0 9 * 1 *`",
    ],
    [
      "0 9 L * *",
      "The day of month `L` is not valid: it takes 1-31, `*`, lists, ranges and steps; for example `0 9 1 * *`",
    ],
    [
      "0 9 * * MON#2",
      "The day of week `MON#2` is not valid: it takes 0-7 or SUN-SAT, `*`, lists, ranges and steps; for example `0 9 * * 1-5`",
    ],
    [
      "0 30 9 * * 1-5",
      "The expression has 6 fields; a cron expression has 5 (minute, hour, day of month, month, day of week), for example `30 9 * * 1-5`",
    ],
    [
      "",
      "The expression has 0 fields; a cron expression has 5 (minute, hour, day of month, month, day of week), for example `0 9 * * 1-5`",
    ],
    [
      "@reboot",
      "`@reboot` is not known; use one of @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually, or five fields such as `0 9 * * 1-5`",
    ],
    ["0 9 30 2 *", "`0 9 30 2 *` never comes: no such day of the month exists; for example `0 9 28 2 *`"],
  ])("[MIS-3] `%s` is answered with its field and a corrected example", (expression, message) => {
    expect(complaint(expression)).toBe(message);
  });

  test("[MIS-3] the example of a complaint is itself valid", () => {
    for (const wrong of [
      "60 * * * *",
      "0 24 * * *",
      "0 0 32 * *",
      "0 0 * 13 *",
      "0 0 * * 8",
      "1 2 3",
      "0 30 9 * * 1-5",
      "@never",
    ]) {
      const example = /`([^`]+)`$/.exec(complaint(wrong))?.[1] ?? "";
      expect(complaint(example)).toBe("nothing");
    }
  });

  test("[MIS-3] an expression at the longest length is read, and one past it is refused", () => {
    const longest = `00 9 * * ${"1,".repeat(123)}1`;
    expect(longest).toHaveLength(256);
    expect(complaint(longest)).toBe("nothing");
    expect(complaint("1".repeat(257))).toBe("The expression has 257 characters; it can have 256");
  });

  test.each([
    ["London", "`London` is not an IANA time zone; for example `Europe/London`"],
    ["new york", "`new york` is not an IANA time zone; for example `America/New_York`"],
    ["Europe/Pariss", "`Europe/Pariss` is not an IANA time zone; for example `Europe/Paris`"],
    ["+05:30", "`+05:30` is not an IANA time zone; for example `Europe/London`"],
    ["", "`` is not an IANA time zone; for example `Europe/London`"],
  ])("[MIS-3] the zone `%s` is answered with one that was meant", (zone, message) => {
    expect(calendar.zoneComplaint(zone)).toEqual({ field: "timezone", message });
  });

  test("[MIS-3] zones that have other names are zones too", () => {
    for (const zone of ["UTC", "Europe/London", "Asia/Katmandu", "Asia/Kathmandu", "US/Eastern"])
      expect(calendar.zoneComplaint(zone)).toBeNull();
  });
});

describe("a forecast", () => {
  const notes = (expression: string, timezone: string, after: string, count: number) =>
    calendar
      .forecast({ expression, timezone }, at(after), count)
      .map(({ local, note }) => [local, note?.message ?? null]);

  test("[MIS-6] notes a time that the clock's going forward shifts", () => {
    expect(notes("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", 2)).toEqual([
      [
        "2026-03-29T03:00:00.000+02:00",
        "02:30 does not exist on this day: the clock goes forward, and it fires at 03:00",
      ],
      ["2026-03-30T02:30:00.000+02:00", null],
    ]);
  });

  test("[MIS-6] notes a time that the clock's going forward skips", () => {
    expect(notes("0 * * * *", "America/New_York", "2026-03-08T05:30:00Z", 3)).toEqual([
      ["2026-03-08T01:00:00.000-05:00", null],
      ["2026-03-08T03:00:00.000-04:00", "02:00 does not exist on this day: the clock goes forward"],
      ["2026-03-08T04:00:00.000-04:00", null],
    ]);
  });

  test("[MIS-6] notes a time that the clock's going back repeats", () => {
    expect(notes("30 1 * * *", "Europe/London", "2026-10-24T12:00:00Z", 1)).toEqual([
      [
        "2026-10-25T01:30:00.000+01:00",
        "01:30 comes twice on this day: the clock goes back, and it fires the first time only",
      ],
    ]);
    expect(notes("0 * * * *", "Europe/London", "2026-10-24T23:30:00Z", 2)).toEqual([
      ["2026-10-25T01:00:00.000+01:00", "01:00 comes twice on this day: the clock goes back, and it fires both times"],
      ["2026-10-25T01:00:00.000+00:00", "01:00 comes twice on this day: the clock goes back, and it fires both times"],
    ]);
  });
});

test.each([
  ["0 9 * * 1-5", "Europe/London", "Weekdays at 09:00, Europe/London"],
  ["@daily", "UTC", "Daily at 00:00, UTC"],
  ["@hourly", "UTC", "Every hour, UTC"],
  ["*/15 * * * *", "Asia/Kathmandu", "Every 15 minutes, Asia/Kathmandu"],
  ["5 4 * * sun", "UTC", "Every Sunday at 04:05, UTC"],
  ["30 8,17 * * *", "UTC", "At 08:30 and 17:30, UTC"],
])("[MIS-2] `%s` in %s is described as %s", (expression, timezone, words) => {
  expect(calendar.describe({ expression, timezone })).toBe(words);
});

test("[MIS-2] a local time is the instant that its zone's clock shows", () => {
  const instant = (local: string, zone: string): string | null => {
    const ms = calendar.instantOf(local, zone);
    return ms === null ? null : new Date(ms).toISOString();
  };
  expect(instant("2026-12-01T09:00", "Asia/Kathmandu")).toBe("2026-12-01T03:15:00.000Z");
  expect(instant("2026-03-29T02:30", "Europe/Berlin")).toBe("2026-03-29T01:00:00.000Z");
  expect(instant("2026-10-25T01:30", "Europe/London")).toBe("2026-10-25T00:30:00.000Z");
  expect(instant("2026-02-31T02:30", "Europe/Berlin")).toBeNull();
  expect(calendar.local(at("2026-12-01T03:15:00Z"), "Asia/Kathmandu")).toBe("2026-12-01T09:00:00.000+05:45");
});
