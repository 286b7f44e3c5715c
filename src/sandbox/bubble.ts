/**
 * A process in bubblewrap, with its own view of the machine: no network, no other processes, only the given environment
 * and the mounted files. Apart from its writable mounts, it can write only to memory of a bounded size. When it ends,
 * so does everything that it started.
 */
import { realpathSync } from "node:fs";
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
const MEMORY_BYTES = 64 * 1024 * 1024;
const ALONE = ["--unshare-all", "--die-with-parent", "--clearenv", "--cap-drop", "ALL"];
const memory = (path: string): string[] => ["--size", String(MEMORY_BYTES), "--tmpfs", path];
const OWN = ["--proc", "/proc", "--dev", "/dev", ...memory("/dev/shm"), ...memory("/tmp")];
/** Makes the rest of the tree read-only, after everything is mounted. */
const READ_ONLY = ["--remount-ro", "/dev", "--remount-ro", "/"];

interface Bubble {
  readonly environment: Readonly<Record<string, string>>;
  /** Arguments from `readable` and `writable`, in the order of mounting. */
  readonly mounts: readonly string[];
  /** The working directory inside the bubble. */
  readonly folder: string;
}

/** A read-only mount, if the path exists. */
export const readable = (from: string, to = from): string[] => ["--ro-bind-try", from, to];
export const writable = (from: string, to = from): string[] => ["--bind", from, to];

/**
 * The command line in front of a command. Start it `detached`: in its own session it has no terminal, into which it
 * could inject input, and all of it is one process group. End it by killing that group: killing only bubblewrap while
 * it starts may leave the inner processes alive.
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

/** Whether this machine allows bubbles; tested once. */
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
  /** The command line that runs the command; its environment below is not passed on to the command. */
  readonly runs: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The URL inside the bubble that programs connect to. */
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
