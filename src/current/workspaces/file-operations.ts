/** Operations on the files of a workspace on the current surface (WSP-2, WSP-8 to WSP-11). */
import { OneOf, Type } from "../../../actors/schema.ts";
import { streamed } from "../../http/contract/body-schema.ts";
import { withDefault } from "../../http/contract/field.ts";
import { media, operationGroup } from "../../http/contract/operation.ts";
import { LIMIT, pageQuery, pathCursor } from "../paging.ts";
import { ShareId, WorkspaceId } from "../path-ids.ts";
import { FILE_HEADERS } from "../../http/contract/request-headers.ts";
import { sharePage } from "./share-page.ts";
import { DELETE_HEADERS, WRITE_HEADERS } from "./conditions.ts";
import {
  ChangedFile,
  DirectoryBody,
  DirectoryQuery,
  FileList,
  FoundFiles,
  MadeDirectory,
  MoveBody,
  NewShareView,
  PathQuery,
  PreviewBody,
  PreviewView,
  ShareBody,
  ShareList,
  ShareView,
  UploadView,
  VersionList,
} from "./file-schema.ts";

const params = { id: WorkspaceId };
/** The maximum of the setting FILE_MIB; the service itself refuses files above the setting. */
const MOST_BYTES = 102_400 * 1_024 * 1_024;
/** Files in the answer of one search. */
const FOUND_FILES = 100;
/** Characters of a search text. */
const SEARCH_CHARACTERS = 200;
const GLOB_CHARACTERS = 200;

const BYTES = media({ "*/*": Type.String({ description: "The bytes of the file, with its media type" }) });
const recursive = withDefault(
  OneOf(["true", "false"] as const, { description: "Whether to include everything below the directory" }),
  "false",
);

export const fileOperations = operationGroup("Files", "Files and directories of a workspace", {
  listFiles: {
    method: "GET",
    path: "/api/workspaces/{id}/files",
    scope: "workspaces:read",
    summary: "List files and directories",
    description: "By path, in the order of its bytes. A page may have fewer than `limit` where `glob` leaves some out.",
    params,
    query: {
      ...DirectoryQuery,
      recursive,
      glob: Type.String({ description: "Only paths that match, such as `**/*.md`", maxLength: GLOB_CHARACTERS }),
      limit: LIMIT,
      cursor: pathCursor,
    },
    answers: { 200: FileList },
    errors: ["not_found", "invalid_path", "invalid_request", "invalid_cursor"],
  },
  searchFiles: {
    method: "GET",
    path: "/api/workspaces/{id}/files/search",
    scope: "workspaces:read",
    summary: "Search names and contents",
    description: "Names first, then contents: of text files, the first 64 KiB are searched.",
    params,
    query: {
      q: Type.String({
        description: "Text to search for",
        minLength: 1,
        maxLength: SEARCH_CHARACTERS,
      }),
      limit: withDefault(
        Type.Integer({ minimum: 1, maximum: FOUND_FILES, description: "Most files in the answer" }),
        25,
      ),
    },
    answers: { 200: FoundFiles },
    errors: ["not_found", "invalid_request"],
  },
  readFile: {
    method: "GET",
    path: "/api/workspaces/{id}/files/content",
    scope: "workspaces:read",
    summary: "Download a file",
    description: "The current content, or that of the version `number`.",
    params,
    query: { ...PathQuery, number: Type.Integer({ minimum: 1, description: "A version of the file" }) },
    headers: FILE_HEADERS,
    answers: { 200: BYTES, 206: BYTES, 304: null },
    errors: ["not_found", "invalid_path", "invalid_request", "range_not_satisfiable"],
  },
  writeFile: {
    method: "PUT",
    path: "/api/workspaces/{id}/files/content",
    scope: "workspaces:write",
    summary: "Upload a file",
    description:
      "Creates the file and missing parent directories, or replaces its content. The body is the file, and `Content-Type` its media type. A large file may come in parts: each with `Content-Range` and the `Repr-Digest` of the whole. While bytes are missing the answer is 202 with the `offset` of the next part; `Content-Range: bytes */<size>` asks for it. An upload in parts may take a day.",
    params,
    query: PathQuery,
    headers: WRITE_HEADERS,
    // Two parts of a file may have the same bytes.
    keyedHeaders: ["content-range"],
    body: streamed(MOST_BYTES),
    answers: { 200: ChangedFile, 201: ChangedFile, 202: UploadView },
    errors: [
      "forbidden",
      "not_found",
      "invalid_path",
      "path_exists",
      "version_conflict",
      "upload_offset_mismatch",
      "invalid_request",
    ],
    emits: "workspace_file.changed",
  },
  deleteFile: {
    method: "DELETE",
    path: "/api/workspaces/{id}/files/content",
    scope: "workspaces:write",
    summary: "Delete a file or directory",
    description: "A directory that is not empty is 409 `path_exists` unless `recursive` is `true`.",
    params,
    query: { ...PathQuery, recursive },
    headers: DELETE_HEADERS,
    answers: { 200: ChangedFile },
    errors: ["forbidden", "not_found", "invalid_path", "path_exists", "version_conflict", "invalid_request"],
    emits: "workspace_file.changed",
  },
  listFileVersions: {
    method: "GET",
    path: "/api/workspaces/{id}/files/versions",
    scope: "workspaces:read",
    summary: "List the versions of a file",
    description:
      "Versions of a file that exists or was deleted less than 30 days ago. There are at most 51, on one page.",
    params,
    query: PathQuery,
    answers: { 200: VersionList },
    errors: ["not_found", "invalid_path", "invalid_request"],
  },
  createDirectory: {
    method: "POST",
    path: "/api/workspaces/{id}/files/directory",
    scope: "workspaces:write",
    summary: "Create a directory",
    description: "Creates missing parent directories. A directory that exists is not an error.",
    params,
    body: DirectoryBody,
    answers: { 200: MadeDirectory, 201: MadeDirectory },
    errors: ["forbidden", "not_found", "invalid_path", "path_exists"],
    emits: "workspace_file.changed",
  },
  moveFile: {
    method: "POST",
    path: "/api/workspaces/{id}/files/move",
    scope: "workspaces:write",
    summary: "Move a file or directory",
    description:
      "With `overwrite` a file replaces a file (whose content is kept as a version), and a directory replaces an empty one.",
    params,
    body: MoveBody,
    answers: { 200: ChangedFile },
    errors: ["forbidden", "not_found", "invalid_path", "path_exists"],
    emits: "workspace_file.changed",
  },
  previewFile: {
    method: "POST",
    path: "/api/workspaces/{id}/files/preview",
    scope: "workspaces:read",
    summary: "Create or fetch a file preview",
    description:
      "Text files and tables: the beginning of their content. Markdown and code: HTML that is safe to show as well. Tables: their first rows. Images: a scaled picture. PDFs: their text and first page. Parts that cannot be made for a file are omitted.",
    params,
    body: PreviewBody,
    isRead: true,
    answers: { 200: PreviewView },
    errors: ["not_found", "invalid_path"],
  },
  shareFile: {
    method: "POST",
    path: "/api/workspaces/{id}/files/share",
    scope: "workspaces:write",
    summary: "Create a public file share",
    description: "The address serves the file that is at the path at the time of the download.",
    params,
    body: ShareBody,
    answers: { 201: NewShareView },
    errors: ["not_found", "invalid_path"],
    emits: "resource.created",
    hasOneTimeSecret: true,
  },
  listShares: {
    method: "GET",
    path: "/api/workspaces/{id}/shares",
    scope: "workspaces:read",
    summary: "List the shares of a workspace",
    params,
    query: pageQuery("shares"),
    answers: { 200: ShareList },
    errors: ["not_found", "invalid_request", "invalid_cursor"],
  },
  revokeShare: {
    method: "DELETE",
    path: "/api/workspaces/{id}/shares/{share_id}",
    scope: "workspaces:write",
    summary: "Revoke a share",
    params: { id: WorkspaceId, share_id: ShareId },
    answers: { 200: ShareView },
    errors: ["not_found"],
    emits: "resource.deleted",
  },
});

/** The public side of shares: no token, but a password if the share has one. */
export const shareOperations = operationGroup(
  "Shares",
  "Files that can be downloaded with their address and no token",
  {
    openShare: {
      method: "GET",
      path: "/share/{token}",
      scope: null,
      summary: "Download a shared file",
      description:
        "A share with a password takes it by HTTP Basic authentication, with any user name. Each download counts; what sends no content (HEAD, 304, 416) is none. Browsers (`Accept: text/html`) get a page with a preview and a link to download, and refusals as a page; the page counts as no download, and shows no preview where `max_downloads` is set.",
      params: { token: Type.String({ description: "The last part of the share's address", maxLength: 64 }) },
      query: { download: OneOf(["1"] as const, { description: "Gives browsers the file instead of the page" }) },
      headers: { ...FILE_HEADERS, accept: Type.String(), authorization: Type.String() },
      answers: { 200: BYTES, 206: BYTES, 304: null },
      errors: ["not_found", "share_expired", "unauthenticated", "rate_limited", "range_not_satisfiable"],
      refusalPage: sharePage,
    },
  },
);
