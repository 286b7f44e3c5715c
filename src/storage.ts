/**
 * Where the data is: the data folder with its lock and secret, and the database, which is the one of
 * DATABASE_URL or the embedded one. When it is open, this process is the only one that works on the
 * folder, and the database has the schema of this code.
 */
import { type Database, openDatabase } from "../db/client.ts";
import { type DataFolder, openDataFolder } from "../db/data-folder.ts";
import { migrate } from "../db/migrate.ts";
import type { Config } from "./config.ts";
import type { Logger } from "./log.ts";

export interface Storage {
  readonly folder: DataFolder;
  readonly database: Database;
  /** Whether the database is the embedded one: the folder's lock then proves that no other replica lives. */
  readonly isEmbedded: boolean;
  /** Closes the connections, stops the embedded database, gives the folder up. */
  close(): Promise<void>;
}

/** Opens it all; what has been opened is closed again when a later step fails. */
export async function openStorage(config: Config, log: Logger, onExit: (reason: string) => void): Promise<Storage> {
  const folder = openDataFolder(config.dataDir, config.troupeSecret);
  const undo: (() => Promise<void> | void)[] = [() => folder.release()];
  const close = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const url = config.databaseUrl ?? (await startEmbeddedDatabase(folder, log, { onExit, undo }));
    const { applied, warnings } = await migrate(url);
    if (applied > 0) log.info({ migrations: applied }, "the database was brought to this version");
    for (const warning of warnings) log.warn(warning);
    const database = openDatabase(url);
    undo.push(() => database.close());
    return { folder, database, isEmbedded: config.databaseUrl === undefined, close };
  } catch (cause) {
    await close();
    throw cause;
  }
}

async function startEmbeddedDatabase(
  folder: DataFolder,
  log: Logger,
  hooks: { readonly onExit: (reason: string) => void; readonly undo: (() => Promise<void> | void)[] },
): Promise<string> {
  const { startEmbedded } = await import("../db/embedded.ts");
  const server = await startEmbedded({
    folder: folder.path,
    log: (level, message) => log[level](message),
    onExit: hooks.onExit,
  });
  hooks.undo.push(() => server.stop());
  return server.url;
}
