/**
 * All data of one organization, in one archive, for its own use or for another service:
 *
 *   header.json                    the organization, and when the export was made
 *   records/<table>/<number>.jsonl its records, one per line, in pieces of some megabytes
 *   people/<number>.jsonl          how its people sign in, without credentials
 *   files/<digest>                 content, by its SHA-256; the records of `workspace_place` say which paths have it
 *   summary.json                   counts of records and files; an export without it was cut off
 *
 * It is one snapshot. It holds no secret, and nothing that reveals a token or a password.
 */
import type { BlobStore } from "../../actors/workspace/ports.ts";
import { inOrganization, type OrganizationSnapshot } from "../../db/organization-export.ts";
import { type ArchiveWriter, writeArchive } from "../archive/archive.ts";
import { AdminRefused } from "./arguments.ts";
import { addFiles, jsonFile } from "./backup.ts";

/** Raise it when the layout changes. */
const EXPORT_FORMAT = 1;
/** Size of one file of records. */
const PIECE_CHARACTERS = 4 * 1024 * 1024;

export interface OrganizationExportParts {
  readonly url: string;
  readonly organizationId: string;
  readonly blobs: Pick<BlobStore, "size" | "read">;
  readonly version: string;
  readonly now: number;
}

export interface ExportSummary {
  /** Records of each table. */
  readonly rows: Readonly<Record<string, number>>;
  readonly files: number;
  /** Digests that records refer to but the store does not have. */
  readonly missingFiles: readonly string[];
}

/** Writes the export to `path`, completely or not at all. Throws `AdminRefused` for an unknown organization. */
export const writeExport = (path: string, parts: OrganizationExportParts): Promise<ExportSummary> =>
  inOrganization(parts.url, parts.organizationId, (snapshot) => {
    if (snapshot.organization === null) throw new AdminRefused(`There is no organization ${parts.organizationId}`);
    return writeArchive(path, (archive) => fillExport(archive, snapshot, parts));
  });

async function fillExport(
  archive: ArchiveWriter,
  snapshot: OrganizationSnapshot,
  { blobs, version, now }: OrganizationExportParts,
): Promise<ExportSummary> {
  const { organization, tables } = snapshot;
  await archive.add(
    "header.json",
    jsonFile({ format: EXPORT_FORMAT, version, madeAt: new Date(now).toISOString(), organization }),
  );
  const rows: Record<string, number> = {};
  for (const table of tables) rows[table] = await addLines(archive, `records/${table}`, snapshot.records(table));
  rows["account"] = await addLines(archive, "people", snapshot.people());
  const { files, missingFiles } = await addFiles(archive, snapshot, blobs, ({ sha256 }) => sha256);
  const summary: ExportSummary = { rows, files, missingFiles };
  await archive.add("summary.json", jsonFile(summary));
  return summary;
}

/** Returns the number of lines. */
async function addLines(
  archive: ArchiveWriter,
  folder: string,
  pages: AsyncIterable<readonly unknown[]>,
): Promise<number> {
  let count = 0;
  let number = 0;
  let text = "";
  const add = async (): Promise<void> => {
    if (text === "") return;
    await archive.add(`${folder}/${String(++number).padStart(6, "0")}.jsonl`, Buffer.from(text));
    text = "";
  };
  for await (const page of pages) {
    for (const record of page) {
      text += `${JSON.stringify(record)}\n`;
      if (text.length >= PIECE_CHARACTERS) await add();
    }
    count += page.length;
  }
  await add();
  return count;
}
