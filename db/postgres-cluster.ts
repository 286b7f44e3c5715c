/**
 * The embedded database's files: their place, and their creation.
 *
 * The note `postgres.json` in the data folder is written before the cluster. The cluster is initialised under another
 * name, and renamed when it is complete and on disk. So a start that is killed at any point leaves nothing, or a note
 * without a cluster, or both complete.
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
import { type SystemAccount, accountForRoot, canEnter, isRoot, makeOpenFolder, ownerOf } from "./postgres-account.ts";
import type { Binaries } from "./postgres-binaries.ts";
import { syncFolder, writePrivateFile } from "./private-file.ts";

export const SUPERUSER = "troupe";
/** Where root puts files that PostgreSQL's user cannot reach elsewhere. */
export const SYSTEM_FOLDER = "/var/lib/troupe";

/** `elsewhere`: the folder of the cluster if PostgreSQL's account cannot enter the data folder. */
interface Note {
  readonly password: string;
  readonly elsewhere?: string;
}

export interface Cluster {
  /** The PostgreSQL data directory; created by `initialise`. */
  readonly path: string;
  readonly password: string;
  /** The account that runs the server; null: this process's own user. */
  readonly account: SystemAccount | null;
  /** The folder of the cluster if it is outside the data folder, else null. */
  readonly elsewhere: string | null;
}

/**
 * Finds or plans the cluster of the data folder `folder`, and creates its parent so that the server's account can enter
 * it. Only root may put it under `systemFolder`.
 */
export function placeCluster(folder: string, systemFolder: string): Cluster {
  const note = readDatabaseNote(folder);
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

function readDatabaseNote(folder: string): Note | null {
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

/** Lets only `account` pass through `folder`, which root owns; false if a parent bars it. */
function admit(account: SystemAccount, folder: string): boolean {
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

/** 16 MiB: a batch of commits is a megabyte of text, and needs a few times as much memory. */
const WAL_BUFFER_BYTES = String(16 * 1024 * 1024);

/** The environment of initdb and the server, without the service's keys. */
export const POSTGRES_ENVIRONMENT = {
  PATH: "/usr/bin:/bin",
  LC_ALL: "C",
  TZ: "UTC",
  // Backends keep the memory of a statement. Otherwise glibc returns it to the system after each batch of commits and
  // requests it again, page by page, which takes a tenth of the statement's time.
  MALLOC_TRIM_THRESHOLD_: WAL_BUFFER_BYTES,
  MALLOC_MMAP_THRESHOLD_: WAL_BUFFER_BYTES,
};

/** The identity options for `Bun.spawn`. */
export function runAs(account: SystemAccount | null): { uid?: number; gid?: number } {
  return account === null ? {} : { uid: account.uid, gid: account.gid };
}

/**
 * Creates the cluster if it does not exist. Throws if an existing one has another major version; throws the signal's
 * reason.
 */
export async function initialise(cluster: Cluster, binaries: Binaries, signal?: AbortSignal): Promise<boolean> {
  const parent = dirname(cluster.path);
  removeDrafts(parent);
  if (existsSync(cluster.path)) {
    assertVersion(cluster.path, binaries);
    return false;
  }
  // A name of its own: the initdb of a killed service may still run, and empties its folder if it fails.
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

/** Removes the drafts of killed starts. A draft that is still being written cannot be removed until a later start. */
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
      // A new segment is filled with zeros and synced before its use, and commits wait meanwhile: the default of 16 MB
      // takes 30 to 60 ms here.
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
    // A terminal's Ctrl-C must reach only the service, which decides.
    detached: true,
    ...runAs(cluster.account),
  });
  // initdb ends its own children and removes its files.
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
