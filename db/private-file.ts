/** Files that only their owner may read, replaced atomically: a reader sees the old text or the new one, never half. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** Makes a folder's entries (names, renames) survive a power failure. */
export function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/**
 * Writes `text` to `path` with mode 0600 and makes it durable before it returns. The caller is the only writer of
 * `path` (it holds the folder's lock), so the temporary name can be fixed, and a run that is killed in between leaves
 * at most one file behind.
 */
export function writePrivateFile(path: string, text: string): void {
  const draft = `${path}.new`;
  rmSync(draft, { force: true });
  const file = openSync(draft, "wx", 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
  syncFolder(dirname(path));
}
