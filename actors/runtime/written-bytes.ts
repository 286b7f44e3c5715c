/** How much a group writes, for its size in a batch. */
import type { Writes } from "./store.ts";

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
