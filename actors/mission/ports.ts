/**
 * The mission actor's port for calendars. Implemented in `src/schedule/` over a cron library. It is pure and
 * synchronous, so a turn may call it: the same arguments always give the same result.
 */

/** A cron expression on the wall clock of an IANA zone. */
export interface CronSchedule {
  readonly expression: string;
  readonly timezone: string;
}

/** The effect of a clock change on one time of a schedule (MIS-3). */
export type ForecastNote =
  /** The local time does not exist on that day: it fires when the clock has gone forward. */
  | { readonly kind: "shifted"; readonly message: string }
  /** Local times before this one do not exist on that day and do not fire. */
  | { readonly kind: "skipped"; readonly message: string }
  /** The local time comes twice on that day. */
  | { readonly kind: "repeated"; readonly message: string };

export interface ForecastTime {
  readonly atMs: number;
  /** ISO 8601 with the offset of the zone at that time. */
  readonly local: string;
  readonly note: ForecastNote | null;
}

/** An error in one field of a schedule, with a corrected example. */
export interface ScheduleComplaint {
  readonly field: "value" | "timezone";
  readonly message: string;
}

export interface Calendar {
  /** What is wrong with the zone; null if it is valid. */
  zoneComplaint(timezone: string): ScheduleComplaint | null;
  /** What is wrong with the expression; null if it is valid. The zone must be valid. */
  cronComplaint(cron: CronSchedule): ScheduleComplaint | null;
  /** The first time strictly after `afterMs`; null if there is none. Must not be called with an invalid schedule. */
  next(cron: CronSchedule, afterMs: number): number | null;
  /** The next `count` times strictly after `afterMs`, with the effects of clock changes. */
  forecast(cron: CronSchedule, afterMs: number, count: number): readonly ForecastTime[];
  /** A few words for people, such as `Weekdays at 09:00, Europe/London`. */
  describe(cron: CronSchedule): string;
  /** The instant of a local time without an offset (`2026-12-01T09:00`); null if it is not a date. */
  instantOf(localTime: string, timezone: string): number | null;
  /** The local time of an instant: ISO 8601 with the offset of the zone at that time. */
  local(atMs: number, timezone: string): string;
}
