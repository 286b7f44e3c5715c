/** A time, as how long ago it was; the exact one is in its title. */
const UNITS_OF_TIME: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];
const relativeWords = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** `3 minutes ago`, `in 2 hours`; within a minute `now`. */
export function relativeTime(time: string, now = Date.now()): string {
  const seconds = (Date.parse(time) - now) / 1_000;
  for (const [unit, size] of UNITS_OF_TIME)
    if (Math.abs(seconds) >= size) return relativeWords.format(Math.trunc(seconds / size), unit);
  return "now";
}

export function Time({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {relativeTime(at)}
    </time>
  );
}
