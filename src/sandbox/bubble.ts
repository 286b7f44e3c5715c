/**
 * A bubblewrap: a process with a view of the machine of its own. It has no network, no other process, no environment
 * but what it is given, and no file but what is mounted; what it may write besides is memory of a bounded size. When
 * it ends, so does everything that it has started.
 */
import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The programs of this machine and their libraries, to read. */
export const SYSTEM_FOLDERS = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc/alternatives", "/etc/ld.so.cache"];

/** Of a child that is a Bun. The service's environment stays outside: it has the keys. */
export const CHILD_ENVIRONMENT = {
  BUN_ENABLE_CRASH_REPORTING: "0",
  BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0",
  // Where the service is one executable, that is the Bun for its children too; a plain Bun does not care.
  BUN_BE_BUN: "1",
  // Compiled code has room within the limit of data. What JavaScriptCore reserves otherwise is larger than that limit,
  // and then nothing is compiled: a page of 2 MiB took 3 s of CPU instead of 0.4. The heap grows as slowly as it does
  // where nothing is compiled, so what a child needs of its limit stays as it was.
  BUN_JSC_jitMemoryReservationSize: String(64 * 1024 * 1024),
  BUN_JSC_forceMiniVMMode: "1",
} as const;

/** Of each folder in memory. */
const MEMORY_BYTES = 64 * 1024 * 1024;
const ALONE = ["--unshare-all", "--die-with-parent", "--clearenv", "--cap-drop", "ALL"];
const memory = (path: string): string[] => ["--size", String(MEMORY_BYTES), "--tmpfs", path];
const OWN = ["--proc", "/proc", "--dev", "/dev", ...memory("/dev/shm"), ...memory("/tmp")];
/** The rest of what is in memory, once all is mounted. */
const READ_ONLY = ["--remount-ro", "/dev", "--remount-ro", "/"];

interface Bubble {
  readonly environment: Readonly<Record<string, string>>;
  /** Made by `readable` and `writable`, in their order. */
  readonly mounts: readonly string[];
  /** Inside: where the program begins. */
  readonly folder: string;
}

/** To read, where it is there. */
export const readable = (from: string, to = from): string[] => ["--ro-bind-try", from, to];
export const writable = (from: string, to = from): string[] => ["--bind", from, to];

/**
 * What goes before a command. It is to be started `detached`: in a session of its own it is away from a terminal, into
 * which it could write as if somebody typed, and all of it is one process group. It is ended by a kill of that group: of
 * one that is killed alone in the moment of its start, what is inside may live on.
 */
export const bubble = ({ environment, mounts, folder }: Bubble): string[] => [
  "bwrap",
  ...ALONE,
  ...Object.entries(environment).flatMap(([name, value]) => ["--setenv", name, value]),
  ...OWN,
  ...mounts,
  ...READ_ONLY,
  "--chdir",
  folder,
  "--",
];

/** Whether this machine lets the service make one; found out once. */
export function hasBubbles(program = "bwrap"): Promise<boolean> {
  const known = works.get(program);
  if (known !== undefined) return known;
  const found = tried(program);
  works.set(program, found);
  return found;
}
const works = new Map<string, Promise<boolean>>();

async function tried(program: string): Promise<boolean> {
  if (process.platform !== "linux" || Bun.which(program) === null) return false;
  const mounts = SYSTEM_FOLDERS.flatMap((path) => readable(path));
  const nothing = bubble({ environment: {}, mounts, folder: "/tmp" });
  const child = Bun.spawn([...nothing, "true"], {
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
    detached: true,
  });
  return (await child.exited) === 0;
}

/** A way out of a bubble: a port of its loopback that leads to a socket of the service (`relay.ts`). */
export interface Relay {
  readonly mounts: readonly string[];
  /** What runs the command, in this environment, of which the command gets nothing. */
  readonly runs: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Inside: what programs connect to. */
  readonly url: string;
}

const PORT = 3128;
const INSIDE = "/run/troupe";
const PROGRAM = fileURLToPath(new URL("relay.ts", import.meta.url));

export function relayTo(socket: string): Relay {
  const [bun, program, inside] = [`${INSIDE}/bun`, `${INSIDE}/relay.ts`, `${INSIDE}/socket`];
  return {
    mounts: [
      ...readable(realpathSync(process.execPath), bun),
      ...readable(PROGRAM, program),
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
