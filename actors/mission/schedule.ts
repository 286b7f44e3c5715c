/**
 * Interprets a schedule: when the next fire is due, and which times have passed. Pure arithmetic over the mission's
 * record; the calendar evaluates cron expressions.
 */
import { assert } from "../assert.ts";
import { isoTime } from "../schema.ts";
import { durationMs } from "./duration.ts";
import type { Calendar, ForecastTime } from "./ports.ts";
import type { Mission, NextFire, ScheduleSettings } from "./schema.ts";

/** A fire within this time of its due time is on schedule; a later one is late (MIS-4). Alarms take some ms. */
export const ON_TIME_MS = 5_000;
/** How many missed times are counted exactly; the count stops at this number. */
export const COUNTED_TIMES = 1_000;
/**
 * The pause after each consecutive failure; after one more failure than there are pauses, the mission fails (MIS-1).
 */
export const FAILURE_PAUSES_MS = [60_000, 5 * 60_000] as const;
export const FAILURES_IN_A_ROW = FAILURE_PAUSES_MS.length + 1;
/** The default pause between the runs of a continuous mission. */
const DEFAULT_PAUSE_MS = 10_000;
/** How far back to look for the newest time of a schedule, step by step; leap days are at most 8 years apart. */
const LOOK_BACK_MS = [3_600_000, 86_400_000, 32 * 86_400_000, 367 * 86_400_000, 8 * 366 * 86_400_000] as const;

export const pauseBetweenRunsMs = ({ value }: ScheduleSettings): number =>
  value === null ? DEFAULT_PAUSE_MS : (durationMs(value) ?? DEFAULT_PAUSE_MS);

/** The first time of the schedule after `afterMs`, within `start_at` and `end_at`; null if there is none. */
export function timeAfter(
  calendar: Calendar,
  { type, value, timezone, startAt, endAt }: ScheduleSettings,
  afterMs: number,
): number | null {
  const fromMs = startAt === null ? afterMs : Math.max(afterMs, Date.parse(startAt) - 1);
  const untilMs = endAt === null ? Number.POSITIVE_INFINITY : Date.parse(endAt);
  const time =
    type === "once"
      ? onceAfter(value, fromMs)
      : type === "cron"
        ? cronAfter(calendar, { value, timezone }, fromMs)
        : null;
  return time !== null && time <= untilMs ? time : null;
}

function onceAfter(value: string | null, afterMs: number): number | null {
  assert(value !== null, "a schedule that fires once has a time");
  const time = Date.parse(value);
  return time > afterMs ? time : null;
}

function cronAfter(
  calendar: Calendar,
  { value, timezone }: Pick<ScheduleSettings, "value" | "timezone">,
  afterMs: number,
) {
  assert(value !== null, "a cron schedule has an expression");
  return calendar.next({ expression: value, timezone }, afterMs);
}

/**
 * When a time of the schedule is due: with its jitter, which never reaches the next time, and after any failure pause.
 */
export function dueMs(
  calendar: Calendar,
  mission: Pick<Mission, "id" | "schedule" | "retryAt">,
  timeMs: number,
): number {
  const { schedule, retryAt, id } = mission;
  const jittered = timeMs + jitterOf(calendar, { id, schedule }, timeMs);
  return retryAt === null ? jittered : Math.max(jittered, Date.parse(retryAt));
}

function jitterOf(calendar: Calendar, { id, schedule }: Pick<Mission, "id" | "schedule">, timeMs: number): number {
  if (schedule.jitterSeconds === 0 || schedule.type === "continuous") return 0;
  const following = timeAfter(calendar, schedule, timeMs);
  const longest = schedule.jitterSeconds * 1_000;
  return jitterMs(id, timeMs, following === null ? longest : Math.min(longest, following - timeMs));
}

/** The next fire strictly after `afterMs`, up to which the schedule has been decided; null if there is none. */
export function nextFire(calendar: Calendar, mission: Mission, afterMs: number): NextFire | null {
  const { schedule } = mission;
  if (hasNoRunsLeft(mission)) return null;
  const time =
    schedule.type === "continuous" ? continuousTime(schedule, afterMs) : timeAfter(calendar, schedule, afterMs);
  return time === null ? null : { scheduledAt: isoTime(time), dueAt: isoTime(dueMs(calendar, mission, time)) };
}

function continuousTime({ startAt, endAt }: ScheduleSettings, afterMs: number): number | null {
  // 1 ms later, because (mission, scheduled time) is unique.
  const time = Math.max(afterMs + 1, startAt === null ? 0 : Date.parse(startAt));
  return endAt !== null && time > Date.parse(endAt) ? null : time;
}

/** The next `count` times, for display; no more than there may be runs. */
export function upcomingTimes(
  calendar: Calendar,
  mission: Pick<Mission, "next" | "schedule" | "runCount" | "openRuns">,
  count: number,
): string[] {
  const { next, schedule } = mission;
  const most = Math.min(count, runsLeft(mission));
  const times: string[] = [];
  for (let time = next === null ? null : Date.parse(next.scheduledAt); time !== null && times.length < most;) {
    times.push(isoTime(time));
    time = timeAfter(calendar, schedule, time);
  }
  return times;
}

/** The next `count` times with the effects of clock changes; `firstMs` is the first of them. */
export function forecastFrom(
  calendar: Calendar,
  { type, value, timezone, endAt }: ScheduleSettings,
  firstMs: number,
  count: number,
): readonly ForecastTime[] {
  if (type !== "cron" || value === null)
    return [{ atMs: firstMs, local: calendar.local(firstMs, timezone), note: null }];
  const endMs = endAt === null ? Number.POSITIVE_INFINITY : Date.parse(endAt);
  return calendar.forecast({ expression: value, timezone }, firstMs - 1, count).filter(({ atMs }) => atMs <= endMs);
}

/** How many runs may still begin. Runs that wait for their job count as begun. */
export const runsLeft = ({
  schedule: { maxRuns },
  runCount,
  openRuns,
}: Pick<Mission, "schedule" | "runCount" | "openRuns">): number =>
  maxRuns === null
    ? Number.POSITIVE_INFINITY
    : maxRuns - runCount - openRuns.filter(({ jobId }) => jobId === null).length;

export const hasNoRunsLeft = (mission: Pick<Mission, "schedule" | "runCount" | "openRuns">): boolean =>
  runsLeft(mission) <= 0;

/** Whether another run can begin without a change of the schedule. */
export function mayFireAgain(mission: Mission, nowMs: number): boolean {
  const { type, endAt } = mission.schedule;
  if (mission.next !== null || mission.buffered !== null) return true;
  return type === "none" && !hasNoRunsLeft(mission) && (endAt === null || nowMs <= Date.parse(endAt));
}

/** Times of a schedule that have passed. */
export interface Stretch {
  readonly firstMs: number;
  /** The time before the last; the first itself if there is only one. */
  readonly previousMs: number;
  readonly lastMs: number;
  /** At most `COUNTED_TIMES`. */
  readonly count: number;
}

/** The times of the schedule from `firstMs` on that were due by `nowMs`; `firstMs` must be one of them. */
export function stretchUntil(calendar: Calendar, mission: Mission, firstMs: number, nowMs: number): Stretch {
  const { schedule } = mission;
  const isDue = (timeMs: number): boolean => dueMs(calendar, { ...mission, retryAt: null }, timeMs) <= nowMs;
  let previousMs = firstMs;
  let lastMs = firstMs;
  let count = 1;
  for (; count < COUNTED_TIMES; count++) {
    const time = schedule.type === "cron" ? timeAfter(calendar, schedule, lastMs) : null;
    if (time === null || !isDue(time)) return { firstMs, previousMs, lastMs, count };
    previousMs = lastMs;
    lastMs = time;
  }
  for (const timeMs of newestTimes(calendar, schedule, nowMs - schedule.jitterSeconds * 1_000)) {
    if (timeMs > lastMs) [previousMs, lastMs] = [lastMs, timeMs];
  }
  return { firstMs, previousMs, lastMs, count };
}

/** The newest two times of a cron schedule up to `nowMs`, the older one first; fewer if no more are near. */
function newestTimes(calendar: Calendar, schedule: ScheduleSettings, nowMs: number): readonly number[] {
  let newest: readonly number[] = [];
  for (const back of LOOK_BACK_MS) {
    newest = [];
    for (let time = timeAfter(calendar, schedule, nowMs - back); time !== null && time <= nowMs;) {
      newest = [...newest.slice(-1), time];
      time = timeAfter(calendar, schedule, time);
    }
    if (newest.length === 2) break;
  }
  return newest;
}

/** FNV-1a, 32 bits: spreads well enough, and needs no library. */
function hashText(text: string): number {
  let state = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193);
  // FNV leaves similar inputs near each other; this spreads them (the finalizer of murmur3).
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}

/**
 * Ms to wait after the scheduled time: at least 0 and less than `longestMs`. Deterministic: it depends on the mission
 * and the scheduled time alone.
 */
export const jitterMs = (missionId: string, timeMs: number, longestMs: number): number =>
  Math.floor((hashText(`${missionId}/${timeMs}`) / 2 ** 32) * longestMs);
