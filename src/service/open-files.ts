/** How many files this process may have open: each stream is one, and so is whatever else it talks to. */
import { readFileSync } from "node:fs";

/** Left for the database, models, webhooks and plain requests: a quarter of the files, but no more than this. */
const RESERVED_FILES = 1_024;

/** The limit of this process; null where it is not known (only Linux shows it in this way) or there is none. */
export function openFilesLimit(limits: () => string = () => readFileSync("/proc/self/limits", "utf8")): number | null {
  try {
    const limit = /^Max open files +(\d+) /m.exec(limits());
    return limit === null ? null : Number(limit[1]);
  } catch {
    return null;
  }
}

/** Of so many streams, those that there are files for. */
export function streamsWithin(most: number, openFiles: number | null): number {
  if (openFiles === null) return most;
  return Math.min(most, openFiles - Math.min(RESERVED_FILES, Math.ceil(openFiles / 4)));
}
