/** Operations on the files of a workspace: read, write, delete, and directories. */
import { invalid, notFound, ok, type Outcome, refuse } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { keepVersion, tellChange } from "./change.ts";
import type { WorkspaceLimits } from "./limits.ts";
import { unlessMounted, unlessReadOnly } from "./mounts.ts";
import { joinedPath } from "./path.ts";
import type { Precondition, WorkspaceProtocol } from "./protocol.ts";
import {
  type StoredContent,
  deletedDirectoryTable,
  type DirectoryNode,
  type DirectoryPlace,
  type FileNode,
  type FilePlace,
  NO_TOTALS,
  type TreePlace,
  textTable,
} from "./schema.ts";
import {
  countInDirectories,
  countNew,
  inTheWay,
  isDirectory,
  isFile,
  makeWay,
  negateTotals,
  placeAt,
  putAt,
  room,
  vacate,
  type ResolvedPath,
  resolvePath,
} from "./tree.ts";

type FileCommand = "read_totals" | "read_place" | "read_history" | "write_file" | "make_directory" | "delete_place";
type WriteFileCommand = Extract<WorkspaceProtocol["command"], { readonly kind: "write_file" }>;

export const fileCommandHandlers = (limits: WorkspaceLimits): Pick<Handlers<WorkspaceProtocol>, FileCommand> => ({
  read_totals(tx) {
    const { bytes, files, directories } = rootTotals(tx);
    return ok({ bytes, files, directories });
  },

  read_place(tx, { path }) {
    const found = placeAt(tx, path);
    return found.ok ? ok({ path: joinedPath(found.value.way.names).text, place: found.value.place }) : found;
  },

  read_history(tx, { path }) {
    const way = resolvePath(tx, path);
    const node = way.ok ? way.value.last?.node : undefined;
    if (node === undefined || node.kind === "directory" || node.id === null) return notFound("file");
    const current = way.ok && isFile(way.value.last) ? way.value.last : null;
    return ok({ fileId: node.id, number: node.number, current });
  },

  write_file: (tx, command) => writeFile(tx, command, limits),

  make_directory(tx, { path, cause }) {
    const way = resolvePath(tx, path);
    if (!way.ok) return way;
    const { last, names } = way.value;
    const text = joinedPath(names).text;
    if (isFile(last)) return inTheWay(text, "file");
    if (isDirectory(last)) return ok({ path: text, place: last, isNew: false });
    const open = unlessReadOnly(tx, path, cause);
    if (!open.ok) return open;
    const delta = { ...NO_TOTALS, directories: way.value.missing.length };
    const fits = room(tx, delta, limits.workspaceBytes);
    if (!fits.ok) return fits;
    const directories = makeWay(tx, way.value);
    const node: DirectoryNode = { kind: "directory", id: tx.id("dir"), ...NO_TOTALS };
    const place = putAt(tx, way.value, { directory: directories.at(-1)!, name: names.at(-1)! }, node) as DirectoryPlace;
    countNew(tx, way.value, directories, { ...NO_TOTALS, directories: 1 });
    if (cause.tells) tellChange(tx, cause.by, { path: text, change: "created" });
    return ok({ path: text, place, isNew: true });
  },

  delete_place(tx, { path, isRecursive, precondition, cause }) {
    if (path.names.length === 0) return invalid("/path", "The workspace itself cannot be deleted this way");
    const found = placeAt(tx, path);
    if (!found.ok) return found;
    const { way, place } = found.value;
    const meets = checkPrecondition(precondition, place, joinedPath(way.names).text);
    if (!meets.ok) return meets;
    const open = unlessMounted(tx, path, cause);
    if (!open.ok) return open;
    const text = joinedPath(way.names).text;
    if (isDirectory(place) && !isRecursive && place.node.files + place.node.directories > 0)
      return refuse({ kind: "path_exists", path: text, message: `The directory \`${text}\` is not empty` });
    removePlace(tx, way, place);
    if (cause.tells) tellChange(tx, cause.by, { path: text, change: "deleted" });
    return ok({ path: text, place });
  },
});

const rootTotals = (tx: Tx) => {
  const root = placeAt(tx, { text: "", names: [] });
  return root.ok && isDirectory(root.value.place) ? root.value.place.node : NO_TOTALS;
};

function writeFile(
  tx: Tx,
  command: WriteFileCommand,
  limits: WorkspaceLimits,
): Outcome<WorkspaceProtocol["replies"]["write_file"]> {
  const { path, content, precondition, cause } = command;
  if (content.size > limits.fileBytes) return refuse({ kind: "payload_too_large", limitBytes: limits.fileBytes });
  const way = resolvePath(tx, path);
  if (!way.ok) return way;
  const { last, names } = way.value;
  const text = joinedPath(names).text;
  if (isDirectory(last)) return inTheWay(text, "directory");
  const open = unlessReadOnly(tx, path, cause);
  if (!open.ok) return open;
  const meets = checkPrecondition(precondition, last, text);
  if (!meets.ok) return meets;
  // Writing the same content changes nothing, so a retry creates no second version.
  if (isFile(last) && isSameContent(last.node, content))
    return ok({ path: text, place: last, isNew: false, isUnchanged: true });
  const before = isFile(last) ? { bytes: last.node.size, files: 1 } : { bytes: 0, files: 0 };
  const made = way.value.missing.length === 0 ? 0 : way.value.missing.length - 1;
  const delta = { bytes: content.size - before.bytes, files: 1 - before.files, directories: made };
  const fits = room(tx, delta, limits.workspaceBytes);
  if (!fits.ok) return fits;
  const directories = makeWay(tx, way.value);
  if (isFile(last)) keepVersion(tx, last.node);
  const node = fileNode(tx, last, content, cause.by);
  const place = putAt(tx, way.value, { directory: directories.at(-1)!, name: names.at(-1)! }, node) as FilePlace;
  countNew(tx, way.value, directories, { ...delta, directories: 0 });
  index(tx, { fileId: node.id, isNew: node.number === 1 }, command.text);
  if (cause.tells) tellChange(tx, cause.by, { path: text, change: isFile(last) ? "updated" : "created", node });
  return ok({ path: text, place, isNew: !isFile(last), isUnchanged: false });
}

const isSameContent = (file: StoredContent, content: StoredContent): boolean =>
  file.sha256 === content.sha256 && file.size === content.size && file.mime === content.mime;

/** The file continues an earlier file at this place; version numbers are never reused. */
function fileNode(tx: Tx, last: TreePlace | null, content: StoredContent, by: FileNode["by"]): FileNode {
  const former = last !== null && last.node.kind !== "directory" && last.node.id !== null ? last.node : null;
  const { sha256, size, mime } = content;
  const at = isoTime(tx.now);
  const number = (former?.number ?? 0) + 1;
  return { kind: "file", id: former?.id ?? tx.id("fil"), sha256, size, mime, number, by, at };
}

/** Removes what is at a place. The content of a file is kept as a version; a directory is left to the sweep. */
export function removePlace(tx: Tx, way: ResolvedPath, place: FilePlace | DirectoryPlace): void {
  if (isFile(place)) {
    keepVersion(tx, place.node);
    index(tx, { fileId: place.node.id, isNew: false }, null);
    vacate(tx, place, { id: place.node.id, number: place.node.number });
    countInDirectories(tx, way.directories, { bytes: -place.node.size, files: -1, directories: 0 });
    return;
  }
  const { node } = place;
  if (isDirectory(place)) {
    tx.create(deletedDirectoryTable, { id: node.id, workspaceId: tx.self.id, deletedAt: isoTime(tx.now) });
    vacate(tx, place, { id: null, number: 0 });
    const gone = negateTotals(place.node);
    countInDirectories(tx, way.directories, { ...gone, directories: gone.directories - 1 });
  }
}

/** The text of a file for the search; null removes it from the index. */
export function index(
  tx: Tx,
  { fileId, isNew }: { readonly fileId: string; readonly isNew: boolean },
  text: string | null,
): void {
  const former = isNew ? null : tx.read(textTable, fileId);
  if (former !== null) tx.update(textTable, { ...former, text: text ?? "" });
  else if (text !== null) tx.create(textTable, { id: fileId, workspaceId: tx.self.id, text });
}

/** Whether the caller has read the current content. */
function checkPrecondition(precondition: Precondition, place: TreePlace | null, path: string): Outcome<null> {
  const file = isFile(place) ? place.node : null;
  switch (precondition.kind) {
    case "none":
      return ok(null);
    case "absent":
      return file === null ? ok(null) : inTheWay(path, "file");
    case "present":
      if (file === null) return refuse({ kind: "version_conflict", version: 0 });
      return precondition.sha256 === null || precondition.sha256.includes(file.sha256)
        ? ok(null)
        : refuse({ kind: "version_conflict", version: file.number });
  }
}
