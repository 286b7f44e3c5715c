/**
 * Where tests make the folders that they write most. The database of a test is a few hundred small files that live
 * for a second, and a file system on a disk spends more of the processor on them than the test does. So they are in
 * memory where the system has a file system there with enough room, and among the temporary files elsewhere.
 */
import { accessSync, constants, mkdtempSync, readFileSync, realpathSync, statfsSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";

/** `disk` is for what memory must not hold: programs to start, clones as hard links, and what is measured. */
export type FolderPlace = "memory" | "disk";

/** Linux's shared memory, which every user may write to. */
const SHARED_MEMORY = "/dev/shm";
/** Bytes for several servers with their logs. Containers often have 64 MiB there, however much memory they have. */
const LEAST_ROOM = 4 * 1024 ** 3;

/** A new folder; its absolute path, without symbolic links. */
export function makeTemporaryFolder(prefix: string, place: FolderPlace): string {
  const parent = place === "memory" && isRoomyMemory() ? SHARED_MEMORY : tmpdir();
  return realpathSync(mkdtempSync(join(parent, prefix)));
}

function isRoomyMemory(): boolean {
  try {
    const isMemory = readFileSync("/proc/mounts", "utf8").includes(` ${SHARED_MEMORY} tmpfs rw`);
    accessSync(SHARED_MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    return isMemory && Math.min(bavail * bsize, freemem()) >= LEAST_ROOM;
  } catch {
    return false;
  }
}
