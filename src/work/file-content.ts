/** Finds the content of a workspace's file, current or of an earlier version. */
import { notFound, ok, type Outcome } from "../../actors/fault.ts";
import type { Clock } from "../../actors/runtime/ports.ts";
import { isoTime } from "../../actors/schema.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import type { FileDirectory } from "../../actors/workspace/directory.ts";
import type { FilePath } from "../../actors/workspace/path.ts";
import type { Found } from "../../actors/workspace/protocol.ts";
import { type StoredContent, type FilePlace, workspaceRef } from "../../actors/workspace/schema.ts";
import type { ReadCommitted } from "../log/look-up.ts";

export interface FileParts {
  readonly system: TroupeSystem;
  readonly files: Pick<FileDirectory, "listVersions">;
  readonly clock: Pick<Clock, "now">;
  readonly readCommitted: ReadCommitted;
}

interface FileAt {
  readonly organizationId: string;
  readonly id: string;
  readonly path: FilePath;
}

/** The file at a path of the workspace. */
export async function fileAt(
  { system }: Pick<FileParts, "system">,
  { organizationId, id, path }: FileAt,
): Promise<Outcome<Found<FilePlace>>> {
  const found = await system.dispatch(workspaceRef(organizationId, id), { kind: "read_place", path });
  if (!found.ok) return found;
  const { place } = found.value;
  return place.node.kind === "file" ? ok({ path: found.value.path, place: place as FilePlace }) : notFound("file");
}

/** The current content of a file, or that of one of its versions. */
export async function contentAt(
  parts: FileParts,
  { number, ...at }: FileAt & { readonly number: number | undefined },
): Promise<Outcome<StoredContent & { readonly number: number }>> {
  if (number === undefined) {
    const found = await fileAt(parts, at);
    return found.ok ? ok(found.value.place.node) : found;
  }
  const { system, files, clock, readCommitted } = parts;
  const { organizationId, id, path } = at;
  const history = await system.dispatch(workspaceRef(organizationId, id), { kind: "read_history", path });
  if (!history.ok) return history;
  const { current, fileId } = history.value;
  if (current?.node.number === number) return ok(current.node);
  const kept = await readCommitted(organizationId, () =>
    files.listVersions(organizationId, fileId, isoTime(clock.now())),
  );
  if (!kept.ok) return kept;
  const version = kept.value.find((one) => one.number === number);
  return version === undefined ? notFound("file") : ok(version);
}
