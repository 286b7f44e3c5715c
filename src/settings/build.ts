/**
 * Which code this is (VER-2): its version, and its commit from the build, else from the git clone that it runs from, else unknown. It reads git's
 * files and does not run git, which may be missing and refuses clones of other users.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import type { Config } from "./settings.ts";

export const SERVICE_VERSION: string = manifest.version;

export interface Build {
  /** The full commit id; null if unknown. */
  readonly commit: string | null;
  /** ISO 8601 in UTC; null if this is not a build. */
  readonly builtAt: string | null;
}

const ROOT = resolve(import.meta.dir, "../..");

export function buildOf({ buildCommit, buildTime }: Pick<Config, "buildCommit" | "buildTime">, root = ROOT): Build {
  return {
    commit: buildCommit ?? checkedOutCommit(root),
    builtAt: buildTime === undefined ? null : new Date(buildTime).toISOString(),
  };
}

const COMMIT = /^[0-9a-f]{40}([0-9a-f]{24})?$/;

/** The commit that is checked out in this folder; null if it is not a clone. */
function checkedOutCommit(root: string): string | null {
  const folder = gitFolderOf(root);
  if (folder === null) return null;
  const head = trimmedFile(join(folder, "HEAD"));
  if (head === null || COMMIT.test(head)) return head;
  const ref = /^ref: (refs\/\S+)$/.exec(head)?.[1];
  if (ref === undefined) return null;
  // A worktree's branches are stored in the clone that it belongs to.
  const shared = resolve(folder, trimmedFile(join(folder, "commondir")) ?? ".");
  const found = trimmedFile(join(shared, ref)) ?? packedRef(trimmedFile(join(shared, "packed-refs")), ref);
  return found !== null && COMMIT.test(found) ? found : null;
}

/** `.git`, or in a worktree the folder that the file `.git` names. */
function gitFolderOf(root: string): string | null {
  const path = join(root, ".git");
  const named = /^gitdir: (.+)$/.exec(trimmedFile(path) ?? "")?.[1];
  if (named !== undefined) return resolve(root, named);
  return trimmedFile(join(path, "HEAD")) === null ? null : path;
}

const packedRef = (packed: string | null, ref: string): string | null =>
  packed
    ?.split("\n")
    .find((line) => line.endsWith(` ${ref}`))
    ?.split(" ")[0] ?? null;

/** A file's trimmed text; null if it cannot be read. */
function trimmedFile(path: string): string | null {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return null;
  }
}
