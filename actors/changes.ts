/**
 * Fields that are there, and whether an update of them changes anything. One that changes nothing leaves no version, no
 * time and no event.
 */
import { isExactNumber } from "./exact-json.ts";

/** Whether two JSON values of records are equal; the order of an object's keys does not matter. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b) || isExactNumber(a) !== isExactNumber(b)) return false;
  const [ofA, ofB] = [presentFields(a), presentFields(b)];
  return (
    ofA.length === ofB.length &&
    ofA.every(([key, value]) => Object.hasOwn(b, key) && isSameJson(value, fieldValue(b, key)))
  );
}

/** Whether the record already has all of these values. */
export const hasAll = <T extends object>(record: T, changes: Partial<T>): boolean =>
  presentFields(changes).every(([key, value]) => isSameJson(fieldValue(record, key), value));

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Leaves out undefined fields. */
export const definedFields = <T extends object>(fields: T): Defined<T> =>
  Object.fromEntries(presentFields(fields)) as Defined<T>;

/** A field that is undefined is absent, as in JSON. */
const presentFields = (value: object): [string, unknown][] =>
  Object.entries(value).filter(([, item]) => item !== undefined);
const fieldValue = (value: object, key: string): unknown => (value as Readonly<Record<string, unknown>>)[key];
