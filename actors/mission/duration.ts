/**
 * Durations in ISO 8601, days to seconds: `PT5M`, `P1DT12H`. Months and years have no fixed length and are not
 * accepted.
 */

const DURATION = /^P(?=\d|T\d)(?:(\d{1,4})D)?(?:T(?=\d)(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?$/;

/** The duration in ms; null for anything else. */
export function durationMs(text: string): number | null {
  const match = DURATION.exec(text);
  if (match === null) return null;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map((part) => Number(part ?? 0));
  return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000;
}

const UNITS = [
  [86_400_000, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"],
  [1_000, "second"],
] as const;

/** In words, such as `1 day 12 hours`. */
export function durationText(ms: number): string {
  let rest = ms;
  const words = UNITS.flatMap(([unitMs, name]) => {
    const count = Math.floor(rest / unitMs);
    rest -= count * unitMs;
    return count === 0 ? [] : [`${count} ${name}${count === 1 ? "" : "s"}`];
  });
  return words.length === 0 ? "0 seconds" : words.join(" ");
}
