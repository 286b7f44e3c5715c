/**
 * A lock on a folder, which proves that no other process uses it: the kernel holds the lock and releases it when the
 * process dies, however it dies.
 *
 * Bun has no `fcntl`, but SQLite locks its file with one: an open exclusive transaction on an empty database is a lock.
 * POSIX record locks belong to the process and are not inherited, so an orphaned child (PostgreSQL after a kill -9)
 * does not keep the folder locked. They have one trap: a process that closes any other descriptor of the file loses
 * them. So nothing else may open `lock`, and the holder's pid is in a file of its own.
 */
import { Database } from "bun:sqlite";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { writePrivateFile } from "./private-file.ts";

const LOCK_FILE = "lock";
const HOLDER_FILE = "lock.pid";

/** Another living process holds the folder. `pid` is null if that process has not written its pid yet. */
export class FolderInUse extends Error {
  override readonly name = "FolderInUse";
  readonly folder: string;
  readonly pid: number | null;

  constructor(folder: string, pid: number | null) {
    const holder = pid === null ? "another process" : `process ${pid}`;
    super(`The data folder ${folder} is in use by ${holder}. Stop it first, or set DATA_DIR to another folder.`);
    this.folder = folder;
    this.pid = pid;
  }
}

/** Differs for each boot of a system (Linux), and is the same in all of its containers. */
const BOOT_ID = "/proc/sys/kernel/random/boot_id";

/**
 * A name for the folder that is unique on the running system. The holder of the lock of a folder with this name knows
 * that an earlier holder is dead. A copy, another machine and another boot of this one have other names. Null if the
 * system provides no such names.
 */
export function folderName(folder: string): string | null {
  try {
    const { dev, ino } = statSync(folder, { bigint: true });
    return `${readFileSync(BOOT_ID, "utf8").trim()}:${dev}:${ino}`;
  } catch {
    return null;
  }
}

/** Keeps the handles reachable: garbage collection would close them and release the lock. */
const held = new Set<Database>();

/**
 * Locks `folder`, which must exist, until the returned function is called or the process dies. Throws `FolderInUse` at
 * once if another process, or this one, holds it.
 */
export function lockFolder(folder: string): () => void {
  const lock = open(folder);
  held.add(lock);
  writePrivateFile(join(folder, HOLDER_FILE), `${process.pid}\n`);
  return () => {
    if (!held.delete(lock)) return;
    lock.close();
  };
}

/** Throws `FolderInUse` if another process holds the folder now. Makes nothing, holds nothing, and says nothing else. */
export function refuseInUse(folder: string): void {
  if (!existsSync(join(folder, LOCK_FILE))) return;
  try {
    open(folder).close();
  } catch (cause) {
    if (cause instanceof FolderInUse) throw cause;
  }
}

function open(folder: string): Database {
  let lock: Database | null = null;
  try {
    lock = new Database(join(folder, LOCK_FILE), { create: true });
    lock.run("PRAGMA busy_timeout = 0");
    lock.run("PRAGMA journal_mode = MEMORY");
    lock.run("PRAGMA locking_mode = EXCLUSIVE");
    lock.run("BEGIN EXCLUSIVE");
    return lock;
  } catch (error) {
    lock?.close();
    if (sqliteCode(error).startsWith("SQLITE_BUSY")) throw new FolderInUse(folder, livingHolder(folder));
    throw new Error(`The data folder ${folder} cannot be locked: ${String(error)}`, { cause: error });
  }
}

function sqliteCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** The pid that the holder wrote; null if it is not written yet, or is left over from a dead process. */
function livingHolder(folder: string): number | null {
  try {
    const pid = Number(readFileSync(join(folder, HOLDER_FILE), "utf8"));
    return Number.isSafeInteger(pid) && pid > 0 && isAlive(pid) ? pid : null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
