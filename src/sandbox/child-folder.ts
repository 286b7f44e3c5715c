/**
 * The folder of a child: the workspace files that it can read, under the names in its job. A job's files are placed
 * there before it begins and removed after it ends. The child cannot write.
 */
import { mkdirSync, rmSync } from "node:fs";
import { lchown, mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { assert } from "../../actors/assert.ts";

export interface SandboxFile {
  /** The file's path in the folder, already parsed as a path of a workspace (WSP-3). */
  readonly name: string;
  /** Writes the content to this new path; false if the content no longer exists. */
  place(path: string): Promise<boolean>;
}

/** Creates a folder for a child, accessible to this user only. */
export function makeFolder(root: string): string {
  const folder = join(root, crypto.randomUUID());
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** False if the content of a file is gone. `user`: who must be able to read them besides root; null: the service's user. */
export async function fillFolder(
  folder: string,
  files: readonly SandboxFile[],
  user: number | null = null,
): Promise<boolean> {
  // Without bubblewrap, a compromised child could have left links here that the writes below would follow.
  await empty(folder);
  for (const { name, place } of files) {
    const path = join(folder, name);
    assert(path.startsWith(`${folder}/`) && !name.includes("\0"), "a file of a job is in its folder");
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    if (!(await place(path))) return false;
  }
  if (user !== null) await giveTo(user, folder);
  return true;
}

/** Makes a user the owner of all that is below a folder. Links are not followed. */
export async function giveTo(user: number, folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    await lchown(path, user, user);
    if (entry.isDirectory()) await giveTo(user, path);
  }
}

export async function empty(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
