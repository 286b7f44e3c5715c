/**
 * The results of changing a file: its earlier version and, for an agent's change, an event (`workspace_file.changed`,
 * HOOK-4).
 */
import type { Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { sendNews } from "../webhook/events.ts";
import { type Author, type FileNode, versionTable } from "./schema.ts";
import { MAX_VERSIONS, VERSION_MS } from "./limits.ts";

interface FileChange {
  readonly path: string;
  readonly change: "created" | "updated" | "deleted" | "moved";
  readonly node?: FileNode;
  /** The former path of a moved file. */
  readonly from?: string;
}

export function tellChange(tx: Tx, by: Author, { path, change, node, from }: FileChange): void {
  // A clone reports all its changes at once.
  if (by.type === "repository") return;
  const { id } = tx.self;
  const file = node === undefined ? {} : { size: node.size, mime: node.mime, sha256: node.sha256, number: node.number };
  sendNews(tx, {
    type: "workspace_file.changed",
    actor: { type: by.type, id: by.id },
    resource: { type: "workspace", id, path: `/api/workspaces/${id}`, version: null },
    data: { workspace_id: id, path, change, ...file, ...(from === undefined ? {} : { from }) },
  });
}

/**
 * Keeps the file's version for some time before it is overwritten or deleted, so that it can be read back. The oldest
 * is dropped when there are too many.
 */
export function keepVersion(tx: Tx, { id: fileId, sha256, size, mime, number, by, at }: FileNode): void {
  const written = { sha256, size, mime, number, by, at };
  const id = `${fileId}/${written.number}`;
  const keptUntil = isoTime(tx.now + VERSION_MS);
  const former = tx.read(versionTable, id);
  // If the file was deleted and written again, its number is kept already.
  if (former === null) tx.create(versionTable, { id, workspaceId: tx.self.id, fileId, ...written, keptUntil });
  else tx.update(versionTable, { ...former, ...written, keptUntil });
  const oldest = tx.read(versionTable, `${fileId}/${written.number - MAX_VERSIONS}`);
  if (oldest !== null) tx.update(versionTable, { ...oldest, keptUntil: isoTime(tx.now) });
}
