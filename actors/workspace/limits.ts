/** Limits of a workspace. */
import { MIB } from "../units.ts";

/** The operator's limits; the same on every replica. */
export interface WorkspaceLimits {
  /** Bytes of one file (WSP-6). */
  readonly fileBytes: number;
  /** Bytes of all current files of a workspace (WSP-6). */
  readonly workspaceBytes: number;
}
export const DEFAULT_WORKSPACE_LIMITS: WorkspaceLimits = { fileBytes: 256 * MIB, workspaceBytes: 10_240 * MIB };

/** Files and directories of one workspace: a listing of all of them takes a second. */
export const MAX_PLACES = 100_000;
/** Overwritten versions of one file that can be read back: an agent that saves every minute must not fill the disk. */
export const MAX_VERSIONS = 50;
/** How long an overwritten version, or a deleted file, can be read back. */
export const VERSION_MS = 30 * 86_400_000;
/** Bytes of a file's text that the search sees. The bound keeps a write small beside the others of its commit. */
export const SEARCHED_BYTES = 64 * 1024;

/** Passwords of one share that may be tried in one window: enough for typing errors, too few for a dictionary. */
export const PASSWORD_ATTEMPTS = 10;
export const PASSWORD_WINDOW_MS = 600_000;

/** Repositories of one workspace, which are all in its record. */
export const MAX_REPOSITORIES = 20;
/** Apps of one workspace, which are all in its record too. */
export const MAX_APPS = 20;
