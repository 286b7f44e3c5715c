/**
 * Commands of agents (WSP-16): each in its own bubblewrap, over a folder with copies of files.
 *
 *   /workspace   the folder: all that it may change and keep
 *   /tmp         memory, of a bounded size; so is /dev/shm
 *   /usr, /lib   the programs of this machine, to read
 *
 * There is nothing else: no network, no other process, no environment, no file of the service. Output, time, memory of
 * each process, the number of processes and written bytes are bounded. When the command ends, so does everything that
 * it started.
 *
 * With a `proxy` it has one way out: a proxy on its own loopback, which `relay.ts`, a process beside the command,
 * forwards to a socket of the service.
 */
import { lchown, lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { lowerSession, manners } from "./low-priority.ts";
import { bubble, type Bubbled, withInputs, readOnlyMount, relayTo, SYSTEM_FOLDERS, writable } from "./bubble.ts";
import { type BubbleStyle, findStyle, styleOptions } from "./bubble-style.ts";
import { giveTo } from "./child-folder.ts";
import { watchCommand } from "./command-watch.ts";

export interface ShellLimits {
  /** Limits the wall time, and the CPU time of each process. */
  readonly timeoutMs: number;
  /** Bytes of the folder while the command runs, and of one file. */
  readonly folderBytes: number;
  /** Bytes of memory of all its processes together, with their files in memory and their sockets. */
  readonly memoryBytes: number;
  /** Bytes of output that are kept; the rest is dropped. */
  readonly outputBytes: number;
}

export interface ShellRun {
  readonly folder: string;
  readonly limits: ShellLimits;
  readonly signal: AbortSignal;
  /** The socket of an HTTP proxy: the only way out, if any. */
  readonly proxy?: string;
}

export type ShellEnd =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "timeout" | "too_large" | "aborted" | "memory" | "processes" };

export interface ShellResult {
  readonly end: ShellEnd;
  readonly output: string;
  readonly isCut: boolean;
}

/** Memory of one process, in bytes. */
const COMMAND_MEMORY_BYTES = 1024 * 1024 * 1024;
const COMMAND_OPEN_FILES = 256;
/** Processes and threads; bubblewrap itself needs two more. */
const PROCESSES = 128;
const OF_BUBBLEWRAP = 2;
/** Between two checks of the folder's size. */
const FOLDER_LOOK_MS = 500;
/** The most files in the folder. */
const MAX_ENTRIES = 20_000;
const ENVIRONMENT = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: "/tmp", LANG: "C.UTF-8", TERM: "dumb" };
/** The CA certificates of this machine; they are public. */
const CERTIFICATES = ["/etc/ssl", "/etc/pki", "/etc/ca-certificates"];
/** Programs read one spelling or the other. */
const PROXY_NAMES = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"];

/** `why`: why there is no shell. */
export type FoundShell = { readonly shell: Shell; readonly why: null } | { readonly shell: null; readonly why: string };

export interface ShellOptions {
  /** The program of bubblewrap. */
  readonly program?: string;
  /** False, for tests: commands do not wait for idle moments of the machine. */
  readonly isPolite?: boolean;
}

/** A shell, if bubblewrap works here. */
export async function findShell({ program, isPolite = true }: ShellOptions = {}): Promise<FoundShell> {
  const { style, why } = await findStyle(program);
  if (style === null) return { shell: null, why };
  return Bun.which("prlimit") === null
    ? { shell: null, why: "prlimit is not installed" }
    : { shell: new Shell(style, isPolite), why: null };
}

/** The command line before the command, for its folder. `user`: its user, if it is not the service's. */
function commandBubble(
  style: BubbleStyle,
  folder: string,
  proxy: string | undefined,
): Bubbled & { user: number | null } {
  const { user, filter } = styleOptions(style, { hasProcesses: true });
  const mounts = [...SYSTEM_FOLDERS.flatMap((path) => readOnlyMount(path)), ...writable(folder, "/workspace")];
  const place = { folder: "/workspace", user, filter };
  if (proxy === undefined) return { ...bubble({ environment: ENVIRONMENT, mounts, ...place }), user };
  const relay = relayTo(proxy);
  const environment = {
    ...ENVIRONMENT,
    ...relay.environment,
    ...Object.fromEntries(PROXY_NAMES.map((name) => [name, relay.url])),
  };
  const more = [...CERTIFICATES.flatMap((path) => readOnlyMount(path)), ...relay.mounts];
  const made = bubble({ environment, mounts: [...mounts, ...more], ...place });
  return { ...made, command: [...made.command, ...relay.runs], user };
}

/** Merges both outputs, even for a command with a syntax error. */
const MERGED = 'exec 2>&1; eval "$1"';

export class Shell {
  readonly style: BubbleStyle;
  private readonly isPolite: boolean;

  constructor(style: BubbleStyle, isPolite: boolean) {
    this.style = style;
    this.isPolite = isPolite;
  }

  /** Runs `sh -c command` over the folder. Does not reject because of what the command does. */
  async run(command: string, { folder, limits, signal, proxy }: ShellRun): Promise<ShellResult> {
    const { timeoutMs, folderBytes, memoryBytes, outputBytes } = limits;
    const bounds = [
      `--data=${COMMAND_MEMORY_BYTES}`,
      `--fsize=${folderBytes}`,
      `--nofile=${COMMAND_OPEN_FILES}`,
      "--core=0",
    ];
    const cpu = `--cpu=${Math.ceil(timeoutMs / 1_000) + 1}`;
    // In its own user namespace, the limit counts only the command's processes.
    const inside = ["prlimit", ...bounds, cpu, `--nproc=${PROCESSES}`, "sh", "-c", MERGED, "sh", command];
    const made = commandBubble(this.style, folder, proxy);
    if (made.user !== null) await hand(made.user, folder, proxy);
    const child = withInputs(made, (fds) =>
      Bun.spawn([...(this.isPolite ? manners() : []), ...made.command, ...inside], {
        cwd: "/",
        env: {},
        stdio: ["ignore", "pipe", "ignore", ...fds],
        detached: true,
      }),
    );
    if (this.isPolite) lowerSession(child.pid);
    let end: ShellEnd | null = null;
    const stop = (kind: Exclude<ShellEnd["kind"], "exited">): void => {
      end ??= { kind };
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        // It has already ended.
      }
    };
    const abort = (): void => stop("aborted");
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    const timer = setTimeout(() => stop("timeout"), timeoutMs);
    const watch = setInterval(() => {
      void folderSize(folder, folderBytes).then((size) => (size > folderBytes ? stop("too_large") : undefined));
    }, FOLDER_LOOK_MS);
    const total = { memoryBytes, tasks: PROCESSES + OF_BUBBLEWRAP, namelessBytes: folderBytes };
    const unwatch = watchCommand(child.pid, { folder, limits: total }, (exceeded) =>
      stop(exceeded === "files" ? "too_large" : exceeded),
    );
    const output = await readBeginning(child.stdout, outputBytes);
    const code = await child.exited;
    unwatch();
    clearTimeout(timer);
    clearInterval(watch);
    signal.removeEventListener("abort", abort);
    return { ...output, end: end ?? { kind: "exited", code } };
  }
}

/** Gives a command's user the folder and the way out. */
async function hand(user: number, folder: string, proxy: string | undefined): Promise<void> {
  await lchown(folder, user, user);
  await giveTo(user, folder);
  if (proxy !== undefined) await lchown(proxy, user, user);
}

/** The beginning of the output. All of it is read, so that the command does not block. */
async function readBeginning(
  stream: ReadableStream<Uint8Array>,
  most: number,
): Promise<{ readonly output: string; readonly isCut: boolean }> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let isCut = false;
  for await (const chunk of stream) {
    const part = chunk.subarray(0, most - bytes);
    bytes += part.length;
    isCut ||= part.length < chunk.length;
    if (part.length > 0) chunks.push(part);
  }
  return { output: new TextDecoder().decode(Buffer.concat(chunks)), isCut };
}

/** Bytes of all files below a folder; stops beyond `most`, at too many files, or where a directory hides them. */
async function folderSize(folder: string, most: number): Promise<number> {
  let bytes = 0;
  let count = 0;
  const waiting = [folder];
  for (let at = waiting.pop(); at !== undefined && bytes <= most; at = waiting.pop()) {
    const entries = await readdir(at, { withFileTypes: true }).catch((cause: unknown) => {
      // Another error: it is gone meanwhile.
      return cause instanceof Error && "code" in cause && cause.code === "EACCES" ? null : [];
    });
    if (entries === null) return Number.POSITIVE_INFINITY;
    for (const entry of entries) {
      if (++count > MAX_ENTRIES) return Number.POSITIVE_INFINITY;
      const path = join(at, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      else bytes += (await lstat(path).catch(() => null))?.size ?? 0;
    }
  }
  return bytes;
}
