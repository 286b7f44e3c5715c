/**
 * Files of a workspace on the current surface: list, search, download, upload, delete, move (WSP-2, WSP-8 to
 * WSP-11).
 */
import { invalid, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import { isoTime } from "../../../actors/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import type { ListedPlace } from "../../../actors/workspace/directory.ts";
import {
  type FilePath,
  newPath,
  parseDirectory,
  parseNewPath,
  parsePath,
  pathOf,
} from "../../../actors/workspace/path.ts";
import type { Cause, Precondition } from "../../../actors/workspace/protocol.ts";
import { workspaceRef } from "../../../actors/workspace/schema.ts";
import type { Handlers, Input } from "../../http/contract/operation.ts";
import type { Caller } from "../../http/request/caller.ts";
import { created, done } from "../../http/commit/commit.ts";
import { lookUp } from "../../log/look-up.ts";
import type { Services } from "../../operations/services.ts";
import { contentAt, fileAt } from "../../work/file-content.ts";
import { moveRoom } from "../../work/move-room.ts";
import { pathCursorText } from "../paging.ts";
import { doneIf } from "../updating.ts";
import type { fileOperations } from "./file-operations.ts";
import { fileResponse } from "./file-response.ts";
import { changedView, fileView, versionView } from "./file-schema.ts";
import { globOf } from "./glob.ts";
import { previewOf } from "./preview.ts";
import { shareHandlers } from "./share-handlers.ts";
import { upload } from "./upload.ts";

type FileOperations = typeof fileOperations.operations;

/** The request emits its own event, so the command emits none. */
const causeOf = ({ userId }: Principal): Cause => ({ by: { type: "user", id: userId }, tells: false });
const refOf = ({ organizationId }: Principal, id: string) => workspaceRef(organizationId, id);

/** A preview may wait for other previews of its organization. */
const PREVIEW_QUIET_SECONDS = 60;

export const fileHandlers: Handlers<FileOperations, Services> = {
  listFiles: (services, caller, input) => listFiles(services, caller, input),

  async searchFiles({ system, files, log }, { principal }, { params: { id }, query: { q, limit } }) {
    if (q === undefined) return invalid("/q", "q must be given");
    const workspace = await system.dispatch(refOf(principal, id), { kind: "read_workspace" });
    if (!workspace.ok) return workspace;
    const { organizationId } = principal;
    const settled = await system.settled(organizationId);
    if (!settled.ok) return settled;
    const found = await lookUp(log, files.search({ organizationId, workspaceId: id }, q, limit));
    if (!found.ok) return found;
    return ok({ files: found.value.map(({ path, place, excerpt }) => ({ ...fileView(path, place), excerpt })) });
  },

  async readFile(services, { principal }, { params: { id }, query: { path, number }, headers }) {
    const given = required(path);
    if (!given.ok) return given;
    const { organizationId } = principal;
    const file = await contentAt(services, { organizationId, id, path: given.value, number });
    if (!file.ok) return file;
    const name = given.value.names.at(-1)?.name ?? "";
    return fileResponse(services, { ...file.value, organizationId, name }, headers);
  },

  async writeFile(services, change, input) {
    const given = required(input.query.path);
    if (!given.ok) return given;
    const path = newPath(given.value);
    return path.ok ? upload(services, change, { path: path.value, input }) : path;
  },

  async deleteFile(_, change, { params: { id }, query: { path, recursive }, headers }) {
    const given = required(path);
    if (!given.ok) return given;
    const command = {
      kind: "delete_place",
      path: given.value,
      isRecursive: recursive === "true",
      precondition: headers["if-match"] ?? NO_PRECONDITION,
      cause: causeOf(change.principal),
    } as const;
    return change.commit([ask(refOf(change.principal, id), command)], (gone) => done(changedView(id, gone, "deleted")));
  },

  async listFileVersions({ system, files, clock, log }, { principal }, { params: { id }, query: { path } }) {
    const given = required(path);
    if (!given.ok) return given;
    const { organizationId } = principal;
    const history = await system.dispatch(refOf(principal, id), { kind: "read_history", path: given.value });
    if (!history.ok) return history;
    const settled = await system.settled(organizationId);
    if (!settled.ok) return settled;
    const { fileId, current } = history.value;
    const kept = await lookUp(log, files.listVersions(organizationId, fileId, isoTime(clock.now())));
    if (!kept.ok) return kept;
    const now = current === null ? [] : [versionView(current.node, null)];
    const versions = [...now, ...kept.value.map((version) => versionView(version, version.keptUntil))];
    return ok({ path: given.value.text, versions });
  },

  async createDirectory(_, change, { params: { id }, body }) {
    const path = parseNewPath(body.path);
    if (!path.ok) return path;
    const command = { kind: "make_directory", path: path.value, cause: causeOf(change.principal) } as const;
    return change.commit([ask(refOf(change.principal, id), command)], ({ path: made, isNew }) =>
      isNew ? created({ path: made, created: true }) : doneIf(false, { path: made, created: false }),
    );
  },

  async moveFile({ system, files, log }, change, { params: { id }, body: { from, to, overwrite = false } }) {
    const source = parsePath(from, "from");
    if (!source.ok) return source;
    const target = parseNewPath(to, "to");
    if (!target.ok) return target;
    const paths = { from: source.value, to: target.value };
    const ref = refOf(change.principal, id);
    const seen = await moveRoom({ system, listPlaces: (query) => lookUp(log, files.listPlaces(query)) }, ref, paths);
    if (!seen.ok) return seen;
    const cause = causeOf(change.principal);
    const command = { kind: "move_place", ...paths, overwrite, seen: seen.value, cause } as const;
    return change.commit([ask(ref, command)], (moved) => doneIf(!moved.isUnchanged, changedView(id, moved, "moved")));
  },

  async previewFile(services, caller, { params: { id }, body }) {
    const { principal } = caller;
    caller.keepOpen(PREVIEW_QUIET_SECONDS);
    const path = parsePath(body.path);
    if (!path.ok) return path;
    const found = await fileAt(services, { organizationId: principal.organizationId, id, path: path.value });
    return found.ok ? previewOf(services, { ...found.value, workspaceRef: refOf(principal, id) }) : found;
  },

  ...shareHandlers,
};

const NO_PRECONDITION: Precondition = { kind: "none" };

const required = (path: FilePath | undefined): Outcome<FilePath> =>
  path === undefined ? invalid("/path", "path must be given") : ok(path);

/** With a glob filter: rows read from the table at once, and how often. */
const GLOB_ROWS = 2_000;
const GLOB_READS = 5;

async function listFiles(
  { system, files, log }: Services,
  { principal }: Caller,
  { params: { id }, query }: Input<FileOperations["listFiles"]>,
) {
  const { organizationId } = principal;
  const glob = globOf(query.glob);
  if (!glob.ok) return glob;
  const root = parseDirectory("");
  const path = query.path ?? (root.ok ? root.value : pathOf([]));
  const found = await system.dispatch(refOf(principal, id), { kind: "read_place", path });
  if (!found.ok) return found;
  const { place } = found.value;
  if (place.node.kind !== "directory") return invalid("/path", `\`${found.value.path}\` is a file, not a directory`);
  const settled = await system.settled(organizationId);
  if (!settled.ok) return settled;
  const from = { organizationId, directoryId: place.node.id, directory: found.value.path };
  const isRecursive = query.recursive === "true";
  const limit = query.limit;
  const rows = glob.value === null ? limit + 1 : GLOB_ROWS;
  const listed: ListedPlace[] = [];
  const { cursor } = query;
  if (cursor !== undefined && (cursor.workspaceId !== id || cursor.directory !== found.value.path))
    return refuse({ kind: "invalid_cursor" });
  const listView = (places: readonly ListedPlace[], last: string | null) => ({
    files: places.map(({ path: shown, place: one }) => fileView(shown, one)),
    ...(last === null ? {} : { next_cursor: pathCursorText(id, found.value.path, last) }),
  });
  let after = cursor?.after ?? null;
  for (let read = 0; read < (glob.value === null ? 1 : GLOB_READS); read++) {
    const page = await lookUp(log, files.listPlaces({ ...from, isRecursive, after, limit: rows }));
    if (!page.ok) return page;
    for (const one of page.value) {
      if (listed.length === limit) return ok(listView(listed, after));
      after = one.path;
      if (glob.value?.(one.path) !== false) listed.push(one);
    }
    if (page.value.length < rows) return ok(listView(listed, null));
  }
  return ok(listView(listed, after));
}
