/** Earlier versions of a file: kept for some time, so that they can be read back. */
import type { Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { MAX_VERSIONS, VERSION_MS } from "./limits.ts";
import { type FileNode, versionTable } from "./schema.ts";

/** Keeps the file's version before it is overwritten or deleted. The oldest is dropped when there are too many. */
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
