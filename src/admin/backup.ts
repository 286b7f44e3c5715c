/**
 * Backups: the whole database and the content of files, in one archive.
 *
 *   header.json                       format, version, and the migrations that made the tables
 *   key                               the key of the service, if requested
 *   database/<table>/<number>         rows, as COPY writes them, in pieces of some megabytes
 *   files/<organization>/…/<digest>   content
 *   summary.json                      counts of rows and files; a backup without it was cut off
 */
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Writable } from "node:stream";
import type { BlobKey, BlobStore } from "../../actors/workspace/ports.ts";
import {
  type Content,
  type CopiedTable,
  inSnapshot,
  type Loading,
  loadDatabase,
  NotEmpty,
  type Snapshot,
} from "../../db/copying.ts";
import { type ArchivedFile, type ArchiveWriter, wholeFile, readArchive, writeArchive } from "../archive/archive.ts";
import { FirstCause } from "../archive/piping.ts";
import { blobName } from "../files/blob-name.ts";
import { sync } from "../files/local-blobs.ts";
import { AdminRefused } from "./arguments.ts";

/** Raise it when older code cannot read the new format. */
const BACKUP_FORMAT = 1;
/** Size of one file of rows in the archive. */
const ROWS_FILE_BYTES = 4 * 1024 * 1024;
const LINE_FEED = 0x0a;

export interface BackupHeader {
  readonly format: number;
  /** The version of the service that made it. */
  readonly version: string;
  readonly madeAt: string;
  readonly migrations: readonly number[];
  readonly keyCheck: string | null;
  readonly tables: readonly CopiedTable[];
}

export interface BackupSummary {
  /** Rows of each table. */
  readonly rows: Readonly<Record<string, number>>;
  readonly files: number;
  readonly fileBytes: number;
  /** Content that rows refer to but the store does not have. */
  readonly missingFiles: readonly string[];
}

export interface BackupParts {
  readonly url: string;
  readonly blobs: Pick<BlobStore, "size" | "read">;
  /** The key of the service; null leaves it out. */
  readonly key: Uint8Array | null;
  readonly version: string;
  readonly now: number;
}

/** Writes the backup to `path`, completely or not at all. */
export function writeBackup(path: string, parts: BackupParts): Promise<BackupSummary> {
  return inSnapshot(parts.url, (snapshot) => writeArchive(path, (archive) => fillBackup(archive, snapshot, parts)));
}

async function fillBackup(archive: ArchiveWriter, snapshot: Snapshot, parts: BackupParts): Promise<BackupSummary> {
  const { migrations, keyCheck, tables } = snapshot;
  const { version, key, now } = parts;
  const header: BackupHeader = {
    format: BACKUP_FORMAT,
    version,
    madeAt: new Date(now).toISOString(),
    migrations,
    keyCheck,
    tables,
  };
  await archive.add("header.json", jsonFile(header));
  if (key !== null) await archive.add("key", Buffer.from(`${Buffer.from(key).toString("base64")}\n`));
  const rows: Record<string, number> = {};
  for (const table of tables) rows[table.name] = await addRows(archive, table, await snapshot.rows(table));
  const files = await addFiles(archive, snapshot, parts.blobs, blobName);
  const summary: BackupSummary = { rows, ...files };
  await archive.add("summary.json", jsonFile(summary));
  return summary;
}

/** Returns the number of rows. */
async function addRows(
  archive: ArchiveWriter,
  { name }: CopiedTable,
  copied: AsyncIterable<Uint8Array>,
): Promise<number> {
  let rows = 0;
  let number = 0;
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  const add = async (): Promise<void> => {
    if (bytes === 0) return;
    await archive.add(`database/${name}/${String(++number).padStart(6, "0")}`, Buffer.concat(pieces));
    pieces = [];
    bytes = 0;
  };
  for await (const piece of copied) {
    // Copied, because the driver reuses its buffer.
    pieces.push(Buffer.from(piece));
    rows += lineFeedsIn(piece);
    bytes += piece.length;
    if (bytes >= ROWS_FILE_BYTES) await add();
  }
  await add();
  return rows;
}

function lineFeedsIn(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) count++;
  return count;
}

/** Adds the content of files, each under the name that `nameOf` gives it. */
export async function addFiles(
  archive: ArchiveWriter,
  snapshot: Pick<Snapshot, "contents">,
  blobs: BackupParts["blobs"],
  nameOf: (content: Content) => string,
): Promise<Omit<BackupSummary, "rows">> {
  let files = 0;
  let fileBytes = 0;
  const missingFiles: string[] = [];
  for await (const contents of snapshot.contents()) {
    for (const content of contents) {
      const [size, found] = [await blobs.size(content), await blobs.read(content)];
      if (size === null || found === null) {
        missingFiles.push(nameOf(content));
        continue;
      }
      await archive.stream(`files/${nameOf(content)}`, size, found instanceof Blob ? found.stream() : found);
      files++;
      fileBytes += size;
    }
  }
  return { files, fileBytes, missingFiles };
}

export const jsonFile = (value: object): Uint8Array => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);

/** Reads the header and the key of a backup. Throws `AdminRefused` if the file is not a backup. */
export async function readBackupHead(
  path: string,
): Promise<{ readonly header: BackupHeader; readonly key: Uint8Array | null }> {
  if (!existsSync(path)) throw new AdminRefused(`There is no file ${path}`);
  let header: BackupHeader | null = null;
  try {
    for await (const file of readArchive(path)) {
      if (header === null) {
        if (file.name !== "header.json") break;
        header = parsedJson<BackupHeader>(await wholeFile(file));
        // An export (`organization-export.ts`) begins in the same way.
        if ("organization" in header)
          throw new AdminRefused(`${path} is an export of an organization; only a backup can be restored`);
        if (header.format !== BACKUP_FORMAT) break;
      } else {
        const key = file.name === "key" ? Buffer.from(Buffer.from(await wholeFile(file)).toString(), "base64") : null;
        return { header, key };
      }
    }
  } catch (cause) {
    if (cause instanceof AdminRefused) throw cause;
    if (cause instanceof Error && "syscall" in cause)
      throw new AdminRefused(`${path} cannot be read: ${cause.message}`);
    if (header !== null) throw new AdminRefused(`${path} is a damaged backup: ${String(cause)}`, { cause });
  }
  throw new AdminRefused(
    header === null ? `${path} is not a backup of Troupe` : `${path} is a backup that this version cannot read`,
  );
}

export interface RestoreParts {
  /** Of an empty database. */
  readonly url: string;
  readonly blobs: Pick<BlobStore, "put">;
  /** Receives content; on the same file system as the store. */
  readonly staging: string;
}

/** Loads the backup at `path`: all of its rows or none. Throws `AdminRefused` if it is damaged. */
export async function loadBackup(path: string, header: BackupHeader, parts: RestoreParts): Promise<BackupSummary> {
  await mkdir(parts.staging, { recursive: true, mode: 0o700 });
  try {
    return await loadDatabase(parts.url, header.migrations, (loading) => loadRows(path, header, { ...parts, loading }));
  } catch (cause) {
    if (cause instanceof NotEmpty) throw new AdminRefused(`${cause.message}: a backup is restored into an empty one.`);
    if (cause instanceof AdminRefused) throw cause;
    throw new AdminRefused(`The backup could not be restored: ${String(cause)}`, { cause });
  }
}

async function loadRows(
  path: string,
  { tables }: BackupHeader,
  parts: RestoreParts & { readonly loading: Loading },
): Promise<BackupSummary> {
  const loader = new TableLoader(parts.loading);
  const rows: Record<string, number> = Object.fromEntries(tables.map(({ name }) => [name, 0]));
  let files = 0;
  try {
    for await (const file of readArchive(path)) {
      const [kind, name = ""] = file.name.split("/");
      if (kind === "database") {
        const table = tables.find((each) => each.name === name);
        if (table === undefined) throw new AdminRefused(`The backup is damaged: it has no entry for the table ${name}`);
        rows[name] = (rows[name] ?? 0) + (await pour(file, await loader.into(table)));
        continue;
      }
      await loader.close();
      if (kind === "files") {
        await loadFile(file, parts);
        files++;
      } else if (file.name === "summary.json") {
        const summary = parsedJson<BackupSummary>(await wholeFile(file));
        const isWhole = summary.files === files && tables.every((each) => rows[each.name] === summary.rows[each.name]);
        if (!isWhole) throw new AdminRefused("The backup is damaged: its content does not match its summary");
        return summary;
      } else for await (const _ of file.content);
    }
    throw new AdminRefused("The backup was cut off: it has no summary");
  } catch (cause) {
    throw loader.abandon(cause);
  }
}

/** Keeps one table open at a time. */
class TableLoader {
  private readonly loading: Loading;
  private open: { readonly table: CopiedTable; readonly into: Writable } | null = null;
  private readonly cause = new FirstCause();
  private hasFailed = false;

  constructor(loading: Loading) {
    this.loading = loading;
  }

  async into(table: CopiedTable): Promise<Writable> {
    if (this.open?.table === table) return this.open.into;
    await this.close();
    const into = await this.loading.rows(table);
    // The database's refusal may arrive when nothing awaits it.
    into.on("error", (cause: Error) => {
      this.hasFailed = true;
      this.cause.note(cause);
    });
    this.open = { table, into };
    return into;
  }

  async close(): Promise<void> {
    const { open } = this;
    this.open = null;
    if (open === null) return;
    if (this.hasFailed) throw new Error("the database has refused rows");
    open.into.end();
    await once(open.into, "finish");
  }

  /** Ends an open COPY, because nothing can be rolled back during one. Returns why the load failed. */
  abandon(cause: unknown): unknown {
    const why = this.cause.of(cause);
    this.open?.into.destroy(why instanceof Error ? why : new Error(String(why)));
    return why;
  }
}

async function pour({ content }: ArchivedFile, into: Writable): Promise<number> {
  let rows = 0;
  for await (const piece of content) {
    rows += lineFeedsIn(piece);
    // After a failure there is no `drain` any more; then the write itself fails.
    await new Promise<void>((resolve, reject) => {
      into.write(piece, (cause) => (cause instanceof Error ? reject(cause) : resolve()));
    });
  }
  return rows;
}

/** Stores content only under its own digest. */
async function loadFile({ name, content }: ArchivedFile, { blobs, staging }: RestoreParts): Promise<void> {
  const [, organizationId = "", , sha256 = ""] = name.split("/");
  const key: BlobKey = { organizationId, sha256 };
  if (`files/${blobName(key)}` !== name) throw new AdminRefused(`The backup is damaged at ${name}`);
  const path = join(staging, randomUUID());
  const hash = createHash("sha256");
  const writer = Bun.file(path).writer();
  try {
    for await (const piece of content) {
      hash.update(piece);
      await writer.write(piece);
      await writer.flush();
    }
    await writer.end();
    if (hash.digest("hex") !== sha256) throw new AdminRefused(`The backup is damaged: ${name} has other content`);
    await sync(path);
    await blobs.put(key, path);
  } finally {
    await rm(path, { force: true });
  }
}

const parsedJson = <T>(bytes: Uint8Array): T => JSON.parse(Buffer.from(bytes).toString()) as T;
