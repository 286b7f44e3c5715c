/** Moves files and directories; the contents of a directory move with it unchanged. */
import { invalid, mapOutcome, ok, type Outcome, refuse } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { keepVersion, tellChange } from "./change.ts";
import { index, removePlace } from "./files.ts";
import type { WorkspaceLimits } from "./limits.ts";
import { unlessMounted, unlessReadOnly } from "./mounts.ts";
import { type FilePath, isPathWithin, type PathName, joinedPath } from "./path.ts";
import type { Found, WorkspaceCommand, WorkspaceProtocol } from "./protocol.ts";
import { type DirectoryPlace, type FilePlace, NO_TOTALS, placeTable, textTable, type Totals } from "./schema.ts";
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

type Move = Extract<WorkspaceCommand, { readonly kind: "move_place" }>;

export const moveHandlers = (limits: WorkspaceLimits): Pick<Handlers<WorkspaceProtocol>, "move_place"> => ({
  move_place(tx, command) {
    const { from, to, overwrite, seen, cause } = command;
    const refused = checkPaths(from, to);
    if (refused !== null) return refused;
    const source = placeAt(tx, from);
    if (!source.ok) return source;
    const target = resolvePath(tx, to);
    if (!target.ok) return target;
    const free = unlessMounted(tx, from, cause);
    if (!free.ok) return free;
    const open = unlessReadOnly(tx, to, cause);
    if (!open.ok) return open;
    const { place, way } = source.value;
    if (seen !== null && seen !== place.version) return CHANGED;
    const path = joinedPath(way.names).text;
    if (target.value.last?.id === place.id && path === joinedPath(to.names).text)
      return ok({ path, place, isUnchanged: true });
    const moved = move(tx, { place, way, target: target.value, name: to.names.at(-1)!, overwrite, cause }, limits);
    if (moved.ok && cause.tells) tellChange(tx, cause.by, { path: moved.value.path, change: "moved", from: path });
    return mapOutcome(moved, (found) => ({ ...found, isUnchanged: false }));
  },
});

/** Its caller looks again. */
const CHANGED = refuse({ kind: "unavailable", retryAfterMs: 1_000 });

interface Moving extends Pick<Move, "overwrite" | "cause"> {
  readonly place: FilePlace | DirectoryPlace;
  /** The current place. */
  readonly way: ResolvedPath;
  readonly target: ResolvedPath;
  /** As the caller gave it: perhaps only its case changes. */
  readonly name: PathName;
}

function move(tx: Tx, moving: Moving, limits: WorkspaceLimits): Outcome<Found> {
  const { place, way, target, name, overwrite } = moving;
  const path = joinedPath([...target.names.slice(0, -1), name]).text;
  const { last } = target;
  const there = last !== null && last.node.kind !== "vacant" ? last : null;
  if (there?.id === place.id) {
    const renamed = tx.update(placeTable, { ...place, name: name.name });
    return ok({ path, place: renamed as FilePlace | DirectoryPlace });
  }
  if (there !== null) {
    if (!overwrite || there.node.kind !== place.node.kind) return inTheWay(path, isFile(there) ? "file" : "directory");
    if (isFile(there) && isFile(place)) return ok({ path, place: replace(tx, moving, there) });
    if (isDirectory(there) && there.node.files + there.node.directories > 0)
      return refuse({ kind: "path_exists", path, message: `The directory \`${path}\` is not empty` });
  }
  const made = Math.max(0, target.missing.length - 1);
  const fits = room(tx, { ...NO_TOTALS, directories: made }, limits.workspaceBytes);
  if (!fits.ok) return fits;
  if (there !== null) removePlace(tx, target, there as DirectoryPlace);
  vacate(tx, place, { id: null, number: 0 });
  const totals = placeTotals(place);
  countInDirectories(tx, way.directories, negateTotals(totals));
  const directories = makeWay(tx, target);
  const put = putAt(tx, target, { directory: directories.at(-1)!, name }, place.node) as FilePlace | DirectoryPlace;
  countNew(tx, target, directories, totals);
  return ok({ path, place: put });
}

/** A file that replaces another becomes its next version, so that the overwritten content can be read back. */
function replace(tx: Tx, { place, way, target, cause }: Moving, there: FilePlace): FilePlace {
  const { sha256, size, mime } = place.node as FilePlace["node"];
  const text = tx.read(textTable, (place.node as FilePlace["node"]).id)?.text ?? null;
  removePlace(tx, way, place);
  keepVersion(tx, there.node);
  const { id, number } = there.node;
  const node = { ...there.node, id, sha256, size, mime, number: number + 1, by: cause.by, at: isoTime(tx.now) };
  index(tx, { fileId: id, isNew: false }, text);
  countInDirectories(tx, target.directories, { ...NO_TOTALS, bytes: size - there.node.size });
  return tx.update(placeTable, { ...there, node }) as FilePlace;
}

function checkPaths(from: FilePath, to: FilePath): Outcome<never> | null {
  if (from.names.length === 0 || to.names.length === 0) return invalid("/from", "The workspace itself cannot be moved");
  if (to.names.length <= from.names.length || !isPathWithin(to, from)) return null;
  const message = "`to` is below `from`; a directory cannot be moved into itself";
  return refuse({ kind: "invalid_path", field: "to", message });
}

/** What a place counts in its directories. */
const placeTotals = ({ node }: FilePlace | DirectoryPlace): Totals =>
  node.kind === "directory"
    ? { bytes: node.bytes, files: node.files, directories: node.directories + 1 }
    : { bytes: node.size, files: 1, directories: 0 };
