/** Reading the files of a workspace: list, search, download, versions, previews (WSP-2, WSP-8 to WSP-11). */
import { invalid, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import { isoTime, Type } from "../../../actors/schema.ts";
import type { ListedPlace } from "../../../actors/workspace/directory.ts";
import { parseDirectory, parsePath, joinedPath } from "../../../actors/workspace/path.ts";
import { workspaceRef } from "../../../actors/workspace/schema.ts";
import { withDefault } from "../../http/contract/field.ts";
import { FILE_HEADERS } from "../../http/contract/request-headers.ts";
import { lookUp } from "../../log/look-up.ts";
import { operation } from "../../operations/operation.ts";
import { contentAt, fileAt } from "../../work/file-content.ts";
import { LIMIT, pathCursor, pathCursorText } from "../paging.ts";
import { workspaceParams } from "../path-ids.ts";
import { fileResponse } from "./file-response.ts";
import {
  DirectoryQuery,
  FILE_BYTES,
  FileList,
  FoundFiles,
  PathQuery,
  PreviewBody,
  PreviewView,
  Recursive,
  VersionList,
  fileView,
  requirePath,
  versionView,
} from "./file-schema.ts";
import { previewOf } from "./preview.ts";

/** Files in the answer of one search. */
const FOUND_FILES = 100;

/** Characters of a search text. */
const SEARCH_CHARACTERS = 200;

const GLOB_CHARACTERS = 200;

export const fileOperations = {
  listFiles: operation(
    {
      method: "GET",
      path: "/api/workspaces/{id}/files",
      scope: "workspaces:read",
      summary: "List files and directories",
      description: "Sorted by path, byte by byte. A page can have fewer than `limit` entries if `glob` excludes some.",
      params: workspaceParams,
      query: {
        ...DirectoryQuery,
        recursive: Recursive,
        glob: Type.String({ description: "Only paths that match, such as `**/*.md`", maxLength: GLOB_CHARACTERS }),
        limit: LIMIT,
        cursor: pathCursor,
      },
      answers: { 200: FileList },
    },
    async ({ system, files, log }, { principal }, { params: { id }, query }) => {
      const { organizationId } = principal;
      const glob = globOf(query.glob);
      if (!glob.ok) return glob;
      const root = parseDirectory("");
      const path = query.path ?? (root.ok ? root.value : joinedPath([]));
      const found = await system.dispatch(ownWorkspaceRef(principal, id), { kind: "read_place", path });
      if (!found.ok) return found;
      const { place } = found.value;
      if (place.node.kind !== "directory")
        return invalid("/path", `\`${found.value.path}\` is a file, not a directory`);
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
    },
  ),

  searchFiles: operation(
    {
      method: "GET",
      path: "/api/workspaces/{id}/files/search",
      scope: "workspaces:read",
      summary: "Search names and contents",
      description:
        "Matches in names come first, then matches in contents. Only the first 64 KiB of a text file are searched.",
      params: workspaceParams,
      query: {
        q: Type.String({
          description: "Text to search for",
          minLength: 1,
          maxLength: SEARCH_CHARACTERS,
        }),
        limit: withDefault(
          Type.Integer({ minimum: 1, maximum: FOUND_FILES, description: "Maximum number of files to return" }),
          25,
        ),
      },
      answers: { 200: FoundFiles },
    },
    async ({ system, files, readCommitted }, { principal }, { params: { id }, query: { q, limit } }) => {
      if (q === undefined) return invalid("/q", "q must be given");
      const workspace = await system.dispatch(ownWorkspaceRef(principal, id), { kind: "read_workspace" });
      if (!workspace.ok) return workspace;
      const { organizationId } = principal;
      const found = await readCommitted(organizationId, () =>
        files.search({ organizationId, workspaceId: id }, q, limit),
      );
      if (!found.ok) return found;
      return ok({ files: found.value.map(({ path, place, excerpt }) => ({ ...fileView(path, place), excerpt })) });
    },
  ),

  readFile: operation(
    {
      method: "GET",
      path: "/api/workspaces/{id}/files/content",
      scope: "workspaces:read",
      summary: "Download a file",
      description: "The current content, or the content of version `number`.",
      params: workspaceParams,
      query: { ...PathQuery, number: Type.Integer({ minimum: 1, description: "A version of the file" }) },
      headers: FILE_HEADERS,
      answers: { 200: FILE_BYTES, 206: FILE_BYTES, 304: null },
    },
    async (services, { principal }, { params: { id }, query: { path, number }, headers }) => {
      const given = requirePath(path);
      if (!given.ok) return given;
      const { organizationId } = principal;
      const file = await contentAt(services, { organizationId, id, path: given.value, number });
      if (!file.ok) return file;
      const name = given.value.names.at(-1)?.name ?? "";
      return fileResponse(services, { ...file.value, organizationId, name }, headers);
    },
  ),

  listFileVersions: operation(
    {
      method: "GET",
      path: "/api/workspaces/{id}/files/versions",
      scope: "workspaces:read",
      summary: "List the versions of a file",
      description:
        "Works for a file that exists or was deleted less than 30 days ago. All versions, at most 51, are on one page.",
      params: workspaceParams,
      query: PathQuery,
      answers: { 200: VersionList },
    },
    async ({ system, files, clock, readCommitted }, { principal }, { params: { id }, query: { path } }) => {
      const given = requirePath(path);
      if (!given.ok) return given;
      const { organizationId } = principal;
      const history = await system.dispatch(ownWorkspaceRef(principal, id), {
        kind: "read_history",
        path: given.value,
      });
      if (!history.ok) return history;
      const { fileId, current } = history.value;
      const kept = await readCommitted(organizationId, () =>
        files.listVersions(organizationId, fileId, isoTime(clock.now())),
      );
      if (!kept.ok) return kept;
      const now = current === null ? [] : [versionView(current.node, null)];
      const versions = [...now, ...kept.value.map((version) => versionView(version, version.keptUntil))];
      return ok({ path: given.value.text, versions });
    },
  ),

  previewFile: operation(
    {
      method: "POST",
      path: "/api/workspaces/{id}/files/preview",
      scope: "workspaces:read",
      summary: "Create or fetch a file preview",
      description:
        "Text files and tables: the beginning of their content. Markdown and code: HTML that is safe to show as well. Tables: their first rows. Images: a scaled picture. PDFs: their text and first page. Parts that cannot be made for a file are omitted.",
      params: workspaceParams,
      body: PreviewBody,
      isRead: true,
      answers: { 200: PreviewView },
      errors: ["invalid_path"],
    },
    async (services, caller, { params: { id }, body }) => {
      const { principal } = caller;
      caller.keepOpen(PREVIEW_QUIET_SECONDS);
      const path = parsePath(body.path);
      if (!path.ok) return path;
      const found = await fileAt(services, { organizationId: principal.organizationId, id, path: path.value });
      return found.ok ? previewOf(services, { ...found.value, workspaceRef: ownWorkspaceRef(principal, id) }) : found;
    },
  ),
};

export const ownWorkspaceRef = ({ organizationId }: Principal, id: string) => workspaceRef(organizationId, id);

/** A preview may wait for other previews of its organization. */
const PREVIEW_QUIET_SECONDS = 60;

/** With a glob filter: rows read from the table at once, and how often. */
const GLOB_ROWS = 2_000;

const GLOB_READS = 5;

/** With more alternatives a pattern takes long to match. */
const BRACES = 4;
const STARS = 8;

/** Whether a path matches; null without a pattern. */
function globOf(pattern: string | undefined): Outcome<((path: string) => boolean) | null> {
  if (pattern === undefined) return ok(null);
  if ((pattern.match(/\{/g)?.length ?? 0) > BRACES || (pattern.match(/\*+/g)?.length ?? 0) > STARS)
    return invalid("/glob", `glob may have at most ${BRACES} lists in braces and ${STARS} stars`);
  // Names are stored in this form.
  const glob = new Bun.Glob(pattern.normalize("NFC"));
  return ok((path) => glob.match(path));
}
