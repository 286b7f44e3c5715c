/** How many files this process may have open: each stream and every other connection needs one. */
import { readFileSync } from "node:fs";
import type { Logger } from "../log/log.ts";
import type { Config } from "../settings/settings.ts";
import { DEFAULT_MAX_STREAMS } from "../settings/groups/limits.ts";

/** Reserved for the database, models, webhooks and plain requests: a quarter of the files, but no more than this. */
const RESERVED_FILES = 1_024;

/** The limit of this process; null if there is none or it is not known (only Linux shows it this way). */
export function openFilesLimit(limits: () => string = () => readFileSync("/proc/self/limits", "utf8")): number | null {
  try {
    const limit = /^Max open files +(\d+) /m.exec(limits());
    return limit === null ? null : Number(limit[1]);
  } catch {
    return null;
  }
}

/** The number of streams, reduced to the available file descriptors. */
export function streamsWithin(most: number, openFiles: number | null): number {
  if (openFiles === null) return most;
  return Math.min(most, openFiles - Math.min(RESERVED_FILES, Math.ceil(openFiles / 4)));
}

/** How many streams may be open: the configured number, reduced to the available file descriptors. */
export function streamsLimit({ maxStreams }: Config, log: Pick<Logger, "debug" | "warn">): number {
  const openFiles = openFilesLimit();
  const most = streamsWithin(maxStreams, openFiles);
  // With the default setting, the reduction is not worth a warning.
  const level = maxStreams === DEFAULT_MAX_STREAMS ? "debug" : "warn";
  if (most < maxStreams)
    log[level]({ maxStreams, openFiles, most }, "the limit of open files allows fewer streams than MAX_STREAMS");
  return most;
}
