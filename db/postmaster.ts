/**
 * One PostgreSQL server process (the postmaster): finding, starting, watching and stopping it.
 *
 * It is started in a session of its own, so that a terminal's Ctrl-C reaches only the service, which can drain before
 * the database stops. It writes its log to a file, so that it outlives a killed service. The next service finds it by
 * `postmaster.pid`. A pid in a file proves nothing (the machine may have rebooted, and the pid may be reused): a
 * process counts as the postmaster only if it works in the cluster's own directory.
 */
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { placeCluster, POSTGRES_ENVIRONMENT, runAs, SUPERUSER, SYSTEM_FOLDER } from "./postgres-cluster.ts";
import type { SystemAccount } from "./postgres-account.ts";
import { join } from "node:path";
import { DATABASE_NOTE } from "./data-folder.ts";

/** The contents of `postmaster.pid`. */
export interface PidFile {
  readonly pid: number;
  readonly port: number;
  /** `starting`, `ready`, `stopping`, or empty if it is too early to tell. */
  readonly status: string;
}

/** The interval between two checks of a process or its files. */
const POSTMASTER_POLL_MS = 2;
/** Crash recovery replays up to `max_wal_size` of log; on a slow disk that takes a while. */
const READY_LIMIT_MS = 120_000;
/** How long each step of a stop may take. A fast shutdown writes what is in the buffers, which are small. */
const STOP_LIMITS_MS = { SIGINT: 20_000, SIGQUIT: 5_000, SIGKILL: 5_000 };
const LOG_LIMIT_BYTES = 1024 * 1024;

/** The server ended before it was ready. `log` is its output. */
export class PostmasterFailed extends Error {
  override readonly name = "PostmasterFailed";
  readonly log: string;

  constructor(reason: string, log: string) {
    super(`PostgreSQL did not start (${reason}): ${log.trim() || "it wrote no log"}`);
    this.log = log;
  }
}

export interface PostmasterCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly cluster: string;
  readonly account: SystemAccount | null;
  readonly logFile: string;
  /** Stops the starting server; its reason is thrown. */
  readonly signal?: AbortSignal;
}

/** Starts the server and resolves when it accepts connections; throws `PostmasterFailed` if it ends before. */
export async function startPostmaster(command: PostmasterCommand): Promise<Bun.Subprocess> {
  const log = openLog(command.logFile);
  const logStart = fstatSync(log).size;
  let child: Bun.Subprocess;
  try {
    child = Bun.spawn({
      cmd: [command.program, ...command.args],
      cwd: "/",
      env: POSTGRES_ENVIRONMENT,
      stdio: ["ignore", log, log],
      detached: true,
      ...runAs(command.account),
    });
  } finally {
    closeSync(log);
  }
  child.unref();
  const deadline = performance.now() + READY_LIMIT_MS;
  while (!isReady(command.cluster, child.pid)) {
    const reason = child.signalCode ?? child.exitCode;
    if (reason !== null) throw new PostmasterFailed(String(reason), readFrom(command.logFile, logStart));
    if (performance.now() > deadline) {
      await stopProcess(child.pid);
      throw new PostmasterFailed(`not ready after ${READY_LIMIT_MS / 1000} s`, readFrom(command.logFile, logStart));
    }
    if (command.signal?.aborted === true) {
      await stopProcess(child.pid);
      throw command.signal.reason;
    }
    await Bun.sleep(POSTMASTER_POLL_MS);
  }
  return child;
}

function isReady(cluster: string, pid: number): boolean {
  const file = readPidFile(cluster);
  return file !== null && file.pid === pid && file.status === "ready";
}

/** Null if the file does not exist, or is not complete yet. */
export function readPidFile(cluster: string): PidFile | null {
  let lines: readonly string[];
  try {
    lines = readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n");
  } catch {
    return null;
  }
  const pid = Number(lines[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return null;
  return { pid, port: Number(lines[3] ?? 0), status: (lines[7] ?? "").trim() };
}

/**
 * The arguments of the last start, which PostgreSQL keeps in the cluster after its end; null before the first start.
 */
export function lastArguments(cluster: string): readonly string[] | null {
  try {
    const options = readFileSync(join(cluster, "postmaster.opts"), "utf8");
    return [...options.matchAll(/ "([^"]*)"/g)].map((match) => match[1] ?? "");
  } catch {
    return null;
  }
}

/** Whether the process `pid` is running and is the server of `cluster`. */
export function isPostmasterOf(pid: number, cluster: string): boolean {
  if (!isRunning(pid)) return false;
  if (process.platform !== "linux") return processField(pid, "command").includes(cluster);
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster) && processName(pid) === "postgres";
  } catch {
    return false;
  }
}

function processName(pid: number): string {
  return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
}

/** False for a zombie too: it has ended, but its parent has not reaped it. */
export function isRunning(pid: number): boolean {
  if (process.platform !== "linux") return /^[^Z]/.test(processField(pid, "stat"));
  try {
    // "pid (name) state …"; the name may contain brackets and spaces.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const state = stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3);
    return state !== "Z" && state !== "X";
  } catch {
    return false;
  }
}

/**
 * Whether the process has ended without being reaped, so that its pid is still taken. In containers, some parents never
 * reap.
 */
export function isZombie(pid: number): boolean {
  try {
    return process.kill(pid, 0) && !isRunning(pid);
  } catch {
    return false;
  }
}

function processField(pid: number, field: string): string {
  return Bun.spawnSync({ cmd: ["ps", "-o", `${field}=`, "-p", String(pid)] })
    .stdout.toString()
    .trim();
}

/**
 * Stops the server: a fast shutdown (connections are closed, everything is written), then an immediate one (the next
 * start recovers from the log), then a kill. Resolves when the process is gone; its children end before it, or by
 * themselves when they notice its end.
 */
export async function stopProcess(pid: number, limitsMs = STOP_LIMITS_MS): Promise<void> {
  for (const signal of ["SIGINT", "SIGQUIT", "SIGKILL"] as const) {
    if (!send(pid, signal)) return;
    if (await hasProcessEnded(pid, limitsMs[signal])) return;
  }
  throw new Error(`PostgreSQL (process ${pid}) cannot be stopped.`);
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  if (!isRunning(pid)) return false;
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
    throw error;
  }
}

async function hasProcessEnded(pid: number, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  while (isRunning(pid)) {
    if (performance.now() > deadline) return false;
    await Bun.sleep(POSTMASTER_POLL_MS);
  }
  return true;
}

/** Removes a pid file whose process is certainly not this cluster's server, but is alive and would block the start. */
export function removeStalePidFile(cluster: string): void {
  rmSync(join(cluster, "postmaster.pid"), { force: true });
}

/**
 * Replaces the pid of an ended server, now a zombie, by this process's pid. PostgreSQL would take the zombie for a
 * living server, but it ignores the pid of its own parent. The rest of the file stays, because PostgreSQL uses it to
 * find out whether children of the ended server still use its memory.
 */
export function takeOverPidFile(cluster: string): void {
  const path = join(cluster, "postmaster.pid");
  const [, ...rest] = readFileSync(path, "utf8").split("\n");
  writeFileSync(path, [process.pid, ...rest].join("\n"));
}

function openLog(path: string): number {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LOG_LIMIT_BYTES) renameSync(path, `${path}.1`);
  return openSync(path, "a", 0o600);
}

function readFrom(path: string, start: number): string {
  const file = openSync(path, "r");
  try {
    const tail = Buffer.alloc(Math.min(Math.max(fstatSync(file).size - start, 0), 16 * 1024));
    return tail.toString("utf8", 0, readSync(file, tail, 0, tail.length, start));
  } finally {
    closeSync(file);
  }
}

/**
 * The URL of a data folder's embedded database, for readers beside its service; null if it is not running or not ready.
 * `folder` is absolute.
 */
export function runningUrl(folder: string): string | null {
  if (!existsSync(join(folder, DATABASE_NOTE))) return null;
  const { path, password } = placeCluster(folder, SYSTEM_FOLDER);
  const file = readPidFile(path);
  if (file === null || file.status !== "ready" || !isPostmasterOf(file.pid, path)) return null;
  return embeddedUrl(password, file.port);
}

/** The url of the embedded database. */
export const embeddedUrl = (password: string, port: number): string =>
  `postgres://${SUPERUSER}:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`;
