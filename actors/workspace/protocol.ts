/** What a workspace's actor can be asked, and what it answers. */
import type { FilePath } from "./path.ts";
import type {
  App,
  Author,
  Content,
  DirectoryPlace,
  FilePlace,
  Repository,
  Share,
  Totals,
  Workspace,
} from "./schema.ts";

/** Who changes a file. */
export interface Cause {
  readonly by: Author;
  /**
   * Whether the turn leaves the event of the change (HOOK-4). A request leaves its own (HOOK-12), also where
   * it has changed nothing.
   */
  readonly tells: boolean;
}

/** What the caller has seen of the file; a write that would overwrite something else is refused. */
export type Precondition =
  | { readonly kind: "none" }
  /** Nothing is there. */
  | { readonly kind: "absent" }
  /** A file is there, with one of these digests; null: any. */
  | { readonly kind: "present"; readonly sha256: readonly string[] | null };

export interface NewShare {
  readonly path: FilePath;
  readonly hash: string;
  readonly passwordHash: string | null;
  readonly expiresAt: string | null;
  readonly maxDownloads: number | null;
  readonly createdBy: string;
}

/** What is at a path. */
export interface Found<P = FilePlace | DirectoryPlace> {
  /** As the names are stored. */
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
  /** Refuses `not_found` where it is deleted, as all other commands do. */
  | { readonly kind: "read_workspace" }
  | { readonly kind: "read_totals" }
  /** `version` is the one that the caller has seen; null takes any. */
  | {
      readonly kind: "update_workspace";
      readonly changes: Partial<Pick<Workspace, "name" | "description" | "instructions">>;
      readonly version: number | null;
    }
  | { readonly kind: "delete_workspace" }
  /** What is at the path: a file or a directory. The root is a directory. */
  | { readonly kind: "read_place"; readonly path: FilePath }
  /** The id and the last number of the file that is or was at the path. */
  | { readonly kind: "read_history"; readonly path: FilePath }
  /** Directories on the way are made. `text` is what the search may find; null where it is no text. */
  | {
      readonly kind: "write_file";
      readonly path: FilePath;
      readonly content: Content;
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
  /** Refuses `path_exists` where something is at its path, or another mount. */
  | { readonly kind: "add_repository"; readonly repository: Repository }
  /**
   * The mount is cloned by this job from here on; `added` is made first. Refuses `invalid_state` while another job
   * clones it, unless that is `afterJobId`, of which the caller knows that it has ended.
   */
  | {
      readonly kind: "begin_clone";
      readonly repoId: string;
      readonly added: Repository | null;
      readonly jobId: string;
      readonly afterJobId: string | null;
    }
  /** All files are as in the commit. */
  | {
      readonly kind: "end_clone";
      readonly repoId: string;
      readonly jobId: string;
      readonly commit: string;
      /** The user for whom the job works. */
      readonly by: string;
      readonly changed: { readonly written: number; readonly removed: number };
    }
  /** The job has ended: a mount that it still clones will not come from it. */
  | { readonly kind: "clone_job_ended"; readonly jobId: string; readonly error: string }
  /** Its files stay, as files of the workspace. */
  | { readonly kind: "remove_repository"; readonly repoId: string }
  /** Refuses where its directory or first file is missing, `path_exists` where its slug is taken. */
  | { readonly kind: "create_app"; readonly app: App; readonly directoryField: "path" | "slug" }
  | { readonly kind: "delete_app"; readonly appId: string }
  | { readonly kind: "open_app"; readonly label: string }
  | { readonly kind: "create_share"; readonly share: NewShare }
  | { readonly kind: "revoke_share"; readonly shareId: string }
  /** Whether the share is open, and whether it has a password; counts nothing. */
  | { readonly kind: "read_share"; readonly shareId: string }
  /** Takes one of the attempts at the password; refuses `rate_limited` when there are none. */
  | { readonly kind: "try_password"; readonly shareId: string }
  /**
   * Answers the file and counts a download, unless the file is still the one with the digest `unsent`, of which nothing
   * will be sent. Refuses `share_expired`.
   */
  | { readonly kind: "open_share"; readonly shareId: string; readonly unsent: string | null };

export interface Changed<P = FilePlace> extends Found<P> {
  /** Whether nothing was there before. */
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
  write_file: Changed;
  make_directory: Changed<DirectoryPlace>;
  move_place: Found;
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
  revoke_share: Share;
  read_share: Share;
  try_password: null;
  open_share: Found<FilePlace>;
}

export interface WorkspaceProtocol {
  readonly command: WorkspaceCommand;
  readonly replies: WorkspaceReplies;
}
