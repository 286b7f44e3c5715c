/** Checks the schedule in a request, and converts it into the stored form (MIS-2, MIS-3). */
import { cutText } from "../cut-text.ts";
import type { InputError } from "../fault.ts";
import { isLocalTime, isoTime, timeOf } from "../schema.ts";
import { durationMs, durationText } from "./duration.ts";
import type { Calendar } from "./ports.ts";
import { ON_TIME_MS, pauseBetweenRunsMs, timeAfter } from "./schedule.ts";
import type { ScheduleSettings } from "./schema.ts";

/** The shortest pause of a continuous mission between runs: each run costs model calls. */
const SHORTEST_PAUSE_MS = 1_000;
const LONGEST_INTERVAL_MS = 30 * 86_400_000;
/** Times of the contract have a year of four digits. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

export const DEFAULT_SCHEDULE: ScheduleSettings = {
  type: "none",
  value: null,
  timezone: "UTC",
  startAt: null,
  endAt: null,
  maxRuns: null,
  overlap: "skip",
  catchupWindowSeconds: 60,
  jitterSeconds: 0,
};

/** A schedule in the stored form, or all of its errors. */
export type CheckedSchedule =
  | { readonly ok: true; readonly schedule: ScheduleSettings; readonly text: string }
  | { readonly ok: false; readonly errors: readonly InputError[] };

export function checkedSchedule(calendar: Calendar, given: ScheduleSettings, nowMs: number): CheckedSchedule {
  const zone = calendar.zoneComplaint(given.timezone);
  if (zone !== null) return refuseSchedule([{ path: "/schedule/timezone", message: zone.message }]);
  const value = checkScheduleValue(calendar, given, nowMs);
  const errors = [
    ...(value.error === null ? [] : [{ path: "/schedule/value", message: value.error }]),
    ...boundErrors(given, nowMs),
  ];
  if (errors.length > 0) return refuseSchedule(errors);
  const schedule = { ...given, value: value.stored };
  const never = neverComes(calendar, schedule, nowMs);
  return never === null ? { ok: true, schedule, text: scheduleText(calendar, schedule) } : refuseSchedule([never]);
}

/** The times of a schedule come from these. */
export const TIMING = ["type", "value", "timezone", "startAt", "endAt"] as const;

/** Checks a schedule that replaces another one. Unchanged times may have passed meanwhile. */
export function changedSchedule(
  calendar: Calendar,
  before: ScheduleSettings,
  given: ScheduleSettings,
  nowMs: number,
): CheckedSchedule {
  return TIMING.every((name) => given[name] === before[name])
    ? { ok: true, schedule: given, text: scheduleText(calendar, given) }
    : checkedSchedule(calendar, given, nowMs);
}

const refuseSchedule = (errors: readonly InputError[]): CheckedSchedule => ({ ok: false, errors });

interface CheckedValue {
  readonly stored: string | null;
  readonly error: string | null;
}
const storedValue = (value: string | null): CheckedValue => ({ stored: value, error: null });
const wrongValue = (error: string): CheckedValue => ({ stored: null, error });

function checkScheduleValue(calendar: Calendar, given: ScheduleSettings, nowMs: number): CheckedValue {
  const { type, value, timezone } = given;
  switch (type) {
    case "none":
      return value === null ? storedValue(null) : wrongValue("A schedule of type `none` has no value; leave it out");
    case "once":
      return onceValue(calendar, given, nowMs);
    case "cron": {
      if (value === null) return wrongValue("A schedule of type `cron` needs an expression; for example `0 9 * * 1-5`");
      const complaint = calendar.cronComplaint({ expression: value, timezone });
      return complaint === null ? storedValue(value.trim()) : wrongValue(complaint.message);
    }
    case "continuous":
      return value === null ? storedValue(null) : pauseValue(value);
  }
}

/** Stored as an instant, whatever form the input had. */
function onceValue(
  calendar: Calendar,
  { value, timezone, catchupWindowSeconds }: ScheduleSettings,
  nowMs: number,
): CheckedValue {
  const example = `for example \`${isoTime(nowMs + 86_400_000).slice(0, 16)}\`, local time of \`timezone\`, or \`${isoTime(nowMs + 86_400_000)}\``;
  if (value === null) return wrongValue(`A schedule of type \`once\` needs a time; ${example}`);
  const text = value.trim();
  // A date alone has no time, and midnight UTC is not what a person in another zone means.
  const instant = /\d[T ]\d/.test(text) ? timeOf(text) : null;
  const time = isLocalTime(text) ? calendar.instantOf(text.replace(" ", "T"), timezone) : Date.parse(instant ?? "");
  if (time === null || Number.isNaN(time))
    return wrongValue(`\`${cutText(text, 64)}\` is not a time in ISO 8601; ${example}`);
  if (time > LAST_MS) return wrongValue(`${text} is after the year 9999 in UTC; ${example}`);
  if (time < nowMs - Math.max(ON_TIME_MS, catchupWindowSeconds * 1_000))
    return wrongValue(`${isoTime(time)} has passed; ${example}`);
  return storedValue(isoTime(time));
}

function pauseValue(value: string): CheckedValue {
  const pause = durationMs(value.trim());
  const example = "for example `PT5M` for five minutes between runs";
  if (pause === null)
    return wrongValue(
      `\`${cutText(value, 64)}\` is not a duration in days, hours, minutes and whole seconds; ${example}`,
    );
  if (pause < SHORTEST_PAUSE_MS || pause > LONGEST_INTERVAL_MS)
    return wrongValue(
      `The pause must be from ${durationText(SHORTEST_PAUSE_MS)} to ${durationText(LONGEST_INTERVAL_MS)}; ${example}`,
    );
  return storedValue(value.trim());
}

function boundErrors({ startAt, endAt }: ScheduleSettings, nowMs: number): InputError[] {
  if (endAt === null) return [];
  const path = "/schedule/end_at";
  if (Date.parse(endAt) <= nowMs)
    return [{ path, message: `${endAt} has passed; give a later time, or null for no end` }];
  if (startAt !== null && endAt <= startAt)
    return [{ path, message: `${endAt} is not after \`start_at\` (${startAt}); give a later time` }];
  return [];
}

/** Refuses a schedule without a time from `start_at` to `end_at`: its mission would be completed without a run. */
function neverComes(calendar: Calendar, schedule: ScheduleSettings, nowMs: number): InputError | null {
  const { type, startAt, endAt } = schedule;
  if (type !== "once" && type !== "cron") return null;
  // The time of a `once` may have just passed, and then still fires.
  const afterMs = type === "once" ? 0 : nowMs;
  if (timeAfter(calendar, schedule, afterMs) !== null) return null;
  const first = timeAfter(calendar, { ...schedule, endAt: null }, afterMs);
  if (first !== null)
    return {
      path: "/schedule/end_at",
      message: `The schedule first comes at ${isoTime(first)}, which is after ${endAt}; give a later time, or null for no end`,
    };
  return {
    path: "/schedule/start_at",
    message: `The schedule does not come after ${startAt}; give an earlier time, or null for no start`,
  };
}

function scheduleText(calendar: Calendar, schedule: ScheduleSettings): string {
  const { type, value, timezone } = schedule;
  switch (type) {
    case "none":
      return "Started by hand";
    case "once":
      return `Once at ${calendar
        .local(Date.parse(value ?? ""), timezone)
        .slice(0, 16)
        .replace("T", " ")}, ${timezone}`;
    case "cron":
      return calendar.describe({ expression: value ?? "", timezone });
    case "continuous":
      return `Continuously, ${durationText(pauseBetweenRunsMs(schedule))} after each run`;
  }
}
