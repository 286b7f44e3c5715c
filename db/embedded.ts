/**
 * The embedded PostgreSQL: a real server under the data folder, from binaries in an npm package. It is as durable as
 * any (fsync and synchronous_commit stay on, except where a test turns them off), small, and reachable only from this
 * machine, with a password.
 *
 * The caller holds the data folder's lock, so a server that already runs there has lost its service:
 *
 *   no cluster ──initdb──▶ stopped ──start──▶ running ──stop()──▶ stopped
 *                                                │ the service is killed
 *                                                ▼
 *                                             orphaned ──next start──▶ adopted, or stopped and restarted
 *
 * An orphan is adopted only if it is the server of this cluster, of this version and with these settings, and answers.
 * The url is the same before and after.
 */
import { join } from "node:path";
import postgres from "postgres";
import { lockFolder } from "./folder-lock.ts";
import { type Binaries, locateBinaries } from "./postgres-binaries.ts";
import {
  embeddedUrl,
  isPostmasterOf,
  isRunning,
  isZombie,
  lastArguments,
  type PidFile,
  PostmasterFailed,
  readPidFile,
  removeStalePidFile,
  startPostmaster,
  stopProcess,
  takeOverPidFile,
} from "./postmaster.ts";
import { type Cluster, SYSTEM_FOLDER, initialise, placeCluster } from "./postgres-cluster.ts";

export interface EmbeddedOptions {
  /** The data folder, absolute; the caller holds its lock until after `stop()`. */
  readonly folder: string;
  readonly log: (level: "info" | "warn", message: string) => void;
  /** The server ended without `stop()`. Called once. */
  readonly onExit?: (reason: string) => void;
  /** Where root puts files that PostgreSQL's user cannot reach elsewhere. */
  readonly systemFolder?: string;
  /** Aborts the start: what has been started is stopped, and the signal's reason is thrown. */
  readonly signal?: AbortSignal;
  /**
   * For tests: settings of the server that replace ours, such as `fsync=off` if no data has to survive a crash of the
   * machine.
   */
  readonly settings?: readonly string[];
}

export interface EmbeddedPostgres {
  /** With the password. It is the same as long as the server runs, even for a process that adopts it. */
  readonly url: string;
  readonly pid: number;
  /** Whether an earlier service had started it. */
  readonly adopted: boolean;
  /** Fast shutdown; resolves when no process is left. Close connections first, because they would be cut. */
  stop(): Promise<void>;
}

/** Below the range that systems use for ports of outgoing connections. */
const PORT_FIRST = 20_000;
const PORT_LAST = 32_767;
const PORT_TRIES = 20;
/** How long the children of a killed server may hold its memory. */
const REMNANT_TRIES = 100;
const REMNANT_WAIT_MS = 50;
const ANSWER_LIMIT_S = 2;
/** How often to check for the end of an adopted server, which is not a child of this process. */
const ADOPTED_WATCH_MS = 500;

/**
 * Only one service uses the server, so features for many users, replicas or large queries are off. 17 MiB when idle.
 */
export const SERVER_SETTINGS = [
  "listen_addresses=127.0.0.1",
  "unix_socket_directories=",
  "cluster_name=troupe",
  // Durability, set explicitly: a changed postgresql.conf must not weaken it.
  "fsync=on",
  "synchronous_commit=on",
  "full_page_writes=on",
  // The working set of one service; the system's cache holds the rest.
  "shared_buffers=32MB",
  // A few batches of the group commit.
  "wal_buffers=2MB",
  "max_wal_size=512MB",
  "max_connections=40",
  "huge_pages=off",
  // Saves a process for each worker that is not needed here.
  "io_method=sync",
  "max_worker_processes=0",
  "max_parallel_workers=0",
  "max_parallel_workers_per_gather=0",
  "max_parallel_maintenance_workers=0",
  "autovacuum_worker_slots=1",
  "autovacuum_max_workers=1",
  "wal_level=minimal",
  "max_wal_senders=0",
  "max_replication_slots=0",
  "max_logical_replication_workers=0",
  "jit=off",
  "timezone=UTC",
  "log_timezone=UTC",
  "log_checkpoints=off",
  "log_line_prefix=%m [%p] ",
].flatMap((setting) => ["-c", setting]);

/** Starts or adopts the server of a data folder, and creates its cluster on the first run. */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const systemFolder = options.systemFolder ?? SYSTEM_FOLDER;
  const cluster = placeCluster(options.folder, systemFolder);
  // A copied data folder has a copied note: two services must not share the cluster that it names.
  const unlock = cluster.elsewhere === null ? () => {} : lockFolder(cluster.elsewhere);
  try {
    const binaries = locateBinaries(cluster.account, systemFolder);
    options.signal?.throwIfAborted();
    if (await initialise(cluster, binaries, options.signal))
      options.log("info", `made a PostgreSQL ${binaries.version} database in ${cluster.path}`);
    options.signal?.throwIfAborted();
    const adopted = await adopt(cluster, binaries, options);
    const running = adopted ?? (await startServer(cluster, binaries, options));
    return superviseServer({ ...running, adopted: adopted !== null }, cluster, options, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

interface RunningServer {
  readonly pid: number;
  readonly port: number;
  /** Null for an adopted server, which is not a child of this process. */
  readonly child: Bun.Subprocess | null;
}

function superviseServer(
  running: RunningServer & { readonly adopted: boolean },
  cluster: Cluster,
  options: EmbeddedOptions,
  unlock: () => void,
): EmbeddedPostgres {
  const { pid, child } = running;
  let stopping: Promise<void> | null = null;
  const ended = (reason: string) => {
    if (stopping === null) options.onExit?.(`PostgreSQL (process ${pid}) ended: ${reason}`);
  };
  const watch = child === null ? setInterval(look, ADOPTED_WATCH_MS) : null;
  watch?.unref();
  function look() {
    if (isRunning(pid)) return;
    clearInterval(watch ?? undefined);
    ended("it is gone");
  }
  void child?.exited.then((code) => ended(String(child.signalCode ?? code)));
  const stop = async () => {
    clearInterval(watch ?? undefined);
    if (isPostmasterOf(pid, cluster.path)) await stopProcess(pid);
    await child?.exited;
    unlock();
  };
  return {
    url: embeddedUrl(cluster.password, running.port),
    pid,
    adopted: running.adopted,
    stop: () => (stopping ??= stop()),
  };
}

const argumentsFor = (cluster: Cluster, port: number, { settings = [] }: EmbeddedOptions): readonly string[] => [
  "-D",
  cluster.path,
  "-p",
  String(port),
  ...SERVER_SETTINGS,
  ...settings.flatMap((setting) => ["-c", setting]),
];

/** The server that a killed service left behind, if it is usable; an unusable one is stopped. */
async function adopt(cluster: Cluster, binaries: Binaries, options: EmbeddedOptions): Promise<RunningServer | null> {
  const file = readPidFile(cluster.path);
  if (file === null) return null;
  if (!isRunning(file.pid)) {
    takeOverFromZombie(cluster);
    return null;
  }
  if (!isPostmasterOf(file.pid, cluster.path)) {
    options.log("warn", `process ${file.pid} is not the PostgreSQL that postmaster.pid meant; the file is removed`);
    removeStalePidFile(cluster.path);
    return null;
  }
  const refusal = await whyNotAdopt(file, cluster, binaries, options);
  if (refusal === null) {
    options.log("info", `adopted the running PostgreSQL (process ${file.pid}, port ${file.port})`);
    return { pid: file.pid, port: file.port, child: null };
  }
  options.log("warn", `stopping the PostgreSQL that was left running (process ${file.pid}): ${refusal}`);
  await stopProcess(file.pid);
  return null;
}

/** A killed server that its parent has not reaped blocks the lock file with its pid alone. */
function takeOverFromZombie(cluster: Cluster): void {
  const file = readPidFile(cluster.path);
  if (file !== null && isZombie(file.pid)) takeOverPidFile(cluster.path);
}

/** Null when the server can be adopted. */
async function whyNotAdopt(
  file: PidFile,
  cluster: Cluster,
  binaries: Binaries,
  options: EmbeddedOptions,
): Promise<string | null> {
  if (file.status !== "ready") return `it is ${file.status || "not ready"}`;
  if (lastArguments(cluster.path)?.join("\n") !== argumentsFor(cluster, file.port, options).join("\n"))
    return "its settings are others";
  const sql = postgres(embeddedUrl(cluster.password, file.port), {
    max: 1,
    connect_timeout: ANSWER_LIMIT_S,
    onnotice: () => {},
  });
  try {
    const answer = sql<{ version: string }[]>`select current_setting('server_version') as version`;
    const rows = await Promise.race([answer, Bun.sleep(ANSWER_LIMIT_S * 1000)]);
    if (rows === undefined) return "it does not answer";
    const version = rows[0]?.version;
    return version === binaries.version ? null : `it is version ${version}, and this is ${binaries.version}`;
  } catch (error) {
    return `it does not answer: ${String(error)}`;
  } finally {
    await sql.end({ timeout: 0 });
  }
}

/** Starts on the last port or a free one; retries after each passing failure. */
async function startServer(cluster: Cluster, binaries: Binaries, options: EmbeddedOptions): Promise<RunningServer> {
  let port = lastPort(cluster.path) ?? randomPort();
  let portTries = 0;
  let remnantTries = 0;
  for (;;) {
    const startedAt = performance.now();
    try {
      const child = await startPostmaster({
        program: binaries.postgres,
        args: argumentsFor(cluster, port, options),
        cluster: cluster.path,
        account: cluster.account,
        logFile: join(options.folder, "postgres.log"),
        ...(options.signal === undefined ? {} : { signal: options.signal }),
      });
      const tookMs = Math.round(performance.now() - startedAt);
      options.log("info", `PostgreSQL ${binaries.version} runs (process ${child.pid}, port ${port}, ${tookMs} ms)`);
      return { pid: child.pid, port, child };
    } catch (error) {
      if (!(error instanceof PostmasterFailed)) throw error;
      if (isPortTaken(error.log) && portTries++ < PORT_TRIES) port = randomPort();
      else if (isRemnantInTheWay(error.log) && remnantTries++ < REMNANT_TRIES) {
        await Bun.sleep(REMNANT_WAIT_MS);
        takeOverFromZombie(cluster);
      } else throw error;
    }
  }
}

const isPortTaken = (log: string): boolean => log.includes("Address already in use");

/**
 * The children of a killed server notice its end, but not at once. And a server that is killed just now may end between
 * our check of its lock file and PostgreSQL's.
 */
const isRemnantInTheWay = (log: string): boolean =>
  log.includes("pre-existing shared memory block") || log.includes('lock file "postmaster.pid" already exists');

function lastPort(cluster: string): number | null {
  const args = lastArguments(cluster);
  const port = Number(args?.[args.indexOf("-p") + 1]);
  return Number.isInteger(port) && port >= PORT_FIRST && port <= PORT_LAST ? port : null;
}

const randomPort = (): number => PORT_FIRST + Math.floor(Math.random() * (PORT_LAST - PORT_FIRST + 1));
