/**
 * Cron arithmetic (port: `actors/mission/ports.ts`) on croner, by the rules of MIS-3: a local time that does
 * not exist fires at the first instant after the gap, one that comes twice fires the first time, and hours
 * that are steps or wildcards follow elapsed time.
 *
 * croner follows all of these but one: if a zone skips a whole day (Apia, 2011-12-30), it drops the times of that day.
 * So this file looks for skipped days between one time and the next.
 */
import { Cron } from "croner";
import { assert } from "../../actors/assert.ts";
import { BoundedMap } from "../../actors/bounded-map.ts";
import type { Calendar, CronSchedule, ForecastNote, ForecastTime } from "../../actors/mission/ports.ts";
import { type Expression, parseExpression } from "./expression.ts";
import {
  clockText,
  firstInstantOf,
  instantsOf,
  isZone,
  localText,
  offsetAt,
  type Transition,
  transitionBetween,
  wallTime,
} from "./zone.ts";
import { MINUTE_MS, DAY_MS } from "../../actors/units.ts";
import cronstrue from "cronstrue";

/** croner handles clock changes of an hour or two; a change this large skips a day. */
const WHOLE_DAY_MS = 12 * 60 * MINUTE_MS;
/** Cached parsed schedules: an instance has a few KiB. */
const KEPT_SCHEDULES = 1_000;
/**
 * Every eight years contain a leap day, so an expression without a time in the eight years from here has none at all.
 */
const EVER_FROM_MS = Date.UTC(2024, 0, 1);

interface Known extends Expression {
  readonly timezone: string;
  readonly inZone: Cron;
  /** The same fields on a clock without changes: for questions about wall times. */
  readonly onWall: Cron;
}

const knownSchedules = new BoundedMap<Known>(KEPT_SCHEDULES);

function knownOf({ expression, timezone }: CronSchedule): Known {
  const key = `${timezone} ${expression}`;
  const found = knownSchedules.get(key);
  if (found !== undefined) return found;
  const parsed = parseExpression(expression);
  assert(parsed.ok && isZone(timezone), "a stored schedule is valid");
  const options = { mode: "5-part", fixedTimeRule: "no-wildcard" } as const;
  const made: Known = {
    ...parsed.value,
    timezone,
    inZone: new Cron(parsed.value.pattern, { ...options, timezone }),
    onWall: new Cron(parsed.value.pattern, { ...options, timezone: "UTC" }),
  };
  knownSchedules.set(key, made);
  return made;
}

export const calendar: Calendar = {
  zoneComplaint(timezone) {
    return isZone(timezone)
      ? null
      : {
          field: "timezone",
          message: `\`${timezone}\` is not an IANA time zone; for example \`${zoneLike(timezone)}\``,
        };
  },

  cronComplaint({ expression, timezone }) {
    const parsed = parseExpression(expression);
    if (!parsed.ok) return { field: "value", message: parsed.message };
    if (nextOf(knownOf({ expression, timezone }), EVER_FROM_MS) !== null) return null;
    const message = `\`${parsed.value.fields}\` never comes: no such day of the month exists; for example \`0 9 28 2 *\``;
    return { field: "value", message };
  },

  next: (cron, afterMs) => nextOf(knownOf(cron), afterMs),

  forecast(cron, afterMs, count) {
    const schedule = knownOf(cron);
    const times: ForecastTime[] = [];
    for (let last = afterMs; times.length < count;) {
      const atMs = nextOf(schedule, last);
      if (atMs === null) break;
      times.push({ atMs, local: localText(atMs, schedule.timezone), note: noteOf(schedule, last, atMs) });
      last = atMs;
    }
    return times;
  },

  describe(cron) {
    const { fields, timezone } = knownOf(cron);
    return describeFields(fields, timezone);
  },

  instantOf(localTime, timezone) {
    const wallMs = Date.parse(`${localTime}Z`);
    const isDate = !Number.isNaN(wallMs) && new Date(wallMs).toISOString().startsWith(localTime.slice(0, 16));
    return isDate ? firstInstantOf(wallMs, timezone) : null;
  },

  local: localText,
};

function nextOf(schedule: Known, afterMs: number): number | null {
  const next = schedule.inZone.nextRun(new Date(afterMs))?.getTime() ?? null;
  if (schedule.isInterval) return next;
  return timeOfMissingDay(schedule, afterMs, next) ?? next;
}

/** The end of a skipped day between two times, if the schedule has a time on that day. */
function timeOfMissingDay({ timezone, onWall }: Known, afterMs: number, next: number | null): number | null {
  // Without a next time, search a year ahead: the only time of a yearly schedule may be on the skipped day.
  const untilMs = next ?? afterMs + 366 * DAY_MS;
  if (Math.abs(offsetAt(untilMs, timezone) - offsetAt(afterMs, timezone)) < WHOLE_DAY_MS) return null;
  for (let from = afterMs; from < untilMs;) {
    const change = transitionBetween(timezone, from, untilMs);
    if (change === null) return null;
    const hasTime = change.after - change.before >= WHOLE_DAY_MS && firstInGap(onWall, change) !== null;
    if (hasTime) return change.atMs;
    from = change.atMs;
  }
  return null;
}

/** The first wall time of the schedule that a change skips. */
function firstInGap(onWall: Cron, { atMs, before, after }: Transition): number | null {
  const wall = onWall.nextRun(new Date(atMs + before - 1))?.getTime() ?? null;
  return wall !== null && wall < atMs + after ? wall : null;
}

/** The effect of the last clock change on this time. */
function noteOf({ timezone, onWall, isInterval }: Known, lastMs: number, atMs: number): ForecastNote | null {
  const change = transitionBetween(timezone, Math.max(lastMs, atMs - DAY_MS), atMs);
  if (change !== null && change.after > change.before) {
    const missing = firstInGap(onWall, change);
    if (missing === null) return null;
    const [was, becomes] = [clockText(missing), clockText(atMs + change.after)];
    if (isInterval) return { kind: "skipped", message: `${was} does not exist on this day: the clock goes forward` };
    return atMs === change.atMs
      ? {
          kind: "shifted",
          message: `${was} does not exist on this day: the clock goes forward, and it fires at ${becomes}`,
        }
      : null;
  }
  const wall = wallTime(atMs, timezone);
  if (instantsOf(wall, timezone).length < 2) return null;
  const times = isInterval ? "and it fires both times" : "and it fires the first time only";
  return { kind: "repeated", message: `${clockText(wall)} comes twice on this day: the clock goes back, ${times}` };
}

/** A zone that the caller may have meant. */
function zoneLike(text: string): string {
  const city = (text.split("/").at(-1) ?? "").toLowerCase().replace(/[\s-]+/g, "_");
  const zones = Intl.supportedValuesOf("timeZone").filter((zone) => !zone.startsWith("Etc/"));
  const isLike = (zone: string): boolean => {
    const name = (zone.split("/").at(-1) ?? "").toLowerCase();
    return (
      name === city ||
      (city.length > 3 && name.length > 3 && (name.startsWith(city.slice(0, -1)) || city.startsWith(name)))
    );
  };
  return zones.find(isLike) ?? "Europe/London";
}

/** Shorter forms of the library's sentences. */
const SHORTER: readonly (readonly [RegExp, string])[] = [
  [/^At (\d\d:\d\d), Monday through Friday$/, "Weekdays at $1"],
  [/^At (\d\d:\d\d), only on (\w+)$/, "Every $2 at $1"],
  [/^At (\d\d:\d\d)$/, "Daily at $1"],
  [/^At 0 minutes past the hour$/, "Every hour"],
];

/** Five valid fields in a few words, with their zone: `Weekdays at 09:00, Europe/London`. */
function describeFields(fields: string, timezone: string): string {
  const sentence = cronstrue.toString(fields, { use24HourTimeFormat: true, verbose: false });
  const [pattern, words] = SHORTER.find(([form]) => form.test(sentence)) ?? [/^$/, ""];
  return `${sentence.replace(pattern, words)}, ${timezone}`;
}
