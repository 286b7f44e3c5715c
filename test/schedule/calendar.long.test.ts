import { expect, test } from "bun:test";
import { calendar } from "../../src/schedule/calendar.ts";
import { longScale } from "../support/long.ts";
import { stretchesOf, timesOf } from "../support/cron-oracle.ts";
import { testClockChanges } from "./clock-changes.ts";

const MINUTE_MS = 60_000;

testClockChanges(10, {
  "America/New_York": 2020,
  "Europe/London": 2020,
  "Australia/Lord_Howe": 2020,
  "Asia/Kathmandu": 2020,
  "Africa/Casablanca": 2016,
  "Pacific/Apia": 2006,
});

test.each([
  ["America/New_York", 2020],
  ["Europe/London", 2020],
  ["Australia/Lord_Howe", 2020],
  ["Asia/Kathmandu", 2020],
  ["Africa/Casablanca", 2018],
  ["Pacific/Apia", 2011],
] as const)("[MIS-3] every quarter of an hour in %s fires once, for years", (timezone, year) => {
  const from = Date.UTC(year, 0, 1) / MINUTE_MS;
  const until = Date.UTC(year + longScale().calendarYears, 0, 1) / MINUTE_MS;
  const cron = { expression: "*/15 * * * *", timezone };
  let last = from * MINUTE_MS - 1;
  for (const minute of timesOf(cron.expression, stretchesOf(timezone, from, until))) {
    const next = calendar.next(cron, last);
    if (next !== minute * MINUTE_MS) expect(next).toBe(minute * MINUTE_MS);
    last = next ?? 0;
  }
});
