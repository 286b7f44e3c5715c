/**
 * A workspace and what is in it. Files and directories are a tree of *places*: a place is a name in a
 * directory, and says what is there. A directory has an id of its own, under which its places are found;
 * so it is moved by changing two places, however much is below it
 * (`docs/decisions/0022-files-are-a-tree-of-places.md`).
 *
 *   workspace ◀─root─ place "reports" (directory dir_1) ◀─parent dir_1─ place "q3.md" (file fil_1)
 *                                                                            │ versions fil_1/1, fil_1/2
 */
import { type ActorRef, type NewRecord, table } from "../runtime/actor.ts";
import { Nullable, OneOf, RecordBase, type Static, Timestamp, Type } from "../schema.ts";

const OptionalText = Nullable(Type.String());

/** A repository whose files are below a directory of the workspace (WSP-1). */
export const Repository = Type.Object({
  id: Type.String(),
  /** By its host: `github`, `gitlab`, `bitbucket`, or `git`. */
  provider: Type.String(),
  /** https, without credentials. */
  url: Type.String(),
  /** Null: the default one of the repository. */
  branch: OptionalText,
  /** The directory. */
  path: Type.String(),
  /** Whether people and agents may change files below it. */
  mode: OneOf(["read", "write"] as const),
  /** The name of the secret that has its credentials. */
  secret: OptionalText,
  status: OneOf(["pending", "cloning", "ready", "error"] as const),
  /** That its files are of; null before the first clone. */
  commit: OptionalText,
  /** Why the last clone failed. */
  error: OptionalText,
  /** The job of the last clone. */
  jobId: OptionalText,
  syncedAt: Nullable(Timestamp),
  createdBy: Type.String(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type Repository = Static<typeof Repository>;

/** The model of jobs that clone: none, but the service itself. No agent can have it. */
export const REPOSITORY_MODEL = "troupe:git";

/** A directory of static files that is served (WSP-14). */
export const App = Type.Object({
  id: Type.String(),
  name: Type.String(),
  slug: Type.String(),
  /** What its address names it by; never given twice. */
  label: Type.String(),
  /** The directory; empty for the whole workspace. */
  path: Type.String(),
  /** The file that it begins with, relative to the directory. */
  entry: Type.String(),
  createdBy: Type.String(),
  createdAt: Timestamp,
});
export type App = Static<typeof App>;

export const Workspace = Type.Object({
  ...RecordBase,
  name: Type.String(),
  description: OptionalText,
  /** Instructions for agents that work here. */
  instructions: OptionalText,
  createdBy: Type.String(),
  /** Absent in records of former versions. */
  repos: Type.Optional(Type.Array(Repository)),
  apps: Type.Optional(Type.Array(App)),
  deletedAt: Nullable(Timestamp),
});
export type Workspace = Static<typeof Workspace>;

/** Who has changed a file; a repository has by its clone. */
export const Author = Type.Object({ type: OneOf(["user", "agent", "repository"] as const), id: Type.String() });
export type Author = Static<typeof Author>;

/** Content that is stored (`BlobStore`), as files refer to it. */
export const Content = Type.Object({
  sha256: Type.String(),
  /** Bytes. */
  size: Type.Integer({ minimum: 0 }),
  mime: Type.String(),
});
export type Content = Static<typeof Content>;

const Written = {
  ...Content.properties,
  /** The version of the file: 1, and one more with each change of its content. */
  number: Type.Integer({ minimum: 1 }),
  by: Author,
  at: Timestamp,
};

export const FileNode = Type.Object({ kind: Type.Literal("file"), id: Type.String(), ...Written });
export type FileNode = Static<typeof FileNode>;

/** What is below a directory, all the way down. */
const Totals = {
  bytes: Type.Integer({ minimum: 0 }),
  files: Type.Integer({ minimum: 0 }),
  directories: Type.Integer({ minimum: 0 }),
};
export type Totals = Readonly<Record<keyof typeof Totals, number>>;
export const NO_TOTALS: Totals = { bytes: 0, files: 0, directories: 0 };

export const DirectoryNode = Type.Object({ kind: Type.Literal("directory"), id: Type.String(), ...Totals });
export type DirectoryNode = Static<typeof DirectoryNode>;

/** Nothing is there any more. A file that is written here again goes on with the versions of the one that was. */
export const VacantNode = Type.Object({
  kind: Type.Literal("vacant"),
  /** The file that was deleted here; null where a directory was, or where it was moved away. */
  id: OptionalText,
  number: Type.Integer({ minimum: 0 }),
  since: Timestamp,
});

export const Place = Type.Object({
  /** `<directory>/<key of the name>`; the root's is the workspace's id. */
  ...RecordBase,
  workspaceId: Type.String(),
  directoryId: Type.String(),
  name: Type.String(),
  node: Type.Union([FileNode, DirectoryNode, VacantNode]),
});
export type Place = Static<typeof Place>;

/** Places by what is there. */
export type FilePlace = Omit<Place, "node"> & { readonly node: FileNode };
export type DirectoryPlace = Omit<Place, "node"> & { readonly node: DirectoryNode };

/** A version of a file that is not its present one (`<file>/<number>`). */
export const Version = Type.Object({
  ...RecordBase,
  workspaceId: Type.String(),
  fileId: Type.String(),
  ...Written,
  /** Until when it can be read. */
  keptUntil: Timestamp,
});
export type Version = Static<typeof Version>;

/** The words of a file that is text, for the search; by the file's id. */
export const FileText = Type.Object({ ...RecordBase, workspaceId: Type.String(), text: Type.String() });
export type FileText = Static<typeof FileText>;

/** A deleted directory, by its id: nothing leads to what is below it, and a sweep removes that later. */
export const DeletedDirectory = Type.Object({ ...RecordBase, workspaceId: Type.String(), deletedAt: Timestamp });
export type DeletedDirectory = Static<typeof DeletedDirectory>;

export const Share = Type.Object({
  ...RecordBase,
  workspaceId: Type.String(),
  /** What is at this path when somebody comes is what they get. */
  path: Type.String(),
  /** SHA-256 of the token, in hex. */
  hash: Type.String(),
  /** As `Bun.password` makes it; null without a password. */
  passwordHash: OptionalText,
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
export const placeTable = table<Place>("workspace_place");
export const versionTable = table<Version>("workspace_version");
export const textTable = table<FileText>("workspace_text");
export const deletedDirectoryTable = table<DeletedDirectory>("workspace_deleted_directory");
export const shareTable = table<Share>("workspace_share");

export const workspaceRef = (organizationId: string, id: string): ActorRef<"workspace"> => ({
  kind: "workspace",
  organizationId,
  id,
});

/** What a workspace is before anything was done to it. */
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
