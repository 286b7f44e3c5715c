/** A time, as how long ago it was; the exact one is in its title. */
import { signal } from "@preact/signals";

const UNITS_OF_TIME: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];
const relativeWords = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

const SHOWN_TIME_TICK_MS = 15_000;
/** The time by which all relative times of the page are written: one timer for all of them. */
const shownNow = signal(Date.now());

function tick(): void {
  if (document.visibilityState === "visible") shownNow.value = Date.now();
}
setInterval(tick, SHOWN_TIME_TICK_MS);
document.addEventListener("visibilitychange", tick);

/** `3 minutes ago`, `in 2 hours`; within a minute `now`. */
export function relativeTime(time: string, now = Date.now()): string {
  const seconds = (Date.parse(time) - now) / 1_000;
  for (const [unit, size] of UNITS_OF_TIME)
    if (Math.abs(seconds) >= size) return relativeWords.format(Math.trunc(seconds / size), unit);
  return "now";
}

const exactWords = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });

interface KnownTimeProps {
  /** Nothing is shown for null. */
  readonly at: string | null;
  /** What stands before it. */
  readonly words: string;
}

/** A time with the words before it, if there is one. */
export const KnownTime = ({ at, words }: KnownTimeProps) =>
  at === null ? null : (
    <>
      {words} <Time at={at} />
    </>
  );

export function Time({ at }: { readonly at: string }) {
  // Read, so that the next tick renders it again.
  const now = Math.max(shownNow.value, Date.now());
  return (
    <time dateTime={at} title={exactWords.format(new Date(at))}>
      {relativeTime(at, now)}
    </time>
  );
}
