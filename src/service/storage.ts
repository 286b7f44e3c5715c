/**
 * The service's data: the data folder with its lock and secret, and the database, which is either the one of
 * DATABASE_URL or the embedded one. When the storage is open, only this process works on the folder, and the database
 * has the schema of this code.
 */
import { newLoopTime } from "./loop-time.ts";
import { type Database, openDatabase } from "../../db/client.ts";
import { type DataFolder, openDataFolder } from "../../db/data-folder.ts";
import { migrate, type MigrateReport, MigrationRefused } from "../../db/migrate.ts";
import { checkSessions } from "../../db/sessions.ts";
import { PostgresBlobClaims } from "../../db/stores/blob-claims.ts";
import { type Files, openFiles } from "../files/files.ts";
import { s3Of } from "../files/s3-blobs.ts";
import type { Sealing } from "../../actors/sealing.ts";
import { assert } from "../../actors/assert.ts";
import { BulkWork } from "../../actors/runtime/fairness/bulk-work.ts";
import type { LoopTime } from "../../actors/runtime/fairness/loop-time.ts";
import type { Config } from "../settings/settings.ts";
import { systemClock } from "../wiring/clock.ts";
import { watchDisk } from "./disk-watch.ts";
import { Undo, unlessAborted } from "./undo.ts";
import type { Logger } from "../log/log.ts";
import { hasSeveralHosts, hostsOf } from "../settings/postgres-url.ts";
import { createSealing, otherSecretsOf } from "./service-key.ts";
import type { StartSteps } from "./start-steps.ts";
import type { Supervision } from "./supervision.ts";

/** The server of DATABASE_URL refuses the connection. */
export class DatabaseRefused extends Error {
  override readonly name = "DatabaseRefused";
}

/** The operating system refuses a folder of the settings. */
export class FolderUnusable extends Error {
  override readonly name = "FolderUnusable";
}

export interface Storage {
  readonly folder: DataFolder;
  readonly database: Database;
  /** Accounts for the event loop's time by organization. */
  readonly loopTime: LoopTime;
  /** The URL of the database. */
  readonly url: string;
  /** Receives bodies and stores content. */
  readonly files: Files;
  /** Seals under the service's key. The start of the runtime checks that the database belongs to that key. */
  readonly sealing: Sealing;
  /** Whether the database is the embedded one: the folder's lock then proves that no other replica lives. */
  readonly isEmbedded: boolean;
  /** False while the disk of the embedded database is nearly full. */
  readonly hasRoom: () => boolean;
  /** Closes the connections, stops the embedded database, unlocks the folder. */
  close(): Promise<void>;
}

export interface StorageParts {
  readonly config: Config;
  readonly log: Logger;
  /** Accounts for the event loop's time. Omitted: a new account. */
  readonly loopTime?: LoopTime;
  /** The embedded database ended by itself. */
  readonly onExit: (reason: string) => void;
  /** The supervisor, if there is one: it may have started the embedded database. */
  readonly supervision?: Supervision | null;
  /** Cancels the opening. */
  readonly signal: AbortSignal;
  /** The steps of a start. */
  readonly steps?: StartSteps;
}

/** Opens everything, and undoes that if a later step fails or the signal aborts. */
export async function openStorage(parts: StorageParts): Promise<Storage> {
  const { config, log, signal, steps } = parts;
  const folder = openFolder(config);
  const undo = new Undo();
  undo.add(() => folder.release());
  try {
    if (config.databaseUrl === undefined) steps?.begin("starting the embedded PostgreSQL");
    const url = config.databaseUrl ?? (await startEmbeddedDatabase(folder.path, parts, undo));
    steps?.begin("migrating the database");
    const { applied, warnings } = await unlessAborted(migrateAt(url, config), signal);
    if (applied > 0) log.info({ migrations: applied }, "the database was brought to this version");
    for (const warning of warnings) log.warn(warning);
    const { loopTime = newLoopTime(null) } = parts;
    const bulk = new BulkWork({ time: loopTime, clock: systemClock, later: setImmediate });
    const database = openDatabase(url, { bulk, isOverShare: (organizationId) => loopTime.isOverShare(organizationId) });
    undo.add(() => database.close());
    steps?.begin("opening the files");
    const claims = new PostgresBlobClaims(database);
    const isEmbedded = parts.supervision?.order.isEmbedded ?? config.databaseUrl === undefined;
    const disk = await watchDisk({
      path: isEmbedded ? await dataDirectoryOf(database) : folder.path,
      reserveMib: isEmbedded ? config.diskReserveMib : 0,
      clock: systemClock,
      log,
    });
    undo.add(() => disk.stop());
    const files = await openFiles(
      { folder: folder.path, shared: config.filesDir ?? null, s3: s3Of(config) },
      {
        claims,
        clock: systemClock,
        onFailure: (err) => log.error({ err }, "content could not be stored"),
        hasRoom: () => disk.hasRoom(),
      },
    ).catch((cause: unknown) => {
      throw config.filesDir === undefined ? cause : unusable(cause, `folder ${config.filesDir}`, "FILES_DIR");
    });
    return {
      folder,
      database,
      loopTime,
      url,
      files,
      sealing: createSealing(folder.secret, otherSecretsOf(config)),
      isEmbedded,
      hasRoom: () => disk.hasRoom(),
      close: () => undo.run(),
    };
  } catch (cause) {
    await undo.run().catch((err: unknown) => log.error({ err }, "opened resources could not be closed"));
    throw cause;
  }
}

/** Opens the data folder of the settings. Throws `FolderInUse`, `DataFolderDamaged` or `FolderUnusable`. */
export function openFolder({ dataDir, troupeSecret }: Config): DataFolder {
  try {
    return openDataFolder(dataDir, troupeSecret);
  } catch (cause) {
    throw unusable(cause, `data folder ${dataDir}`, "DATA_DIR");
  }
}

/** An error of the file system as one that names the setting; others as they are. */
function unusable(cause: unknown, folder: string, setting: string): unknown {
  if (!(cause instanceof Error && "syscall" in cause)) return cause;
  return new FolderUnusable(
    `The ${folder} (${setting}) cannot be used: ${cause.message}. Let this user write there, or set ${setting} to another folder.`,
    { cause },
  );
}

/** The folder of the server's files, which for root may be outside the data folder. */
async function dataDirectoryOf(database: Database): Promise<string> {
  const [row] = await database.read<{ path: string }[]>`select current_setting('data_directory') as path`;
  assert(row !== undefined, "a setting of the server has one row");
  return row.path;
}

/** Starts the embedded PostgreSQL of the data folder, with further `settings`; `undo` stops it. */
export async function startEmbeddedDatabase(
  folder: string,
  { log, onExit, signal }: Pick<StorageParts, "log" | "onExit" | "signal">,
  undo: Undo,
  settings: readonly string[] = [],
): Promise<string> {
  const { startEmbedded } = await import("../../db/embedded.ts");
  const server = await startEmbedded({
    folder,
    log: (level, message) => log[level](message),
    onExit,
    signal,
    settings,
  });
  undo.add(() => server.stop());
  return server.url;
}

/** Migrates; errors of the server of DATABASE_URL are shown without a stack. */
async function migrateAt(url: string, { databaseUrl }: Config): Promise<MigrateReport> {
  try {
    // Check only an external server: nothing is between this process and its own PostgreSQL.
    if (databaseUrl !== undefined) await checkSessions(url);
    return await migrate(url, { expectsFailover: databaseUrl !== undefined && hasSeveralHosts(databaseUrl) });
  } catch (cause) {
    if (databaseUrl === undefined || cause instanceof MigrationRefused) throw cause;
    throw new DatabaseRefused(
      `The database of DATABASE_URL (${hostsOf(databaseUrl)}) cannot be used: ${causeWords(cause)}`,
      { cause },
    );
  }
}

const causeWords = (cause: unknown): string =>
  cause instanceof Error && cause.message !== "" ? cause.message : String(cause);
