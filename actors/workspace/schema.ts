/**
 * A workspace and its contents. Files and directories are a tree of *places*: a place is a name in a directory, and its
 * record says what is there. A directory has an id of its own, under which its places are found. So moving it changes
 * only two places, however much is below it (`docs/decisions/0022-files-are-a-tree-of-places.md`).
 *
 *   workspace ◀─root─ place "reports" (directory dir_1) ◀─parent dir_1─ place "q3.md" (file fil_1)
 *                                                                            │ versions fil_1/1, fil_1/2
 */
import { type NewRecord, refTo, table } from "../runtime/actor.ts";
import { Nullable, NullableText, OneOf, RecordBase, type Static, Timestamp, Type } from "../schema.ts";

/** A repository whose files are below a directory of the workspace (WSP-1). */
export const Repository = Type.Object({
  id: Type.String(),
  /** Named by its host: `github`, `gitlab`, `bitbucket`, or `git`. */
  provider: Type.String(),
  /** https, without credentials. */
  url: Type.String(),
  /** Null: the repository's default branch. */
  branch: NullableText,
  /** The directory of its files. */
  path: Type.String(),
  /** Whether people and agents may change files below it. */
  mode: OneOf(["read", "write"] as const),
  /** The name of the secret with its credentials. */
  secret: NullableText,
  status: OneOf(["pending", "cloning", "ready", "error"] as const),
  /** The commit of its files; null before the first clone. */
  commit: NullableText,
  /** Why the last clone failed. */
  error: NullableText,
  /** The job of the last clone. */
  jobId: NullableText,
  syncedAt: Nullable(Timestamp),
  createdBy: Type.String(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type Repository = Static<typeof Repository>;

/** The model name of jobs that clone: the service itself does their work. No agent can have it. */
export const REPOSITORY_MODEL = "troupe:git";

/** A directory of static files that the service serves (WSP-14). */
export const App = Type.Object({
  id: Type.String(),
  name: Type.String(),
  slug: Type.String(),
  /** Its name in its address; never reused. */
  label: Type.String(),
  /** The directory; empty for the whole workspace. */
  path: Type.String(),
  /** The file that it starts with, relative to the directory. */
  entry: Type.String(),
  createdBy: Type.String(),
  createdAt: Timestamp,
});
export type App = Static<typeof App>;

export const Workspace = Type.Object({
  ...RecordBase,
  name: Type.String(),
  description: NullableText,
  /** Instructions for agents that work here. */
  instructions: NullableText,
  createdBy: Type.String(),
  /** Absent in records of earlier versions. */
  repos: Type.Optional(Type.Array(Repository)),
  apps: Type.Optional(Type.Array(App)),
  deletedAt: Nullable(Timestamp),
});
export type Workspace = Static<typeof Workspace>;

/** The author of a change to a file; a repository changes files by a clone. */
export const Author = Type.Object(
  {
    type: OneOf(["user", "agent", "repository"] as const, { description: "Kind of author" }),
    id: Type.String({ description: "Id of the user, agent or repository" }),
  },
  { $id: "FileAuthor", description: "Who made the last change: a user, an agent, or a commit of a repository" },
);
export type Author = Static<typeof Author>;

/** Stored content (`BlobStore`), as files refer to it. */
export const StoredContent = Type.Object({
  sha256: Type.String(),
  /** Bytes. */
  size: Type.Integer({ minimum: 0 }),
  mime: Type.String(),
});
export type StoredContent = Static<typeof StoredContent>;

const WrittenContent = {
  ...StoredContent.properties,
  /** The version of the file: 1, and one more with each change of its content. */
  number: Type.Integer({ minimum: 1 }),
  by: Author,
  at: Timestamp,
};

export const FileNode = Type.Object({ kind: Type.Literal("file"), id: Type.String(), ...WrittenContent });
export type FileNode = Static<typeof FileNode>;

/** The totals of everything below a directory, at any depth. */
const Totals = {
  bytes: Type.Integer({ minimum: 0 }),
  files: Type.Integer({ minimum: 0 }),
  directories: Type.Integer({ minimum: 0 }),
};
export type Totals = Readonly<Record<keyof typeof Totals, number>>;
export const NO_TOTALS: Totals = { bytes: 0, files: 0, directories: 0 };

export const DirectoryNode = Type.Object({ kind: Type.Literal("directory"), id: Type.String(), ...Totals });
export type DirectoryNode = Static<typeof DirectoryNode>;

/** Nothing is here any more. A new file in this place continues the versions of the deleted one. */
export const VacantNode = Type.Object({
  kind: Type.Literal("vacant"),
  /** The file that was deleted here; null if a directory was deleted here, or a file was moved away. */
  id: NullableText,
  number: Type.Integer({ minimum: 0 }),
  since: Timestamp,
});

export const TreePlace = Type.Object({
  /** `<directory>/<key of the name>`; the root's is the workspace's id. */
  ...RecordBase,
  workspaceId: Type.String(),
  directoryId: Type.String(),
  name: Type.String(),
  node: Type.Union([FileNode, DirectoryNode, VacantNode]),
});
export type TreePlace = Static<typeof TreePlace>;

/** Places by their kind of node. */
export type FilePlace = Omit<TreePlace, "node"> & { readonly node: FileNode };
export type DirectoryPlace = Omit<TreePlace, "node"> & { readonly node: DirectoryNode };

/** An earlier version of a file (`<file>/<number>`). */
export const Version = Type.Object({
  ...RecordBase,
  workspaceId: Type.String(),
  fileId: Type.String(),
  ...WrittenContent,
  /** The end of its retention. */
  keptUntil: Timestamp,
});
export type Version = Static<typeof Version>;

/** The words of a text file, for the search; by the file's id. */
export const FileText = Type.Object({ ...RecordBase, workspaceId: Type.String(), text: Type.String() });
export type FileText = Static<typeof FileText>;

/** A deleted directory, by its id: nothing leads to its contents any more, and a sweep removes them later. */
export const DeletedDirectory = Type.Object({ ...RecordBase, workspaceId: Type.String(), deletedAt: Timestamp });
export type DeletedDirectory = Static<typeof DeletedDirectory>;

export const Share = Type.Object({
  ...RecordBase,
  workspaceId: Type.String(),
  /** A download gets the file that is at this path at that time. */
  path: Type.String(),
  /** SHA-256 of the token, in hex. */
  hash: Type.String(),
  /** In the format of `Bun.password`; null without a password. */
  passwordHash: NullableText,
  expiresAt: Nullable(Timestamp),
  maxDownloads: Nullable(Type.Integer({ minimum: 1 })),
  downloads: Type.Integer({ minimum: 0 }),
  revokedAt: Nullable(Timestamp),
  createdBy: Type.String(),
  /** Passwords that were tried since `windowAt`. */
  attempts: Type.Object({ windowAt: Timestamp, count: Type.Integer({ minimum: 0 }) }),
});
export type Share = Static<typeof Share>;

export const workspaceTable = table<Workspace>("workspace");
export const placeTable = table<TreePlace>("workspace_place");
export const versionTable = table<Version>("workspace_version");
export const textTable = table<FileText>("workspace_text");
export const deletedDirectoryTable = table<DeletedDirectory>("workspace_deleted_directory");
export const shareTable = table<Share>("workspace_share");

export const workspaceRef = refTo("workspace");

/** A new workspace. */
export const newWorkspace = (
  of: Pick<Workspace, "id" | "name" | "createdBy"> & Partial<Workspace>,
): NewRecord<Workspace> => ({
  id: of.id,
  name: of.name,
  description: of.description ?? null,
  instructions: of.instructions ?? null,
  createdBy: of.createdBy,
  deletedAt: null,
});
