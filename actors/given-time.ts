/** Times as callers write them: ISO 8601, with up to nine digits of a second, as Go, Java and PostgreSQL write them. */
import { hasRealDay, isoTime } from "./schema.ts";

const GIVEN_TIME = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/;

/**
 * The time in its stored format, which has milliseconds; null if the text is not a time. Without an offset it is UTC,
 * whatever the time zone of the machine.
 */
export function timeOf(text: string): string | null {
  const [match, offset] = GIVEN_TIME.exec(text) ?? [];
  if (match === undefined || !hasRealDay(text)) return null;
  const hasClock = text.length > "2026-11-30".length;
  const ms = Date.parse(hasClock && offset === undefined ? `${text}Z` : text);
  return Number.isNaN(ms) ? null : isoTime(ms);
}

/** Whether the text is a day with a time, without an offset: local time, where a zone is given beside it. */
export const isLocalTime = (text: string): boolean =>
  text.length > "2026-11-30".length && GIVEN_TIME.exec(text)?.[1] === undefined && GIVEN_TIME.test(text);
