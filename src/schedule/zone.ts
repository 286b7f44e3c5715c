/** Wall clocks of IANA zones, from the runtime's own zone data: offsets, local times, and where they change. */
import { BoundedMap } from "../../actors/bounded-map.ts";
import { MINUTE_MS, HOUR_MS, DAY_MS } from "../../actors/units.ts";

/** Formatters cost tens of microseconds to make; there are about 450 zones. */
const KEPT_FORMATS = 100;
/** The format of a zone's name. Fixed offsets such as `+05:30` are not zones: they have no clock changes. */
const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/;

const formats = new BoundedMap<Intl.DateTimeFormat>(KEPT_FORMATS);

function formatOf(timezone: string): Intl.DateTimeFormat {
  let format = formats.get(timezone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: timezone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
    formats.set(timezone, format);
  }
  return format;
}

export function isZone(timezone: string): boolean {
  if (!ZONE_NAME.test(timezone)) return false;
  try {
    formatOf(timezone);
    return true;
  } catch {
    return false;
  }
}

/**
 * The local time of an instant, as the UTC time with the same digits, so that arithmetic on it is free of clock
 * changes.
 */
export function wallTime(atMs: number, timezone: string): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(timezone).formatToParts(atMs)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  const milliseconds = ((atMs % 1_000) + 1_000) % 1_000;
  return Date.UTC(year, month - 1, day, hour, minute, second) + milliseconds;
}

/** How far local time is ahead of UTC, in ms. */
export const offsetAt = (atMs: number, timezone: string): number => wallTime(atMs, timezone) - atMs;

/** A change of the offset. */
export interface Transition {
  /** The first instant with the new offset. */
  readonly atMs: number;
  /** In ms. */
  readonly before: number;
  readonly after: number;
}

/**
 * The first change of the offset in (fromMs, untilMs]; null where the offset stays. Assumes that two changes are more
 * than an hour apart.
 */
export function transitionBetween(timezone: string, fromMs: number, untilMs: number): Transition | null {
  const before = offsetAt(fromMs, timezone);
  for (let probe = Math.min(fromMs + HOUR_MS, untilMs); ; probe = Math.min(probe + HOUR_MS, untilMs)) {
    const after = offsetAt(probe, timezone);
    if (after !== before) return bisectTransition(timezone, { fromMs, untilMs: probe, before });
    if (probe >= untilMs) return null;
  }
}

function bisectTransition(
  timezone: string,
  { fromMs, untilMs, before }: { readonly fromMs: number; readonly untilMs: number; readonly before: number },
): Transition {
  let low = fromMs;
  let high = untilMs;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle, timezone) === before) low = middle;
    else high = middle;
  }
  return { atMs: high, before, after: offsetAt(high, timezone) };
}

/** The instants of a wall time, earliest first: none in a gap, two where the clock goes back over it. */
export function instantsOf(wallMs: number, timezone: string): readonly number[] {
  const offsets = new Set([offsetAt(wallMs - DAY_MS, timezone), offsetAt(wallMs + DAY_MS, timezone)]);
  return [...offsets]
    .map((offset) => wallMs - offset)
    .filter((atMs) => wallTime(atMs, timezone) === wallMs)
    .sort((a, b) => a - b);
}

/** The instant of a wall time; of one in a gap, the first instant after the gap; of a repeated one, the first (MIS-3). */
export function firstInstantOf(wallMs: number, timezone: string): number {
  const [first] = instantsOf(wallMs, timezone);
  if (first !== undefined) return first;
  return transitionBetween(timezone, wallMs - 2 * DAY_MS, wallMs + 2 * DAY_MS)?.atMs ?? wallMs;
}

/** `2026-03-29T03:00:00.000+02:00`. */
export function localText(atMs: number, timezone: string): string {
  const offset = offsetAt(atMs, timezone);
  const minutes = Math.abs(Math.trunc(offset / MINUTE_MS));
  const two = (n: number): string => String(n).padStart(2, "0");
  const sign = offset < 0 ? "-" : "+";
  const digits = new Date(atMs + offset).toISOString().slice(0, -1);
  return `${digits}${sign}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** `02:30` of a wall time. */
export const clockText = (wallMs: number): string => new Date(wallMs).toISOString().slice(11, 16);
