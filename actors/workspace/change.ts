/** The event of a change without a request: an agent's (`workspace_file.changed`, HOOK-4). */
import type { Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { takeEvent, webhookRef } from "../webhook/events.ts";
import type { Author, FileNode } from "./schema.ts";

interface Change {
  readonly path: string;
  readonly change: "created" | "updated" | "deleted" | "moved";
  readonly node?: FileNode;
  /** The former path of a moved file. */
  readonly from?: string;
}

export function tellChange(tx: Tx, by: Author, { path, change, node, from }: Change): void {
  // A clone reports all its changes at once.
  if (by.type === "repository") return;
  const { id, organizationId } = tx.self;
  const file = node === undefined ? {} : { size: node.size, mime: node.mime, sha256: node.sha256, number: node.number };
  tx.send(
    webhookRef(organizationId),
    takeEvent({
      type: "workspace_file.changed",
      source: "job_lifecycle",
      at: isoTime(tx.now),
      actor: { type: by.type, id: by.id },
      requestId: null,
      resource: { type: "workspace", id, path: `/api/workspaces/${id}`, version: null },
      data: { workspace_id: id, path, change, ...file, ...(from === undefined ? {} : { from }) },
      isTruncated: false,
      changes: [],
    }),
  );
}
