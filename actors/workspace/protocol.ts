/** The commands and replies of a workspace's actor. */
import type { FilePath } from "./path.ts";
import type {
  App,
  Author,
  StoredContent,
  DirectoryPlace,
  FilePlace,
  Repository,
  Share,
  Totals,
  Workspace,
} from "./schema.ts";

/** The author of a change to a file. */
export interface Cause {
  readonly by: Author;
  /**
   * Whether the turn sends the event of the change (HOOK-4). A request sends its own (HOOK-12), even if it changed
   * nothing.
   */
  readonly tells: boolean;
}

/** The caller's version of the file; a write that would overwrite another one is refused. */
export type Precondition =
  | { readonly kind: "none" }
  /** Nothing exists there. */
  | { readonly kind: "absent" }
  /** A file exists there, with one of these digests; null: any. */
  | { readonly kind: "present"; readonly sha256: readonly string[] | null };

export interface NewShare {
  readonly path: FilePath;
  readonly hash: string;
  readonly passwordHash: string | null;
  readonly expiresAt: string | null;
  readonly maxDownloads: number | null;
  readonly createdBy: string;
}

/** The file or directory at a path. */
export interface Found<P = FilePlace | DirectoryPlace> {
  /** With the names as they are stored. */
  readonly path: string;
  readonly place: P;
}

export type WorkspaceCommand =
  | {
      readonly kind: "create_workspace";
      readonly name: string;
      readonly description: string | null;
      readonly instructions: string | null;
      readonly createdBy: string;
    }
  /** Refuses `not_found` for a deleted workspace, as all other commands do. */
  | { readonly kind: "read_workspace" }
  | { readonly kind: "read_totals" }
  /** `version` is the version that the caller has read; null accepts any. */
  | {
      readonly kind: "update_workspace";
      readonly changes: Partial<Pick<Workspace, "name" | "description" | "instructions">>;
      readonly version: number | null;
    }
  | { readonly kind: "delete_workspace" }
  /** The file or directory at the path. The root is a directory. */
  | { readonly kind: "read_place"; readonly path: FilePath }
  /** The id and the last number of the current or former file at the path. */
  | { readonly kind: "read_history"; readonly path: FilePath }
  /** Missing directories are created. `text` is the text for the search; null if the file is not text. */
  | {
      readonly kind: "write_file";
      readonly path: FilePath;
      readonly content: StoredContent;
      readonly text: string | null;
      readonly precondition: Precondition;
      readonly cause: Cause;
    }
  | { readonly kind: "make_directory"; readonly path: FilePath; readonly cause: Cause }
  /**
   * `seen` is the version of the directory when its caller looked at what is below it; null where that was not needed.
   * Refuses `unavailable` where something below has changed since.
   */
  | {
      readonly kind: "move_place";
      readonly from: FilePath;
      readonly to: FilePath;
      readonly overwrite: boolean;
      readonly seen: number | null;
      readonly cause: Cause;
    }
  /** Refuses a directory that is not empty, unless `isRecursive`. */
  | {
      readonly kind: "delete_place";
      readonly path: FilePath;
      readonly isRecursive: boolean;
      readonly precondition: Precondition;
      readonly cause: Cause;
    }
  /** Refuses `path_exists` if something is at its path, or if it overlaps another mount. */
  | { readonly kind: "add_repository"; readonly repository: Repository }
  /**
   * This job clones the mount from now on; `added` is created first. Refuses `invalid_state` while another job clones
   * it, unless that is `afterJobId`, which the caller knows to have ended.
   */
  | {
      readonly kind: "begin_clone";
      readonly repoId: string;
      readonly added: Repository | null;
      readonly jobId: string;
      readonly afterJobId: string | null;
    }
  /** The clone is complete: all files are as in the commit. */
  | {
      readonly kind: "end_clone";
      readonly repoId: string;
      readonly jobId: string;
      readonly commit: string;
      /** The user for whom the job works. */
      readonly by: string;
      readonly changed: { readonly written: number; readonly removed: number };
    }
  /** The job has ended: if it still clones a mount, the clone has failed. */
  | { readonly kind: "clone_job_ended"; readonly jobId: string; readonly error: string }
  /** Its files remain as files of the workspace. */
  | { readonly kind: "remove_repository"; readonly repoId: string }
  /** Refuses if its directory or entry file is missing; refuses `path_exists` if its slug is taken. */
  | { readonly kind: "create_app"; readonly app: App; readonly directoryField: "path" | "slug" }
  | { readonly kind: "delete_app"; readonly appId: string }
  | { readonly kind: "open_app"; readonly label: string }
  | { readonly kind: "create_share"; readonly share: NewShare }
  | { readonly kind: "revoke_share"; readonly shareId: string }
  /** Whether the share is open, and whether it has a password; does not count as a download. */
  | { readonly kind: "read_share"; readonly shareId: string }
  /** Uses one of the attempts at the password; refuses `rate_limited` if none is left. */
  | { readonly kind: "try_password"; readonly shareId: string }
  /**
   * Returns the file and counts a download, unless the file still has the digest `unsent`, in which case nothing will
   * be sent. Refuses `share_expired`.
   */
  | { readonly kind: "open_share"; readonly shareId: string; readonly unsent: string | null };

export interface Changed<P = FilePlace> extends Found<P> {
  /** Whether nothing existed there before. */
  readonly isNew: boolean;
}

export interface WorkspaceReplies {
  create_workspace: Workspace;
  read_workspace: Workspace;
  read_totals: Totals;
  update_workspace: Workspace;
  delete_workspace: Workspace;
  read_place: Found;
  read_history: { readonly fileId: string; readonly number: number; readonly current: FilePlace | null };
  /** Unchanged: the file had this content. */
  write_file: Changed & { readonly isUnchanged: boolean };
  make_directory: Changed<DirectoryPlace>;
  /** Unchanged: it was there already, by this name. */
  move_place: Found & { readonly isUnchanged: boolean };
  delete_place: Found;
  add_repository: Repository;
  begin_clone: Repository;
  end_clone: Repository;
  clone_job_ended: null;
  remove_repository: Repository;
  create_app: App;
  delete_app: App;
  open_app: App;
  create_share: Share;
  revoke_share: { readonly share: Share; readonly isUnchanged: boolean };
  read_share: Share;
  try_password: null;
  open_share: Found<FilePlace>;
}

export interface WorkspaceProtocol {
  readonly command: WorkspaceCommand;
  readonly replies: WorkspaceReplies;
}
