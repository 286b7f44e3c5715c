/**
 * The Bun that runs the tests, for child processes. It may be in nobody's PATH and in a folder that only its owner
 * may enter: `npx -y bun` keeps it in `~/.npm`.
 */
import { copyFileSync, existsSync, linkSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";

/** Makes a folder in `parent` that holds this Bun as `bun`; for the PATH of a child that runs as this user. */
export function bunFolder(parent: string): string {
  const folder = join(parent, "bun-in-path");
  mkdirSync(folder, { recursive: true });
  const link = join(folder, "bun");
  if (!existsSync(link)) symlinkSync(process.execPath, link);
  return folder;
}

/** Puts this Bun into `parent`, which every user may enter, so that a child can run as another user. */
export function bunForEveryUser(parent: string): string {
  const program = join(parent, "bun-for-every-user");
  if (existsSync(program)) return program;
  try {
    linkSync(process.execPath, program);
  } catch {
    // Another file system, or a kernel that lets only the owner link.
    copyFileSync(process.execPath, program);
  }
  return program;
}
