/**
 * The account that runs PostgreSQL. PostgreSQL refuses to run as root, so a service that runs as root gives its
 * processes and its cluster to another account: the owner of an existing cluster, else the user `postgres`, created if
 * missing, else `nobody`. A plain user needs no other account.
 */
import { chmodSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";

export interface SystemAccount {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** The system's side of the search; a parameter so that its order can be tested. */
export interface AccountSource {
  find(name: string): SystemAccount | null;
  /** Runs a program that adds a user; false if it is missing or fails. */
  run(command: readonly string[]): boolean;
}

const SYSTEM_ACCOUNT_NAME = "postgres";
const FALLBACK = "nobody";
/** Debian and Red Hat have the first, BusyBox (Alpine) the second. */
const ADD_USER = [
  ["useradd", "--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin", SYSTEM_ACCOUNT_NAME],
  ["adduser", "-S", "-D", "-H", "-s", "/sbin/nologin", SYSTEM_ACCOUNT_NAME],
];

export const isRoot = (): boolean => process.getuid?.() === 0;

/** The account that root gives a new cluster to. Throws if the system has none and cannot create one. */
export function accountForRoot(source: AccountSource = systemAccounts): SystemAccount {
  const found = source.find(SYSTEM_ACCOUNT_NAME);
  if (found !== null) return found;
  for (const command of ADD_USER) {
    const made = source.run(command) ? source.find(SYSTEM_ACCOUNT_NAME) : null;
    if (made !== null) return made;
  }
  const nobody = source.find(FALLBACK);
  if (nobody !== null) return nobody;
  throw new Error("PostgreSQL does not run as root, and there is no user to run it as. Add a user named postgres.");
}

/** The account that owns `path`, for a service that runs as root; null if that is root itself. */
export function ownerOf(path: string): SystemAccount | null {
  const { uid, gid } = statSync(path);
  return uid === 0 ? null : { name: `uid ${uid}`, uid, gid };
}

/**
 * Whether `account` may enter the folder `path` through each of its parents, by their mode bits. Ignores access control
 * lists.
 */
export function canEnter(account: SystemAccount, path: string): boolean {
  for (let folder = path; ; folder = dirname(folder)) {
    if ((permissions(account, folder) & 0o1) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** Whether `account` may read the file at `path`, whose folder it can enter. */
export const canRead = (account: SystemAccount, path: string): boolean => (permissions(account, path) & 0o4) !== 0;

/** Creates a folder that everyone can enter, whatever the umask; does not change an existing one. */
export function makeOpenFolder(path: string): void {
  const first = mkdirSync(path, { recursive: true });
  if (first === undefined) return;
  for (let folder = path; ; folder = dirname(folder)) {
    chmodSync(folder, 0o755);
    if (folder === first || folder === dirname(folder)) return;
  }
}

/** The three mode bits (rwx) that apply to `account`. The owner's bits apply even where others' allow more. */
function permissions(account: SystemAccount, path: string): number {
  const { mode, uid, gid } = statSync(path);
  if (uid === account.uid) return (mode >> 6) & 0o7;
  if (gid === account.gid) return (mode >> 3) & 0o7;
  return mode & 0o7;
}

const systemAccounts: AccountSource = {
  find(name) {
    for (const line of readFileSync("/etc/passwd", "utf8").split("\n")) {
      const [user, , uid, gid] = line.split(":");
      if (user === name) return { name, uid: Number(uid), gid: Number(gid) };
    }
    return null;
  },
  run(command) {
    try {
      return Bun.spawnSync({ cmd: [...command], stdio: ["ignore", "ignore", "ignore"] }).success;
    } catch {
      return false;
    }
  },
};
