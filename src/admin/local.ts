/**
 * Commands that need no actors: they read or fill the database beside the service, without loading it. The
 * embedded database is the running one, or is started for the duration of the command.
 */
import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readBackupHead, loadBackup, writeBackup } from "./backup.ts";
import { writeExport } from "./organization-export.ts";
import { DATABASE_NOTE, readSecret, FOLDER_SECRET_BYTES, writeSecret } from "../../db/data-folder.ts";
import type { BlobStore } from "../../actors/workspace/ports.ts";
import { LocalBlobStore } from "../files/local-blobs.ts";
import { s3Of, S3BlobStore } from "../files/s3-blobs.ts";
import { createSealing, isCheckOf, otherSecretsOf } from "../service/service-key.ts";
import type { Config } from "../settings/settings.ts";
import { SERVICE_VERSION } from "../settings/build.ts";
import { systemClock } from "../wiring/clock.ts";
import type { AdminArguments } from "../service/admin-door.ts";
import { AdminRefused, requiredOption } from "./arguments.ts";
import type { LocalName } from "./command-table.ts";
import { LOCAL_REPORTS } from "./local-reports.ts";
import { type LocalCommand, withDatabase, withNewDatabase } from "./local-database.ts";
import { MIB } from "../../actors/units.ts";

const mib = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`;

export const LOCAL_COMMANDS: Readonly<Record<string, LocalCommand>> = {
  ...LOCAL_REPORTS,

  async backup(errand) {
    const { config, given } = errand;
    const path = newFile(given, "a backup");
    const withKey = given.flags.has("with-key");
    const key = withKey ? (config.troupeSecret ?? readSecret(config.dataDir)) : null;
    if (withKey && key === null)
      throw new AdminRefused(`There is no key in ${config.dataDir} and none in TROUPE_SECRET`);
    const summary = await withDatabase(errand, (url) =>
      writeBackup(path, { url, blobs: blobsOf(config), key, version: SERVICE_VERSION, now: systemClock.now() }),
    );
    const rows = Object.values(summary.rows).reduce((all, count) => all + count, 0);
    const { files, fileBytes, missingFiles } = summary;
    const lines = [
      `${path} has ${rows} rows of ${Object.keys(summary.rows).length} tables and ${files} files (${mib(fileBytes)}).`,
      withKey
        ? "It has the key of the service: anybody who has it can read the secrets in it."
        : "The key of the service is not in it: keep the file `secret` of the data folder (or TROUPE_SECRET) apart from it.",
    ];
    if (missingFiles.length > 0)
      lines.push(`Missing in the store, and so in the backup: ${missingFiles.slice(0, 20).join(", ")}`);
    return { text: lines.join("\n"), json: { file: path, has_key: withKey, ...summary } };
  },

  async "org export"(errand) {
    const { config, given } = errand;
    const path = newFile(given, "an export");
    const organizationId = requiredOption(given, "org");
    const { rows, files, missingFiles } = await withDatabase(errand, (url) =>
      writeExport(path, {
        url,
        organizationId,
        blobs: blobsOf(config),
        version: SERVICE_VERSION,
        now: systemClock.now(),
      }),
    );
    const all = Object.values(rows).reduce((sum, count) => sum + count, 0);
    const lines = [
      `${path} has ${all} records and ${files} files of ${organizationId}. Secrets, tokens and passwords are not in it.`,
    ];
    if (missingFiles.length > 0)
      lines.push(`Missing in the store, and so in the export: ${missingFiles.slice(0, 20).join(", ")}`);
    return { text: lines.join("\n"), json: { file: path, rows, files, missing_files: missingFiles } };
  },

  async restore(errand) {
    const { config, given } = errand;
    const path = resolve(requiredOption(given, "from"));
    const { header, key: archived } = await readBackupHead(path);
    const kept = readSecret(config.dataDir);
    const key = config.troupeSecret ?? kept ?? archived;
    if (key === null || key.length !== FOLDER_SECRET_BYTES)
      throw new AdminRefused(
        `The key of the service is not in the backup. Set TROUPE_SECRET to it, or put its file \`secret\` into ${config.dataDir}.`,
      );
    if (header.keyCheck !== null && !isCheckOf(createSealing(key, otherSecretsOf(config)), header.keyCheck))
      throw new AdminRefused(
        "The backup belongs to another key than TROUPE_SECRET or the file `secret` has. A backup that was made during a change of the key needs the former key in TROUPE_OTHER_SECRETS.",
      );
    if (config.databaseUrl === undefined && existsSync(join(config.dataDir, DATABASE_NOTE)))
      throw new AdminRefused(
        `${config.dataDir} has a database already: set DATA_DIR to a folder that does not exist yet.`,
      );
    if (config.troupeSecret === undefined && kept === null) writeSecret(config.dataDir, key);
    const summary = await withNewDatabase(errand, (url) =>
      loadBackup(path, header, { url, blobs: blobsOf(config), staging: join(config.dataDir, "files", "restoring") }),
    ).catch((cause: unknown) => {
      if (config.databaseUrl !== undefined) throw cause;
      const words = cause instanceof Error ? cause.message : String(cause);
      throw new AdminRefused(`${words}. Remove ${config.dataDir} before the next try.`, { cause });
    });
    const rows = Object.values(summary.rows).reduce((all, count) => all + count, 0);
    const text = [
      `Restored ${rows} rows and ${summary.files} files (${mib(summary.fileBytes)}), as they were at ${header.madeAt}, into ${config.dataDir}.`,
      "The next start continues the work that was in progress at the backup: jobs, schedules and deliveries. Do not start it while the original service runs, unless this work may be done twice.",
    ].join("\n");
    return { text, json: { data_dir: config.dataDir, made_at: header.madeAt, ...summary } };
  },
} satisfies Readonly<Record<LocalName, LocalCommand>>;

/** The path of `--to`, where this process can write a new file. */
function newFile(given: AdminArguments, what: string): string {
  const path = resolve(requiredOption(given, "to"));
  if (existsSync(path)) throw new AdminRefused(`${path} exists already: ${what} overwrites nothing`);
  const folder = dirname(path);
  if (!existsSync(folder)) throw new AdminRefused(`There is no folder ${folder}`);
  try {
    accessSync(folder, constants.W_OK);
  } catch (cause) {
    throw new AdminRefused(`This user may not write in ${folder}`, { cause });
  }
  return path;
}

/** The content store, without the parts that receive uploads; its folder is that of `src/files/files.ts`. */
export function blobsOf(config: Config): BlobStore {
  const s3 = s3Of(config);
  if (s3 !== null) return new S3BlobStore(s3);
  const root = join(config.filesDir ?? join(config.dataDir, "files"), "blobs");
  mkdirSync(root, { recursive: true, mode: 0o700 });
  return new LocalBlobStore(root);
}
