/**
 * Resolves paths from the root of a workspace, and applies changes along them. Every directory counts what is below it.
 * So a change of one place changes its directories up to the root, and deleting or moving a directory reads none of the
 * places below.
 */
import { assert } from "../assert.ts";
import { invalid, notFound, ok, type Outcome, refuse } from "../fault.ts";
import type { NewRecord, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { MAX_PLACES } from "./limits.ts";
import { type FilePath, type PathName, joinedPath } from "./path.ts";
import {
  type DirectoryNode,
  type DirectoryPlace,
  type FilePlace,
  NO_TOTALS,
  type TreePlace,
  placeTable,
  type Totals,
} from "./schema.ts";

/** A resolved path. */
export interface ResolvedPath {
  /** Its existing directories, from the root on. Never empty. */
  readonly directories: readonly DirectoryPlace[];
  /** Names without a directory yet, up to and including the last name of the path. */
  readonly missing: readonly PathName[];
  /** The existing names as they are stored. */
  readonly names: readonly PathName[];
  /** The place of the last name, even if vacant; null if it does not exist, and for the root. */
  readonly last: TreePlace | null;
  /** The vacant place of the first missing name; null if nothing ever was there. */
  readonly gap: TreePlace | null;
}

export const isFile = (place: TreePlace | null): place is FilePlace => place?.node.kind === "file";
export const isDirectory = (place: TreePlace | null): place is DirectoryPlace => place?.node.kind === "directory";

const placeId = (directoryId: string, { key }: PathName): string => `${directoryId}/${key}`;

/** The root of a workspace is a place without a name; it is stored when the first place below it is created. */
export function rootOf(tx: Tx): DirectoryPlace {
  const { id, organizationId } = tx.self;
  const root = tx.read(placeTable, id);
  if (isDirectory(root)) return root;
  const now = isoTime(tx.now);
  const node: DirectoryNode = { kind: "directory", id, ...NO_TOTALS };
  return { ...ROOT_PLACE, id, organizationId, workspaceId: id, node, createdAt: now, updatedAt: now };
}
const UNSTORED = 0;
const ROOT_PLACE = { version: UNSTORED, directoryId: "", name: "" };

/** Resolves a path. Refuses `path_exists` if a file is in the way. */
export function resolvePath(tx: Tx, { names }: FilePath): Outcome<ResolvedPath> {
  const directories = [rootOf(tx)];
  const stored: PathName[] = [];
  for (const [i, name] of names.entries()) {
    const directory = directories.at(-1)!;
    const place = tx.read(placeTable, placeId(directory.node.id, name));
    const isLast = i === names.length - 1;
    const isThere = place !== null && place.node.kind !== "vacant";
    stored.push(isThere ? { name: place.name, key: name.key } : name);
    const gap = isThere ? null : place;
    if (isLast) return ok({ directories, missing: isThere ? [] : [name], names: stored, last: place, gap });
    if (isFile(place)) return inTheWay(joinedPath(stored).text, "file");
    if (!isDirectory(place)) {
      const missing = names.slice(i);
      return ok({ directories, missing, names: [...stored, ...missing.slice(1)], last: null, gap });
    }
    directories.push(place);
  }
  return ok({ directories, missing: [], names: stored, last: null, gap: null });
}

export const inTheWay = (path: string, kind: "file" | "directory"): Outcome<never> =>
  refuse({ kind: "path_exists", path, message: `There is a ${kind} at \`${path}\`` });

/** The file or directory at a path. */
export function placeAt(
  tx: Tx,
  path: FilePath,
): Outcome<{ readonly way: ResolvedPath; readonly place: FilePlace | DirectoryPlace }> {
  const way = resolvePath(tx, path);
  // Nothing exists below a file.
  if (!way.ok) return notFound("file");
  const { last, directories } = way.value;
  if (path.names.length === 0) return ok({ way: way.value, place: directories[0]! });
  return isFile(last) || isDirectory(last) ? ok({ way: way.value, place: last }) : notFound("file");
}

/** Creates the missing directories before the last name; returns all of them, from the root on. */
export function makeWay(tx: Tx, way: ResolvedPath): readonly DirectoryPlace[] {
  const directories = [...way.directories];
  const root = directories[0]!;
  if (root.version === UNSTORED) {
    const { id, workspaceId, directoryId, name, node } = root;
    directories[0] = tx.create(placeTable, { id, workspaceId, directoryId, name, node }) as DirectoryPlace;
  }
  for (const [i, name] of way.missing.slice(0, -1).entries()) {
    const node: DirectoryNode = { kind: "directory", id: tx.id("dir"), ...NO_TOTALS };
    const place = fillPlace(tx, { directory: directories.at(-1)!, name, former: i === 0 ? way.gap : null }, node);
    directories.push(place as DirectoryPlace);
  }
  return directories;
}

/** Puts a node at the end of a path whose directories exist, replacing any previous one. */
export function putAt(
  tx: Tx,
  { missing, last, gap }: ResolvedPath,
  { directory, name }: { readonly directory: DirectoryPlace; readonly name: PathName },
  node: TreePlace["node"],
): TreePlace {
  const former = missing.length === 0 ? last : missing.length === 1 ? gap : null;
  return fillPlace(tx, { directory, name, former }, node);
}

interface Spot {
  readonly directory: DirectoryPlace;
  readonly name: PathName;
  /** The place as it was read; null for a directory that this turn has created, because each run draws a new id. */
  readonly former: TreePlace | null;
}

function fillPlace(tx: Tx, { directory, name, former }: Spot, node: TreePlace["node"]): TreePlace {
  const now = former === null ? null : tx.read(placeTable, former.id);
  if (now !== null) return tx.update(placeTable, { ...now, name: name.name, node });
  const directoryId = directory.node.id;
  const place: NewRecord<TreePlace> = {
    id: placeId(directoryId, name),
    workspaceId: tx.self.id,
    directoryId,
    name: name.name,
    node,
  };
  return tx.create(placeTable, place);
}

/** Empties a place. */
export function vacate(tx: Tx, place: TreePlace, keeps: { readonly id: string | null; readonly number: number }): void {
  tx.update(placeTable, { ...place, node: { kind: "vacant", ...keeps, since: isoTime(tx.now) } });
}

/** Adds to the totals of directories. They are read again, because the turn may have changed them. */
export function countInDirectories(tx: Tx, directories: readonly DirectoryPlace[], delta: Totals): void {
  for (const { id } of directories) {
    const place = tx.read(placeTable, id);
    assert(isDirectory(place), "a directory is there while something below it changes");
    tx.update(placeTable, { ...place, node: { ...place.node, ...addTotals(place.node, delta) } });
  }
}

const addTotals = (a: Totals, b: Totals): Totals => ({
  bytes: a.bytes + b.bytes,
  files: a.files + b.files,
  directories: a.directories + b.directories,
});
export const negateTotals = ({ bytes, files, directories }: Totals): Totals => ({
  bytes: -bytes,
  files: -files,
  directories: -directories,
});

/**
 * Adds what was put below the last directory of a path to the totals of each directory above it, including directories
 * that were created on the way.
 */
export function countNew(tx: Tx, way: ResolvedPath, directories: readonly DirectoryPlace[], delta: Totals): void {
  const existing = way.directories.length;
  for (const [i, directory] of directories.entries()) {
    const made = directories.length - Math.max(i + 1, existing);
    countInDirectories(tx, [directory], { ...delta, directories: delta.directories + made });
  }
}

/** Whether the workspace has room for more; deletes always have room. */
export function room(tx: Tx, delta: Totals, workspaceBytes: number): Outcome<null> {
  const { bytes, files, directories } = rootOf(tx).node;
  if (delta.bytes > 0 && bytes + delta.bytes > workspaceBytes)
    return refuse({ kind: "payload_too_large", limitBytes: workspaceBytes });
  if (delta.files + delta.directories > 0 && files + directories + delta.files + delta.directories > MAX_PLACES)
    return invalid("/path", `The workspace has ${MAX_PLACES} files and directories, which is the limit`);
  return ok(null);
}
