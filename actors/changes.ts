/** Whether an update changes anything: one that does not leaves no trace, neither a version nor a time nor an event. */

/** Whether two values of records, JSON that is, are the same; the order of an object's keys is none. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [ofA, ofB] = [given(a), given(b)];
  return (
    ofA.length === ofB.length && ofA.every(([key, value]) => Object.hasOwn(b, key) && isSame(value, valueOf(b, key)))
  );
}

/** Whether the record has all of these values already. */
export const hasAll = <T extends object>(record: T, changes: Partial<T>): boolean =>
  given(changes).every(([key, value]) => isSame(valueOf(record, key), value));

/** A field that is undefined is absent, as in JSON. */
const given = (value: object): [string, unknown][] => Object.entries(value).filter(([, item]) => item !== undefined);
const valueOf = (value: object, key: string): unknown => (value as Readonly<Record<string, unknown>>)[key];
