/** A calendar beside an independent walk of the clock, over the changes of zones. */
import { describe, expect, test } from "bun:test";
import { calendar } from "../../src/schedule/calendar.ts";
import { type Stretch, stretchesOf, timesOf } from "../support/cron-oracle.ts";

const MINUTE_MS = 60_000;

const FIXED = ["30 2 * * *", "0 9 * * 1-5", "0 0 30 12 *", "59 23 31 * 0"];
const INTERVALS = ["*/15 * * * *", "45 * * * *", "0 */2 * * *", "10 2-22/4 * * *"];

function expected(expression: string, stretches: readonly Stretch[]): number[] {
  return [...timesOf(expression, stretches)].map((minute) => minute * MINUTE_MS);
}

function actual(expression: string, timezone: string, fromMs: number, untilMs: number): number[] {
  const times: number[] = [];
  for (let last = fromMs - 1; ;) {
    const next = calendar.next({ expression, timezone }, last);
    if (next === null || next >= untilMs) return times;
    times.push(next);
    last = next;
  }
}

/** Tests so many years of each zone, from the year that it has here. */
export function testClockChanges(years: number, zones: Readonly<Record<string, number>>): void {
  describe.each(Object.entries(zones))("in %s", (zone, year) => {
    const from = Date.UTC(year, 0, 1) / MINUTE_MS;
    const until = Date.UTC(year + years, 0, 1) / MINUTE_MS;
    const stretches = stretchesOf(zone, from, until);

    test.each(FIXED)("[MIS-3] `%s` fires at the same times over years as by an independent walk", (expression) => {
      expect(actual(expression, zone, from * MINUTE_MS, until * MINUTE_MS)).toEqual(expected(expression, stretches));
    });

    test.each(INTERVALS)("[MIS-3] `%s` follows elapsed time over each clock change", (expression) => {
      for (const [i, { until: change }] of stretches.entries()) {
        const begin = Math.max(change - 1_500, from);
        const end = Math.min(change + 1_500, until);
        const near = [stretches[i]!, ...stretches.slice(i + 1, i + 2)].map((stretch) => ({
          ...stretch,
          from: Math.max(stretch.from, begin),
          until: Math.min(stretch.until, end),
        }));
        expect(actual(expression, zone, begin * MINUTE_MS, end * MINUTE_MS)).toEqual(expected(expression, near));
      }
    });
  });
}
