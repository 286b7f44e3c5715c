/** Filters of lists in a query: all that are given must match; an empty one filters nothing. */
import { invalid, ok, type Outcome } from "../../actors/fault.ts";
import { isoTime } from "../../actors/schema.ts";

/** Characters of an id that somebody looks for. */
const GIVEN_ID = 256;

/** The ids that a query filters by, under the names that the directory has for them. */
export function idFilters<K extends string>(
  query: URLSearchParams,
  names: Readonly<Record<K, string>>,
): Outcome<Partial<Record<K, string>>> {
  const filter: Partial<Record<K, string>> = {};
  for (const [field, name] of Object.entries(names) as [K, string][]) {
    const value = query.get(name);
    if (value === null || value === "") continue;
    if (value.length > GIVEN_ID || value.includes("\0")) return invalid(`/${name}`, `${name} is no id`);
    filter[field] = value;
  }
  return ok(filter);
}

/** A filter by one of some words. */
export function wordFilter<W extends string>(
  query: URLSearchParams,
  name: string,
  words: readonly W[],
): Outcome<W | null> {
  const value = query.get(name);
  if (value === null || value === "") return ok(null);
  const word = words.find((known) => known === value);
  return word === undefined ? invalid(`/${name}`, `${name} must be one of: ${words.join(", ")}`) : ok(word);
}

/** A filter by a time, as it is stored. */
export function timeFilter(query: URLSearchParams, name: string): Outcome<string | null> {
  const value = query.get(name);
  if (value === null || value === "") return ok(null);
  const time = timeOf(value);
  return time === null ? invalid(`/${name}`, `${name} must be a time in ISO 8601`) : ok(time);
}

const TIME = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;

/** A time as it is stored, or null for what is none. */
export function timeOf(text: string): string | null {
  const ms = TIME.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? null : isoTime(ms);
}
