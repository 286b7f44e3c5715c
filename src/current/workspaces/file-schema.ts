/** Files, versions and shares on the current surface: views and bodies (WSP-2). */
import { invalid, ok, type Outcome } from "../../../actors/fault.ts";
import { Nullable, OneOf, Timestamp, Type } from "../../../actors/schema.ts";
import { type FilePath, parseDirectory, parsePath } from "../../../actors/workspace/path.ts";
import type { Found } from "../../../actors/workspace/protocol.ts";
import {
  Author,
  type DirectoryPlace,
  type FilePlace,
  type Share,
  type Version,
} from "../../../actors/workspace/schema.ts";
import { bad, good, refusedAs, textField, withDefault } from "../../http/contract/field.ts";
import { Count, fieldsFrom, Id, listOf, NextCursor, noun, Text } from "../../http/contract/noun.ts";
import { media, type Shown } from "../../http/contract/operation.ts";
import { RECORD, recordView } from "../record.ts";
import { etagOf } from "./conditions.ts";

/** The answer with a file itself. */
export const FILE_BYTES = media({ "*/*": Type.String({ description: "The bytes of the file, with its media type" }) });

/** Longest life of a share in seconds: a year. */
const SHARE_SECONDS = 31_536_000;
const SHARE_DOWNLOADS = 1_000_000;
/** Characters of a share's password; argon2 takes equally long for all of these. */
const PASSWORD_CHARACTERS = { min: 4, max: 256 };

const EXAMPLE_PATH = "reports/q3.md";
const pathField = (description: string, parse: typeof parsePath) =>
  refusedAs(
    "invalid_path",
    textField<FilePath>({ type: "string", description, examples: [EXAMPLE_PATH] }, (text, name) => {
      const path = parse(text, name);
      if (path.ok) return good(path.value);
      return bad(path.fault.kind === "invalid_path" ? path.fault.message : path.fault.kind, path.fault);
    }),
  );
/** The path of a file or directory, in a query. */
export const PathQuery = { path: pathField("Path, relative to the workspace", parsePath) };
/** The path of a directory; default: the root of the workspace. */
export const DirectoryQuery = { path: pathField("The directory; the whole workspace by default", parseDirectory) };

/** Whether a list or a deletion includes what is below the directory. */
export const Recursive = withDefault(
  OneOf(["true", "false"] as const, { description: "Whether to include everything below the directory" }),
  "false",
);

/** A path that the query must have. */
export const requirePath = (path: FilePath | undefined): Outcome<FilePath> =>
  path === undefined ? invalid("/path", "path must be given") : ok(path);

const Path = Text("The path, relative to the workspace", EXAMPLE_PATH);

export const DirectoryBody = Type.Object({ path: Type.String() }, { examples: [{ path: "reports/2026" }] });
export const MoveBody = Type.Object(
  { from: Type.String(), to: Type.String(), overwrite: Type.Optional(Type.Boolean({ default: false })) },
  { examples: [{ from: "draft.md", to: EXAMPLE_PATH }] },
);
export const PreviewBody = Type.Object({ path: Type.String() }, { examples: [{ path: EXAMPLE_PATH }] });
export const ShareBody = Type.Object(
  {
    path: Type.String(),
    expires_in_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: SHARE_SECONDS })),
    max_downloads: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: SHARE_DOWNLOADS }))),
    password: Type.Optional(Type.String({ minLength: PASSWORD_CHARACTERS.min, maxLength: PASSWORD_CHARACTERS.max })),
  },
  { examples: [{ path: EXAMPLE_PATH, expires_in_seconds: 86_400 }] },
);

/** A column, as queries and previews of tables show it. */
export const DataColumn = noun("DataColumn", "A column of a table", {
  name: Type.String(),
  type: Type.String({ description: "Type of the column, as DuckDB or SQLite names it" }),
});

const FILE = {
  path: Path,
  name: Text("Last part of the path", "q3.md"),
  kind: OneOf(["file", "directory"] as const),
  size: Count("Size in bytes; for a directory, of all files below it"),
  mime: Nullable(Text("The media type of a file", "text/markdown")),
  etag: Nullable(Text("Entity tag of the content, for `If-Match` and `If-None-Match`", '"9f86d081884c7d65"')),
  number: Nullable(Type.Integer({ description: "Version of the file's content; rises by one with each change" })),
  modified_at: Timestamp,
  modified_by: Nullable(Author),
};
export const FileView = noun("WorkspaceFile", "A file or a directory of a workspace", FILE);
export const ChangedFile = noun("ChangedFile", "A file or directory after a change", {
  workspace_id: Id("wsp", "The workspace's id"),
  change: OneOf(["created", "updated", "moved", "deleted"] as const),
  ...FILE,
});
export const UploadView = noun("FileUpload", "Progress of an upload in parts", {
  workspace_id: Id("wsp", "The workspace's id"),
  path: Path,
  offset: Count("Bytes received so far, and so the offset of the next part"),
  size: Count("Bytes of the whole content"),
  sha256: Text("SHA-256 of the whole content, in hex", "9f86d081884c7d65"),
  expires_at: Nullable(Timestamp),
});
export const MadeDirectory = noun("MadeDirectory", "A directory that now exists", {
  path: Path,
  created: Type.Boolean({ description: "Whether it was created by this request" }),
});
export const FileList = Type.Object(
  { files: Type.Array(FileView), next_cursor: NextCursor },
  { $id: "FileList", title: "FileList", description: "Files and directories, sorted by path" },
);
export const FoundFile = noun("FoundFile", "A file that a search has found", {
  ...FILE,
  excerpt: Nullable(Type.String({ description: "Text around the match; null if only the name matches" })),
});
export const FoundFiles = noun("FoundFiles", "Matches in names first, then in contents", {
  files: Type.Array(FoundFile),
});
export const VersionView = noun("FileVersion", "A stored version of a file", {
  number: Type.Integer({ description: "Version number; send it as `?number=` to read the content" }),
  size: Count("Size in bytes"),
  mime: Type.String(),
  etag: Type.String(),
  modified_at: Timestamp,
  modified_by: Author,
  kept_until: Nullable(Timestamp),
});
export const VersionList = noun("FileVersions", "Versions of a file, newest first", {
  path: Path,
  versions: Type.Array(VersionView),
});
export const PreviewView = noun("FilePreview", "Preview of a file", {
  path: Path,
  kind: OneOf(["text", "markdown", "image", "pdf", "table", "binary", "too_large"] as const),
  mime: Type.String(),
  size: Count("Bytes of the file"),
  etag: Type.String(),
  content: Type.Optional(Type.String({ description: "Beginning of the text, not sanitized; for a PDF, its text" })),
  html: Type.Optional(
    Type.String({ description: "`content` as HTML that is safe to show: Markdown, or highlighted code (`hljs-…`)" }),
  ),
  image: Type.Optional(
    noun("PreviewImage", "A picture of at most 1,024 pixels: the image, or the first page of a PDF", {
      url: Type.String({ description: "A `data:` URL with the picture as WebP" }),
      width: Count("Width in pixels"),
      height: Count("Height in pixels"),
    }),
  ),
  pages: Type.Optional(Count("Pages of a PDF")),
  table: Type.Optional(
    noun("PreviewTable", "The first rows of a table, at most 100", {
      columns: Type.Array(DataColumn),
      rows: Type.Array(Type.Array(Type.Unknown()), { description: "Values in the order of the columns" }),
      truncated: Type.Boolean({ description: "Whether there are more rows" }),
    }),
  ),
  url: Type.Optional(Text("Where the content is", `/api/workspaces/wsp_…/files/content?path=${EXAMPLE_PATH}`)),
  truncated: Type.Boolean({ description: "Whether `content` was cut" }),
});

const SHARE = {
  id: Id("shr", "The share's id"),
  path: Path,
  expires_at: Nullable(Timestamp),
  max_downloads: Nullable(Type.Integer()),
  downloads: Count("Number of downloads"),
  has_password: Type.Boolean(),
  created_by: Id("usr", "The user who created it"),
  ...RECORD,
};
export const ShareView = noun("Share", "A file that anyone with the URL can download", SHARE);
export const NewShareView = noun("NewShare", "A new share; its URL is never shown again", {
  ...SHARE,
  url: Text("URL of the download; no token is needed", "https://troupe.example/share/…"),
  token: Type.String({ description: "Last part of the URL" }),
});
export const ShareList = listOf("ShareList", "shares", ShareView);

export function fileView(path: string, { node, name, updatedAt }: FilePlace | DirectoryPlace): Shown<typeof FileView> {
  if (node.kind === "directory")
    return {
      path,
      name,
      kind: "directory",
      size: node.bytes,
      mime: null,
      etag: null,
      number: null,
      modified_at: updatedAt,
      modified_by: null,
    };
  const { size, mime, number, at, by } = node;
  const content = { size, mime, etag: etagOf(node), number, modified_at: at, modified_by: by };
  return { path, name, kind: "file", ...content };
}

export const changedView = (
  workspaceId: string,
  { path, place }: Found,
  change: Shown<typeof ChangedFile>["change"],
): Shown<typeof ChangedFile> => ({ workspace_id: workspaceId, change, ...fileView(path, place) });

export const partialUploadView: (upload: {
  readonly workspaceId: string;
  readonly path: string;
  readonly offset: number;
  readonly size: number;
  readonly sha256: string;
  readonly expiresAt: string | null;
}) => Shown<typeof UploadView> = fieldsFrom(UploadView);

export const versionView = (
  version: Pick<Version, "number" | "size" | "mime" | "sha256" | "at" | "by">,
  keptUntil: string | null,
): Shown<typeof VersionView> => ({
  number: version.number,
  size: version.size,
  mime: version.mime,
  etag: etagOf(version),
  modified_at: version.at,
  modified_by: version.by,
  kept_until: keptUntil,
});

const shareFields = fieldsFrom(ShareView);

export const shareView = (share: Share): Shown<typeof ShareView> => ({
  ...shareFields(share),
  has_password: share.passwordHash !== null,
  ...recordView(
    share,
    {
      workspace: `/api/workspaces/${share.workspaceId}`,
      self: `/api/workspaces/${share.workspaceId}/shares/${share.id}`,
    },
    ["revoke"],
  ),
});
