/**
 * A process in bubblewrap, with its own view of the machine: no network, no other processes, only the given environment
 * and the mounted files. Apart from its writable mounts, it can write only to memory of a bounded size. When it ends,
 * so does everything that it started.
 */
import { closeSync, openSync, realpathSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The programs of this machine and their libraries, read-only. */
export const SYSTEM_FOLDERS = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc/alternatives", "/etc/ld.so.cache"];

/** The environment of a Bun child. It does not get the service's environment, which contains keys. */
export const CHILD_ENVIRONMENT = {
  BUN_ENABLE_CRASH_REPORTING: "0",
  BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0",
  // If the service is a single executable, it also acts as the Bun of its children; a plain Bun ignores this.
  BUN_BE_BUN: "1",
  // Lets compiled code fit into the data limit. JavaScriptCore's default reservation exceeds it, and then nothing is
  // compiled: a page of 2 MiB took 3 s of CPU instead of 0.4. The heap grows as slowly as without compilation, so a
  // child's memory use does not change.
  BUN_JSC_jitMemoryReservationSize: String(64 * 1024 * 1024),
  BUN_JSC_forceMiniVMMode: "1",
} as const;

/** The size of each folder in memory. */
export const MEMORY_FOLDER_BYTES = 64 * 1024 * 1024;
/** The folders in memory. */
export const MEMORY_FOLDERS = ["/dev/shm", "/tmp"];
const BUBBLE_FLAGS = ["--die-with-parent", "--clearenv", "--cap-drop", "ALL"];
/** Without a user namespace: a root in one stays root for the kernel, which limits the processes of root by nothing. */
const UNSHARED_BY_ROOT = ["ipc", "pid", "net", "uts", "cgroup-try"].map((kind) => `--unshare-${kind}`);
/** To become another user, and to enter that user's folder before. They end with root. */
const CAPABILITIES = ["CAP_SETUID", "CAP_SETGID", "CAP_DAC_READ_SEARCH"];
const DROPPED = [...UNSHARED_BY_ROOT, ...BUBBLE_FLAGS, ...CAPABILITIES.flatMap((name) => ["--cap-add", name])];
/** Its own user may write to them; sticky, like every `/tmp`. */
const memoryFolder = (path: string): string[] => [
  "--size",
  String(MEMORY_FOLDER_BYTES),
  "--perms",
  "1777",
  "--tmpfs",
  path,
];
const OWN = [
  "--proc",
  "/proc",
  "--dev",
  "/dev",
  // Shared mappings of `/dev/zero` are memory that belongs to no process. `/dev/full` reads the same and cannot be mapped.
  "--dev-bind-try",
  "/dev/full",
  "/dev/zero",
  ...MEMORY_FOLDERS.flatMap(memoryFolder),
];
/** Makes the rest of the tree read-only, after everything is mounted. */
const READ_ONLY = ["--remount-ro", "/dev", "--remount-ro", "/"];

interface Bubble {
  readonly environment: Readonly<Record<string, string>>;
  /** Arguments from `readOnlyMount` and `writable`, in the order of mounting. */
  readonly mounts: readonly string[];
  /** The working directory inside the bubble. */
  readonly folder: string;
  /** The user id that the command runs as, if root switches to another one (`bubble-style.ts`). Null: the service's. */
  readonly user?: number | string | null;
  /** The program of the kernel's filter of system calls. Null: none. */
  readonly filter?: Uint8Array | null;
}

/** The command line before a command, and the input for further file descriptors. */
export interface Bubbled {
  readonly command: readonly string[];
  /** Bubblewrap's own options. They are in no command line, because everything inside can read that of bubblewrap. */
  readonly options: readonly string[];
  readonly filter: Uint8Array | null;
}

/** A read-only mount, if the path exists. */
export const readOnlyMount = (from: string, to = from): string[] => ["--ro-bind-try", from, to];
export const writable = (from: string, to = from): string[] => ["--bind", from, to];

/** The directories above mounts. Bubblewrap would make some of them for its own user only. */
function parentsOf(mounts: readonly string[]): string[] {
  const isOption = (word = "--"): boolean => word.startsWith("--");
  // The last word of each mount is where it goes.
  const targets = mounts.filter((word, i) => !isOption(word) && isOption(mounts[i + 1]));
  const above = new Set(targets.map((path) => dirname(path)).filter((path) => path !== "/"));
  return [...above].flatMap((path) => ["--perms", "0755", "--dir", path]);
}

const OPTIONS_FD = 3;
const FILTER_FD = 4;

/**
 * A bubble, to be started with `withInputs` and `detached`: in its own session it has no terminal, into which it could
 * inject input, and all of it is one process group. End it by killing that group: killing only bubblewrap while it
 * starts may leave the inner processes alive.
 */
export const bubble = ({ environment, mounts, folder, user = null, filter = null }: Bubble): Bubbled => ({
  command: [
    "bwrap",
    "--args",
    String(OPTIONS_FD),
    ...(filter === null ? [] : ["--seccomp", String(FILTER_FD)]),
    "--",
    ...(user === null ? [] : asUser(user)),
  ],
  options: [
    ...(user === null ? ["--unshare-all", ...BUBBLE_FLAGS] : DROPPED),
    ...Object.entries(environment).flatMap(([name, value]) => ["--setenv", name, value]),
    ...OWN,
    ...parentsOf(mounts),
    ...mounts,
    ...READ_ONLY,
    "--chdir",
    folder,
  ],
  filter,
});

export const SETPRIV = Bun.which("setpriv") ?? "setpriv";
export const asUser = (user: number | string): string[] => [
  SETPRIV,
  `--reuid=${user}`,
  `--regid=${user}`,
  "--clear-groups",
  "--inh-caps=-all",
  "--no-new-privs",
];

/** Opens the inputs of a bubble, for the end of `stdio`, while `start` starts it. */
export function withInputs<T>(
  { options, filter }: Pick<Bubbled, "options" | "filter">,
  start: (fds: readonly number[]) => T,
): T {
  const words = options.length === 0 ? [] : [Buffer.from(options.map((word) => `${word}\0`).join(""))];
  const fds: number[] = [];
  try {
    for (const bytes of filter === null ? words : [...words, filter]) fds.push(openUnnamedFile(bytes));
    return start(fds);
  } finally {
    for (const fd of fds) closeSync(fd);
  }
}

/** A file without a name, to be read from its beginning. */
function openUnnamedFile(bytes: Uint8Array): number {
  const path = join(tmpdir(), `troupe-${crypto.randomUUID()}`);
  const fd = openSync(path, "wx+", 0o600);
  unlinkSync(path);
  // Writing at a position does not move the position of the next reader.
  for (let sent = 0; sent < bytes.length;) sent += writeSync(fd, bytes, sent, bytes.length - sent, sent);
  return fd;
}

/** A way out of a bubble: a port of its loopback that leads to a socket of the service (`relay.ts`). */
export interface Relay {
  readonly mounts: readonly string[];
  /** The command line that runs the command; its environment below is not passed on to the command. */
  readonly runs: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The URL inside the bubble that programs connect to. */
  readonly url: string;
}

const PORT = 3128;
const RELAY_FOLDER = "/run/troupe";
const RELAY_PROGRAM = fileURLToPath(new URL("relay.ts", import.meta.url));

export function relayTo(socket: string): Relay {
  const [bun, program, inside] = [`${RELAY_FOLDER}/bun`, `${RELAY_FOLDER}/relay.ts`, `${RELAY_FOLDER}/socket`];
  return {
    mounts: [
      ...readOnlyMount(realpathSync(process.execPath), bun),
      ...readOnlyMount(RELAY_PROGRAM, program),
      ...writable(socket, inside),
    ],
    runs: [
      bun,
      program,
      inside,
      String(PORT),
      "env",
      ...Object.keys(CHILD_ENVIRONMENT).flatMap((name) => ["-u", name]),
    ],
    environment: CHILD_ENVIRONMENT,
    url: `http://127.0.0.1:${PORT}`,
  };
}
