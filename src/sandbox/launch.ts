/**
 * How a child is started: wrapped in what this machine has to limit it. Nothing of it needs root.
 *
 *   choom        first to go when memory runs out
 *   chrt --idle  runs when nobody else wants to; its session has a low weight as well (`low-priority.ts`)
 *   prlimit      memory, files; writes nothing, leaves no core; inside of bwrap, threads and processes
 *   bwrap        no network, no files but its own program, no other process, no environment
 *
 * Each is tried once; what does not work here is left out and logged at the start. Without `bwrap` a
 * child can do what the service's user can, within its limits.
 */
import { realpathSync } from "node:fs";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { bubble, CHILD_ENVIRONMENT, readable } from "./bubble.ts";

/** What the children of a pool need. */
export interface ChildNeeds {
  /** Of memory. Bun itself begins at 288 MiB of data; 512 stop it at about 340 MB resident. */
  readonly dataBytes: number;
  readonly openFiles: number;
  /** Whether each child has a folder, whose files it can read. */
  readonly hasFolder: boolean;
}

/**
 * Processes and threads of one child: far more than Bun and DuckDB start, which is more on more cores and comes
 * in part only when they collect garbage or compile.
 */
export const MAX_THREADS = 64 + 4 * navigator.hardwareConcurrency;

/** Stands in a command for the folder of the child. */
export const FOLDER = "{folder}";
/** Where a child finds its folder, inside. */
const FOLDER_INSIDE = "/data";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PROGRAM = fileURLToPath(new URL("child.ts", import.meta.url));
/** Where the program is, inside. */
const INSIDE = "/troupe";
/** Where Bun is, inside: its own path may lie in somebody's home, and would show that. */
const BUN_INSIDE = "/bun";
/** What of this repository the program needs. Never the whole: a data folder and an `.env` may stand in it. */
const PARTS = ["src/sandbox", "actors", "node_modules", "package.json", "tsconfig.json"];
/** Of an installation by npm: the folder in which this package and most of its packages stand side by side. */
const SIDE_BY_SIDE = basename(dirname(ROOT)) === "node_modules" ? dirname(ROOT) : null;
/** Where the repository, or the package, is, inside. */
const ROOT_INSIDE = SIDE_BY_SIDE === null ? INSIDE : `${INSIDE}/node_modules/${basename(ROOT)}`;
/** Libraries of the system. */
const SYSTEM = ["/usr/lib", "/usr/lib64", "/lib", "/lib64", "/etc/ld.so.cache"];

export interface Launch {
  readonly command: readonly string[];
  /** Whether the child sees no network, no files and no processes of the service. */
  readonly isIsolated: boolean;
  /** Whether its memory is limited. */
  readonly isLimited: boolean;
  /** For tests: whether its session has the weight of any other. */
  readonly isImpolite?: boolean;
}

/** The ways to start a child that may work here, the best one first; the last one is always possible. */
export async function launches({ dataBytes, openFiles, hasFolder }: ChildNeeds): Promise<readonly Launch[]> {
  const wrappers = [
    ["choom", "-n", "1000", "--"],
    ["chrt", "--idle", "0"],
  ];
  const works = await Promise.all(wrappers.map((wrapper) => isUsable(wrapper)));
  const manners = wrappers.flatMap((wrapper, i) => (works[i] === true ? wrapper : []));
  const limits = ["prlimit", `--data=${dataBytes}`, `--nofile=${openFiles}`, "--core=0", "--fsize=0"];
  const isLimited = await isUsable(limits);
  const limited = isLimited ? limits : [];
  // Of the child's own namespace: outside of one, the threads of all processes of the user would count, and a
  // child could not start a thread, or not at all, because of what others do.
  const threads = Bun.which("prlimit");
  const isolated =
    Bun.which("bwrap") === null
      ? []
      : (isLimited ? [threads, null] : [null]).map((limiter) => ({
          command: [...manners, ...limited, ...inside(hasFolder, limiter)],
          isIsolated: true,
          isLimited,
        }));
  return [
    ...isolated,
    { command: [...manners, ...limited, process.execPath, PROGRAM], isIsolated: false, isLimited },
    { command: [process.execPath, PROGRAM], isIsolated: false, isLimited: false },
  ];
}

/** `limiter`: where prlimit is, for the number of threads. */
function inside(hasFolder: boolean, limiter: string | null): string[] {
  return [
    ...bubble({
      environment: CHILD_ENVIRONMENT,
      mounts: [
        ...SYSTEM.flatMap((path) => readable(path)),
        ...readable(realpathSync(process.execPath), BUN_INSIDE),
        ...(limiter === null ? [] : readable(limiter)),
        // Its packages, and of the package itself only its parts.
        ...(SIDE_BY_SIDE === null ? [] : [...readable(SIDE_BY_SIDE, `${INSIDE}/node_modules`), "--tmpfs", ROOT_INSIDE]),
        ...PARTS.flatMap((part) => readable(`${ROOT}${part}`, `${ROOT_INSIDE}/${part}`)),
        ...(SIDE_BY_SIDE === null ? [] : ["--remount-ro", ROOT_INSIDE]),
        ...(hasFolder ? ["--ro-bind", FOLDER, FOLDER_INSIDE] : []),
      ],
      folder: hasFolder ? FOLDER_INSIDE : INSIDE,
    }),
    ...(limiter === null ? [] : [limiter, `--nproc=${MAX_THREADS}`]),
    BUN_INSIDE,
    `${ROOT_INSIDE}/src/sandbox/child.ts`,
  ];
}

/** Whether this wrapper is there and may be used, found out by running nothing in it. */
async function isUsable(wrapper: readonly string[]): Promise<boolean> {
  const [program = ""] = wrapper;
  if (Bun.which(program) === null) return false;
  const child = Bun.spawn([...wrapper, "true"], { stdin: "ignore", stdout: "ignore", stderr: "ignore" });
  return (await child.exited) === 0;
}
