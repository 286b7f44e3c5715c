/**
 * The folder of a child: what of a workspace's files it can read, under the names in its job. The files
 * of a job are put there before it begins and removed when it has ended. The child can write nothing.
 */
import { mkdirSync, rmSync } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { assert } from "../../actors/assert.ts";

export interface SandboxFile {
  /** Where the job finds it, from its folder: names that were parsed as a path of a workspace (WSP-3). */
  readonly name: string;
  /** Puts the content at this path, where nothing is yet; false where there is no such content any more. */
  place(path: string): Promise<boolean>;
}

/** A new folder for a child, for this user only. */
export function makeFolder(root: string): string {
  const folder = join(root, crypto.randomUUID());
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** False where the content of one is gone. */
export async function fill(folder: string, files: readonly SandboxFile[]): Promise<boolean> {
  // Without bubblewrap a child that was taken over could have put links here, which what follows would go through.
  await empty(folder);
  for (const { name, place } of files) {
    const path = join(folder, name);
    assert(path.startsWith(`${folder}/`) && !name.includes("\0"), "a file of a job is in its folder");
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    if (!(await place(path))) return false;
  }
  return true;
}

export async function empty(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
