/** What a workspace may hold. */

const MIB = 1024 * 1024;

/** What the operator sets; the same on every replica. */
export interface WorkspaceLimits {
  /** Of one file, in bytes (WSP-6). */
  readonly fileBytes: number;
  /** Of all files of a workspace as they are now, in bytes (WSP-6). */
  readonly workspaceBytes: number;
}
export const DEFAULT_WORKSPACE_LIMITS: WorkspaceLimits = { fileBytes: 256 * MIB, workspaceBytes: 10_240 * MIB };

/** Files and directories of one workspace: a listing of all of them takes a second. */
export const MAX_PLACES = 100_000;
/** Overwritten versions of one file that can be read back: an agent that saves each minute must not fill the disk. */
export const MAX_VERSIONS = 50;
/** How long an overwritten version, or a deleted file, can be read back. */
export const VERSION_MS = 30 * 86_400_000;
/** Of a file's text, what the search sees, in bytes: with it a write stays small beside the others of its commit. */
export const SEARCHED_BYTES = 64 * 1024;

/** Passwords of one share that may be tried in one window: a person's typing errors, and no dictionary. */
export const PASSWORD_ATTEMPTS = 10;
export const PASSWORD_WINDOW_MS = 600_000;

/** Repositories of one workspace: all are in its record. */
export const MAX_REPOSITORIES = 20;
/** Apps of one workspace, which are in its record too. */
export const MAX_APPS = 20;
