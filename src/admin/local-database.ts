/**
 * Database access for commands that run beside the service: the running database, or one started for the
 * duration of the command.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DATABASE_NOTE, openDataFolder } from "../../db/data-folder.ts";
import { runningUrl } from "../../db/postmaster.ts";
import { FolderInUse } from "../../db/folder-lock.ts";
import type { Logger } from "../log/log.ts";
import type { Config } from "../settings/settings.ts";
import type { AdminArguments } from "../service/admin-door.ts";
import { AdminRefused } from "./arguments.ts";
import type { CommandAnswer } from "./command-answer.ts";

/**
 * How long a command waits for the process that holds the data folder: longer than a start or a drain. A process that
 * holds the folder longer without answering is reported.
 */
export const WAIT_MS = 15_000;
export const ADMIN_RETRY_MS = 100;

export interface LocalErrand {
  readonly config: Config;
  readonly log: Logger;
  readonly given: AdminArguments;
  readonly signal: AbortSignal;
}

export type LocalCommand = (errand: LocalErrand) => Promise<string | CommandAnswer>;

export function refuseWithoutDatabase({ databaseUrl, dataDir }: Config): void {
  if (databaseUrl === undefined && !existsSync(join(dataDir, DATABASE_NOTE)))
    throw new AdminRefused(
      `There is no database in ${dataDir} yet. Start the service first, or set DATA_DIR to its data folder.`,
    );
}

/** Passes `run` the url of an existing database. */
export async function withDatabase<T>(errand: LocalErrand, run: (url: string) => Promise<T>): Promise<T> {
  const { config, signal } = errand;
  refuseWithoutDatabase(config);
  if (config.databaseUrl !== undefined) return run(config.databaseUrl);
  for (const until = performance.now() + WAIT_MS; ; await Bun.sleep(ADMIN_RETRY_MS)) {
    signal.throwIfAborted();
    const url = runningUrl(config.dataDir);
    if (url !== null) return run(url);
    try {
      return await withNewDatabase(errand, run);
    } catch (cause) {
      if (!(cause instanceof FolderInUse) || performance.now() > until) throw cause;
    }
  }
}

/** Starts the embedded database while `run` runs, creating it if there is none. Throws `FolderInUse`. */
export async function withNewDatabase<T>(
  { config, log, signal }: LocalErrand,
  run: (url: string) => Promise<T>,
): Promise<T> {
  if (config.databaseUrl !== undefined) return run(config.databaseUrl);
  const folder = openDataFolder(config.dataDir, config.troupeSecret);
  try {
    const { startEmbedded } = await import("../../db/embedded.ts");
    const server = await startEmbedded({ folder: folder.path, log: (level, message) => log[level](message), signal });
    try {
      return await run(server.url);
    } finally {
      await server.stop();
    }
  } finally {
    folder.release();
  }
}
