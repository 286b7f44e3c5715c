/**
 * The embedded database's files: where they are, and making them once.
 *
 * The note `postgres.json` in the data folder is written before the cluster, and the cluster is
 * initialised under another name and renamed when it is complete and on disk. So a start that was
 * killed at any point leaves nothing, or a note and no cluster, or both whole.
 */
import { createHash, randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { DATABASE_NOTE } from "./data-folder.ts";
import { type Account, accountForRoot, canEnter, isRoot, makeOpenFolder, ownerOf } from "./postgres-account.ts";
import type { Binaries } from "./postgres-binaries.ts";
import { syncFolder, writePrivateFile } from "./private-file.ts";

export const SUPERUSER = "troupe";
/** Where root puts what PostgreSQL's user cannot reach elsewhere. */
export const SYSTEM_FOLDER = "/var/lib/troupe";

/** `elsewhere`: PostgreSQL's account cannot enter the data folder, so this folder has the cluster. */
interface Note {
  readonly password: string;
  readonly elsewhere?: string;
}

export interface Cluster {
  /** The PostgreSQL data directory; not there before `initialise`. */
  readonly path: string;
  readonly password: string;
  /** Whom the server runs as; null: this process's own user. */
  readonly account: Account | null;
  /** The folder outside the data folder that has the cluster, else null. */
  readonly elsewhere: string | null;
}

/**
 * Finds or plans the cluster of the data folder `folder`, and makes its parent one that the
 * server's account can enter. Only root may put it under `systemFolder`.
 */
export function placeCluster(folder: string, systemFolder: string): Cluster {
  const note = readNote(folder);
  if (note === null) return planCluster(folder, systemFolder);
  const elsewhere = note.elsewhere ?? null;
  if (elsewhere !== null && !existsSync(elsewhere)) {
    throw new Error(
      `${join(folder, DATABASE_NOTE)} says that the database is in ${elsewhere}, which does not exist. Put it back.`,
    );
  }
  const path = join(elsewhere ?? folder, "postgres");
  const account = isRoot() ? ((existsSync(path) ? ownerOf(path) : null) ?? accountForRoot()) : null;
  if (account !== null && !admit(account, dirname(path))) {
    throw new Error(
      `PostgreSQL cannot run as root, and its user (${account.name}) cannot enter ${dirname(path)}, where the database ` +
        "is. Move the data folder to a place that all users can enter, and set DATA_DIR to it.",
    );
  }
  assertOwn(path);
  return { path, password: note.password, account, elsewhere };
}

function planCluster(folder: string, systemFolder: string): Cluster {
  if (existsSync(join(folder, "postgres"))) {
    throw new Error(
      `${folder} has a database but not ${DATABASE_NOTE}, which holds its password. Put that file back, or move ` +
        "the database away.",
    );
  }
  const password = randomBytes(24).toString("base64url");
  const account = isRoot() ? accountForRoot() : null;
  let elsewhere: string | null = null;
  if (account !== null && !admit(account, folder)) {
    const key = createHash("sha256").update(folder).update(password).digest("hex").slice(0, 12);
    elsewhere = join(systemFolder, `data-${key}`);
    makeOpenFolder(systemFolder);
    mkdirSync(elsewhere, { mode: 0o700 });
    if (!admit(account, elsewhere)) throw new Error(`PostgreSQL's user ${account.name} cannot enter ${elsewhere}.`);
  }
  const note: Note = elsewhere === null ? { password } : { password, elsewhere };
  writePrivateFile(join(folder, DATABASE_NOTE), `${JSON.stringify(note, null, 2)}\n`);
  return { path: join(elsewhere ?? folder, "postgres"), password, account, elsewhere };
}

function readNote(folder: string): Note | null {
  const path = join(folder, DATABASE_NOTE);
  if (!existsSync(path)) return null;
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    value = null;
  }
  if (isNote(value)) return value;
  throw new Error(`${path} is damaged: it must hold the embedded database's password. Put the right one back.`);
}

function isNote(value: unknown): value is Note {
  if (typeof value !== "object" || value === null || !("password" in value)) return false;
  return typeof value.password === "string" && (!("elsewhere" in value) || typeof value.elsewhere === "string");
}

/** Lets `account` pass through `folder`, which root owns, and no one else; false if a parent bars it. */
function admit(account: Account, folder: string): boolean {
  if (canEnter(account, folder)) return true;
  if (!canEnter(account, dirname(folder)) || statSync(folder).uid !== 0) return false;
  chownSync(folder, 0, account.gid);
  chmodSync(folder, 0o710);
  return true;
}

/** A plain user cannot run a cluster that belongs to someone else; PostgreSQL's own message does not say why. */
function assertOwn(path: string): void {
  if (isRoot() || !existsSync(path)) return;
  const { uid } = statSync(path);
  if (uid === process.getuid?.()) return;
  throw new Error(`The database in ${path} belongs to another user (uid ${uid}). Start as that user or as root.`);
}

/** 16 MiB: a batch of commits is a megabyte of text, which takes a few times as much. */
const KEPT_BYTES = String(16 * 1024 * 1024);

/** What initdb and the server get of the environment: none of the service's keys. */
export const POSTGRES_ENVIRONMENT = {
  PATH: "/usr/bin:/bin",
  LC_ALL: "C",
  TZ: "UTC",
  // What a statement has had of memory stays with its backend: otherwise glibc gives it back to the system
  // after each batch of commits and asks for it again, page by page, which is a tenth of such a statement.
  MALLOC_TRIM_THRESHOLD_: KEPT_BYTES,
  MALLOC_MMAP_THRESHOLD_: KEPT_BYTES,
};

/** Identity for `Bun.spawn`. */
export function runAs(account: Account | null): { uid?: number; gid?: number } {
  return account === null ? {} : { uid: account.uid, gid: account.gid };
}

/** Makes the cluster if it is not there; throws if the one there is of another major version, or the signal's reason. */
export async function initialise(cluster: Cluster, binaries: Binaries, signal?: AbortSignal): Promise<boolean> {
  const parent = dirname(cluster.path);
  removeDrafts(parent);
  if (existsSync(cluster.path)) {
    assertVersion(cluster.path, binaries);
    return false;
  }
  // A name of its own: the initdb of a service that was killed may still run, and when it fails it
  // empties its folder.
  const draft = join(parent, `${DRAFT_PREFIX}${randomBytes(6).toString("hex")}`);
  const passwordFile = `${draft}.password`;
  mkdirSync(draft, { mode: 0o700 });
  writePrivateFile(passwordFile, `${cluster.password}\n`);
  if (cluster.account !== null) {
    for (const path of [draft, passwordFile]) chownSync(path, cluster.account.uid, cluster.account.gid);
  }
  try {
    await runInitdb(cluster, { initdb: binaries.initdb, draft, passwordFile }, signal);
  } finally {
    rmSync(passwordFile, { force: true });
  }
  renameSync(draft, cluster.path);
  syncFolder(parent);
  return true;
}

const DRAFT_PREFIX = "postgres.draft-";

/** What killed starts left. One that is still being written to cannot be removed, and goes the next time. */
function removeDrafts(parent: string): void {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(DRAFT_PREFIX)) continue;
    try {
      rmSync(join(parent, name), { recursive: true, force: true });
    } catch {
      continue;
    }
  }
}

async function runInitdb(
  cluster: Cluster,
  { initdb, draft, passwordFile }: { readonly initdb: string; readonly draft: string; readonly passwordFile: string },
  signal?: AbortSignal,
): Promise<void> {
  const child = Bun.spawn({
    cmd: [
      initdb,
      `--pgdata=${draft}`,
      `--username=${SUPERUSER}`,
      `--pwfile=${passwordFile}`,
      "--auth=scram-sha-256",
      // A new segment is written full of zeros and synced before it is used, and commits wait meanwhile: 16 MB, the
      // default, take 30 to 60 ms here.
      "--wal-segsize=2",
      // The password is random, so a slow hash protects nothing and would cost each connection 3 ms.
      "--set=scram_iterations=1",
      "--encoding=UTF8",
      // Byte order: the same on every machine and in every version, and the fastest.
      "--locale=C",
      "--no-instructions",
    ],
    cwd: "/",
    env: POSTGRES_ENVIRONMENT,
    stdio: ["ignore", "ignore", "pipe"],
    // A terminal's Ctrl-C reaches the service only, which decides.
    detached: true,
    ...runAs(cluster.account),
  });
  // It ends its own children and takes away what it has made.
  const callOff = (): void => child.kill("SIGTERM");
  signal?.addEventListener("abort", callOff);
  const [complaint, code] = await Promise.all([child.stderr.text(), child.exited]);
  signal?.removeEventListener("abort", callOff);
  signal?.throwIfAborted();
  if (code !== 0) throw new Error(`PostgreSQL's initdb failed (${child.signalCode ?? code}): ${complaint.trim()}`);
}

function assertVersion(path: string, binaries: Binaries): void {
  const found = readFileSync(join(path, "PG_VERSION"), "utf8").trim();
  const ours = binaries.version.split(".")[0];
  if (found === ours) return;
  throw new Error(
    `${basename(path)} in ${dirname(path)} was made by PostgreSQL ${found}, and this is ${binaries.version}. Dump it ` +
      "with the earlier version of this service and load it with this one.",
  );
}
