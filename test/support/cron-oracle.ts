/**
 * A second opinion on cron arithmetic (MIS-3) that shares no code with the service: it walks through the
 * minutes of a zone's wall clock and asks of each whether the expression names it. The offsets come from
 * `Intl`; everything else is integer arithmetic. Times are minutes since 1970.
 */

const MINUTE_MS = 60_000;
const DAY = 1_440;
/** Changes of a zone's offset lie further apart than this, in minutes. */
const SCAN = 360;

/** A stretch of one offset: [from, until). */
export interface Stretch {
  readonly from: number;
  readonly until: number;
  readonly offset: number;
}

export function stretchesOf(zone: string, from: number, until: number): readonly Stretch[] {
  const format = new Intl.DateTimeFormat("en-GB", { timeZone: zone, dateStyle: "short", timeStyle: "short" });
  const offsetAt = (minute: number): number => {
    const [day = 0, month = 0, year = 0, hour = 0, minutes = 0] = (
      format.format(minute * MINUTE_MS).match(/\d+/g) ?? []
    ).map(Number);
    return Date.UTC(year, month - 1, day, hour, minutes) / MINUTE_MS - minute;
  };
  const found: Stretch[] = [];
  let start = from;
  let offset = offsetAt(from);
  for (let at = from + SCAN; at < until; at += SCAN) {
    if (offsetAt(at) === offset) continue;
    let change = at;
    while (offsetAt(change - 1) !== offset) change--;
    found.push({ from: start, until: change, offset });
    start = change;
    offset = offsetAt(change);
  }
  return [...found, { from: start, until, offset }];
}

/** Which wall minutes an expression names. Numbers, `*`, lists, ranges and steps only. */
function namer(expression: string): (wall: number) => boolean {
  const [minutes = "", hours = "", days = "", months = "", weekdays = ""] = expression.split(" ");
  const inMinutes = setOf(minutes, 0, 59);
  const inHours = setOf(hours, 0, 23);
  const inDays = setOf(days, 1, 31);
  const inMonths = setOf(months, 1, 12);
  const inWeekdays = setOf(weekdays, 0, 6);
  const isDay = (day: number): boolean => {
    const date = new Date(day * DAY * MINUTE_MS);
    if (!inMonths.has(date.getUTCMonth() + 1)) return false;
    const isDate = inDays.has(date.getUTCDate());
    const isWeekday = inWeekdays.has(date.getUTCDay());
    if (days === "*") return isWeekday;
    return weekdays === "*" ? isDate : isDate || isWeekday;
  };
  let lastDay = Number.NaN;
  let isLastDay = false;
  return (wall) => {
    const day = Math.floor(wall / DAY);
    if (day !== lastDay) {
      lastDay = day;
      isLastDay = isDay(day);
    }
    const minute = wall - day * DAY;
    return isLastDay && inHours.has(Math.floor(minute / 60)) && inMinutes.has(minute % 60);
  };
}

function setOf(field: string, low: number, high: number): ReadonlySet<number> {
  const found = new Set<number>();
  for (const item of field.split(",")) {
    const [range = "", step = "1"] = item.split("/");
    const [first = low, last = first] = range === "*" ? [low, high] : range.split("-").map(Number);
    for (let value = first; value <= last; value += Number(step)) found.add(value);
  }
  return found;
}

/** All times of the expression in these stretches. */
export function* timesOf(expression: string, stretches: readonly Stretch[]): Generator<number> {
  const names = namer(expression);
  const followsElapsedTime = /[*/]/.test(expression.split(" ")[1] ?? "");
  let shown = Number.NEGATIVE_INFINITY;
  for (const { from, until, offset } of stretches) {
    // The wall clock jumps over these: one fire for all of them, at the first minute after.
    let isOwed = false;
    if (!followsElapsedTime && Number.isFinite(shown))
      for (let wall = shown + 1; wall < from + offset; wall++) isOwed ||= names(wall);
    for (let at = from; at < until; at++) {
      const wall = at + offset;
      const isFirst = followsElapsedTime || wall > shown;
      if ((isOwed && at === from) || (isFirst && names(wall))) yield at;
      shown = Math.max(shown, wall);
    }
  }
}
