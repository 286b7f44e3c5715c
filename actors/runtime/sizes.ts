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

/**
 * The approximate size of long texts in the writes: those in events, and those that records have now and did not have
 * before, which are nearly all.
 */
export function textBytesOf({ records, events }: Writes): number {
  let bytes = 0;
  const add = (fields: object, before: object = {}): void => {
    for (const key in fields) {
      const value = (fields as Readonly<Record<string, unknown>>)[key];
      if (typeof value === "string" && value !== (before as Readonly<Record<string, unknown>>)[key])
        bytes += 2 * value.length;
    }
  };
  for (const { record, before } of records) add(record, before);
  for (const { data } of events) add(data);
  return bytes;
}
