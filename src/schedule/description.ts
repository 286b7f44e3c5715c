/** A schedule in a few words: `Weekdays at 09:00, Europe/London`. */
import cronstrue from "cronstrue";

/** Shorter forms of the library's sentences. */
const SHORTER: readonly (readonly [RegExp, string])[] = [
  [/^At (\d\d:\d\d), Monday through Friday$/, "Weekdays at $1"],
  [/^At (\d\d:\d\d), only on (\w+)$/, "Every $2 at $1"],
  [/^At (\d\d:\d\d)$/, "Daily at $1"],
  [/^At 0 minutes past the hour$/, "Every hour"],
];

/** Five valid fields in words, with their zone. */
export function describeFields(fields: string, timezone: string): string {
  const sentence = cronstrue.toString(fields, { use24HourTimeFormat: true, verbose: false });
  const [pattern, words] = SHORTER.find(([form]) => form.test(sentence)) ?? [/^$/, ""];
  return `${sentence.replace(pattern, words)}, ${timezone}`;
}
