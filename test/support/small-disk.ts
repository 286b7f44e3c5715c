/** File systems of a few megabytes, which only root can make. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

export const run = (...cmd: string[]): boolean => Bun.spawnSync({ cmd, stderr: "ignore" }).success;

/** Puts a file system of this size at a folder. */
export const mountSmallDisk = (folder: string, mib: number): boolean =>
  run("mount", "-t", "tmpfs", "-o", `size=${mib}m,mode=755`, "troupe", folder);

/** Takes it away again, even while it is in use. */
export const unmount = (folder: string): boolean => run("umount", "-l", folder);

/** Whether this user may mount, tried at a place that is taken away again. */
export function mayMount(): boolean {
  if (process.getuid?.() !== 0) return false;
  const folder = join("/tmp", `troupe-mount-${process.pid}`);
  mkdirSync(folder);
  const may = mountSmallDisk(folder, 1) && run("umount", folder);
  rmSync(folder, { recursive: true });
  return may;
}
