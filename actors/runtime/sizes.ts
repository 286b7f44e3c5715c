/** Estimates of sizes in bytes, for bounds. */
import type { Writes } from "./store.ts";

/** Strings are most of an event and of a command. */
export function valueSize(value: unknown): number {
  if (typeof value === "string") return 2 * value.length;
  if (value === null || typeof value !== "object") return 8;
  let bytes = 16;
  for (const key in value) bytes += 16 + valueSize((value as Record<string, unknown>)[key]);
  return bytes;
}

/** The approximate size of long texts in the writes: those in records and events, which are nearly all. */
export function textBytesOf({ records, events }: Writes): number {
  let bytes = 0;
  const add = (fields: object): void => {
    for (const key in fields) {
      const value = (fields as Readonly<Record<string, unknown>>)[key];
      if (typeof value === "string") bytes += 2 * value.length;
    }
  };
  for (const { record } of records) add(record);
  for (const { data } of events) add(data);
  return bytes;
}
