/** Changing the files of a workspace: delete, create directories, move (WSP-2). `upload.ts` writes files. */
import type { Principal } from "../../../actors/organization/principal.ts";
import { ask } from "../../../actors/troupe.ts";
import { parseNewPath, parsePath } from "../../../actors/workspace/path.ts";
import type { Cause } from "../../../actors/workspace/protocol.ts";
import { created, done } from "../../http/commit/commit.ts";
import { lookUp } from "../../log/look-up.ts";
import { operation } from "../../operations/operation.ts";
import { moveRoom } from "../../work/move-room.ts";
import { workspaceParams } from "../path-ids.ts";
import { doneIf } from "../updating.ts";
import { DELETE_HEADERS } from "./conditions.ts";
import {
  ChangedFile,
  changedView,
  DirectoryBody,
  MadeDirectory,
  MoveBody,
  PathQuery,
  Recursive,
  requirePath,
} from "./file-schema.ts";
import { NO_CONDITION } from "./upload.ts";
import { ownWorkspaceRef } from "./files.ts";

export const fileChangeOperations = {
  deleteFile: operation(
    {
      method: "DELETE",
      path: "/api/workspaces/{id}/files/content",
      scope: "workspaces:write",
      summary: "Delete a file or directory",
      description: "Deleting a directory that is not empty needs `recursive=true`; otherwise it is 409 `path_exists`.",
      params: workspaceParams,
      query: { ...PathQuery, recursive: Recursive },
      headers: DELETE_HEADERS,
      answers: { 200: ChangedFile },
      errors: ["forbidden", "path_exists"],
      emits: "workspace_file.changed",
    },
    async (_, change, { params: { id }, query: { path, recursive }, headers }) => {
      const given = requirePath(path);
      if (!given.ok) return given;
      const command = {
        kind: "delete_place",
        path: given.value,
        isRecursive: recursive === "true",
        precondition: headers["if-match"] ?? NO_CONDITION,
        cause: causeOf(change.principal),
      } as const;
      return change.commit([ask(ownWorkspaceRef(change.principal, id), command)], (gone) =>
        done(changedView(id, gone, "deleted")),
      );
    },
  ),

  createDirectory: operation(
    {
      method: "POST",
      path: "/api/workspaces/{id}/files/directory",
      scope: "workspaces:write",
      summary: "Create a directory",
      description: "Creates missing parent directories. A directory that exists is not an error.",
      params: workspaceParams,
      body: DirectoryBody,
      answers: { 200: MadeDirectory, 201: MadeDirectory },
      errors: ["forbidden", "invalid_path", "path_exists"],
      emits: "workspace_file.changed",
    },
    async (_, change, { params: { id }, body }) => {
      const path = parseNewPath(body.path);
      if (!path.ok) return path;
      const command = { kind: "make_directory", path: path.value, cause: causeOf(change.principal) } as const;
      return change.commit([ask(ownWorkspaceRef(change.principal, id), command)], ({ path: made, isNew }) =>
        isNew ? created({ path: made, created: true }) : doneIf(false, { path: made, created: false }),
      );
    },
  ),

  moveFile: operation(
    {
      method: "POST",
      path: "/api/workspaces/{id}/files/move",
      scope: "workspaces:write",
      summary: "Move a file or directory",
      description:
        "With `overwrite` a file replaces a file (whose content is kept as a version), and a directory replaces an empty one.",
      params: workspaceParams,
      body: MoveBody,
      answers: { 200: ChangedFile },
      errors: ["forbidden", "invalid_path", "path_exists"],
      emits: "workspace_file.changed",
    },
    async ({ system, files, log }, change, { params: { id }, body: { from, to, overwrite = false } }) => {
      const source = parsePath(from, "from");
      if (!source.ok) return source;
      const target = parseNewPath(to, "to");
      if (!target.ok) return target;
      const paths = { from: source.value, to: target.value };
      const ref = ownWorkspaceRef(change.principal, id);
      const seen = await moveRoom({ system, listPlaces: (query) => lookUp(log, files.listPlaces(query)) }, ref, paths);
      if (!seen.ok) return seen;
      const cause = causeOf(change.principal);
      const command = { kind: "move_place", ...paths, overwrite, seen: seen.value, cause } as const;
      return change.commit([ask(ref, command)], (moved) => doneIf(!moved.isUnchanged, changedView(id, moved, "moved")));
    },
  ),
};

/** The request emits its own event, so the command emits none. */
const causeOf = ({ userId }: Principal): Cause => ({ by: { type: "user", id: userId }, tells: false });
