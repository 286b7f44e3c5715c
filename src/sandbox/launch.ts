/**
 * How a child is started: wrapped in the tools that this machine has to limit it. None of them needs root.
 *
 *   choom        first to go when memory runs out
 *   chrt --idle  runs when nobody else wants to; its session has a low weight as well (`low-priority.ts`). A child that
 *                requests wait for has a third of the weight of others instead (`nice`)
 *   prlimit      memory, files; writes nothing, leaves no core; inside of bwrap, its threads
 *   bwrap        no network, no files but its own program, no other process, no environment; no new process, and none
 *                of the system calls of `system-calls.ts`
 *   setpriv      started by root, a child has a user of its own
 *
 * Each is tried once; a tool that does not work here is left out, which the start logs. Without `bwrap` a child can do
 * whatever the service's user can, within its limits.
 */
import { realpathSync } from "node:fs";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { bubble, type Bubbled, CHILD_ENVIRONMENT, readOnlyMount, SETPRIV } from "./bubble.ts";
import { type BubbleStyle, findStyle, nextUser } from "./bubble-style.ts";
import { FAIR_NICE, SESSION_NICE } from "./low-priority.ts";
import { callFilter } from "./system-calls.ts";
import { tryProgram } from "./trial.ts";

/** The requirements of a pool's children. */
export interface ChildNeeds {
  /** Bytes of data memory. Bun itself starts at 288 MiB; 512 MiB stop it at about 340 MB resident. */
  readonly dataBytes: number;
  readonly openFiles: number;
  /** Whether each child has a folder, whose files it can read. */
  readonly hasFolder: boolean;
  /** Whether requests wait for its jobs: on a busy machine, what runs in idle moments only takes seconds to begin. */
  readonly isAwaited: boolean;
}

/**
 * Processes and threads of one child: far more than Bun and DuckDB start. Their number grows with the cores, and some
 * start only for garbage collection or compilation.
 */
export const CHILD_THREADS = 64 + 4 * navigator.hardwareConcurrency;

/** Placeholders: for the child's folder, and for its user. */
const FOLDER_PLACEHOLDER = "{folder}";
const USER = "{user}";
/** The child's folder inside the bubble. */
const FOLDER_INSIDE = "/data";

const REPOSITORY_ROOT = fileURLToPath(new URL("../../", import.meta.url));
const CHILD_PROGRAM = fileURLToPath(new URL("child.ts", import.meta.url));
/** The program inside the bubble. */
const BUBBLE_PROGRAM_FOLDER = "/troupe";
/** Bun's path inside the bubble: its real path may be in a person's home folder, and would reveal that. */
const BUN_INSIDE = "/bun";
/**
 * The parts of this repository that the program needs. Never all of it, because it may contain a data folder and an
 * `.env`.
 */
const PROGRAM_PARTS = ["src/sandbox", "actors", "node_modules", "package.json", "tsconfig.json"];
/** In an npm installation: the folder that contains this package beside most of its dependencies. */
const SIDE_BY_SIDE = basename(dirname(REPOSITORY_ROOT)) === "node_modules" ? dirname(REPOSITORY_ROOT) : null;
/** The repository or package inside the bubble. */
const ROOT_INSIDE =
  SIDE_BY_SIDE === null ? BUBBLE_PROGRAM_FOLDER : `${BUBBLE_PROGRAM_FOLDER}/node_modules/${basename(REPOSITORY_ROOT)}`;
/** Libraries of the system. */
const SYSTEM = ["/usr/lib", "/usr/lib64", "/lib", "/lib64", "/etc/ld.so.cache"];

export interface Launch extends Partial<Pick<Bubbled, "options" | "filter">> {
  readonly command: readonly string[];
  /** How its bubble is created. Omitted: no bubble. */
  readonly style?: BubbleStyle;
  /** Whether the child sees no network, no files and no processes of the service. */
  readonly isIsolated: boolean;
  /** Whether the child's memory is limited. */
  readonly isLimited: boolean;
  /** Why tools that this machine could have are left out. */
  readonly leftOut?: readonly string[];
  /** The weight of its session as a nice value. Omitted: the lowest; null, for tests: the normal one. */
  readonly sessionNice?: number | null;
}

/** The ways to start a child that may work here, best first; the last one always works. */
export async function launches(
  { dataBytes, openFiles, hasFolder, isAwaited }: ChildNeeds,
  limitMs?: number,
): Promise<readonly Launch[]> {
  const wrappers = [
    ["choom", "-n", "1000", "--"],
    isAwaited ? ["nice", "-n", String(FAIR_NICE)] : ["chrt", "--idle", "0"],
  ];
  const sessionNice = isAwaited ? FAIR_NICE : SESSION_NICE;
  const limits = ["prlimit", `--data=${dataBytes}`, `--nofile=${openFiles}`, "--core=0", "--fsize=0"];
  const tried = await Promise.all(
    [...wrappers, limits].map((wrapper) => tryProgram([...wrapper, "true"], { limitMs })),
  );
  const manners = wrappers.flatMap((wrapper, i) => (tried[i]?.why === null ? wrapper : []));
  const isLimited = tried.at(-1)?.why === null;
  const limited = isLimited ? limits : [];
  const leftOut = tried.flatMap(({ why }) => why ?? []);
  // The limit applies to the child's own user or user namespace. Elsewhere the threads of all the user's processes would
  // count, and a child might be unable to start threads because of other processes.
  const threads = Bun.which("prlimit");
  const { style } = await findStyle();
  const isolated =
    style === null
      ? []
      : (isLimited ? [threads, null] : [null]).map((limiter) => {
          const { command, ...inputs } = inside(hasFolder, limiter, style);
          return {
            command: [...manners, ...limited, ...command],
            ...inputs,
            style,
            sessionNice,
            isIsolated: true,
            isLimited,
            leftOut,
          };
        });
  return [
    ...isolated,
    {
      command: [...manners, ...limited, process.execPath, CHILD_PROGRAM],
      sessionNice,
      isIsolated: false,
      isLimited,
      leftOut,
    },
    { command: [process.execPath, CHILD_PROGRAM], sessionNice, isIsolated: false, isLimited: false, leftOut },
  ];
}

/** The command line for one child with this folder. `user`: its own user, if it has one. */
export function launchOf(
  { command, options = [], filter = null, style }: Launch,
  folder: string | null,
): Bubbled & { readonly user: number | null } {
  const user = style?.hasOwnUser === true ? nextUser() : null;
  const filled = (word: string): string =>
    word === FOLDER_PLACEHOLDER && folder !== null ? folder : word.replace(USER, String(user));
  return { command: command.map(filled), options: options.map(filled), filter, user };
}

/** `limiter`: the path of prlimit, to limit the number of threads. */
function inside(hasFolder: boolean, limiter: string | null, { hasOwnUser, hasFilter }: BubbleStyle): Bubbled {
  const made = bubble({
    environment: CHILD_ENVIRONMENT,
    mounts: [
      ...SYSTEM.flatMap((path) => readOnlyMount(path)),
      ...readOnlyMount(realpathSync(process.execPath), BUN_INSIDE),
      ...(limiter === null ? [] : readOnlyMount(limiter)),
      ...(hasOwnUser ? readOnlyMount(SETPRIV) : []),
      // Its dependencies, and of the package itself only the needed parts.
      ...(SIDE_BY_SIDE === null
        ? []
        : [...readOnlyMount(SIDE_BY_SIDE, `${BUBBLE_PROGRAM_FOLDER}/node_modules`), "--tmpfs", ROOT_INSIDE]),
      ...PROGRAM_PARTS.flatMap((part) => readOnlyMount(`${REPOSITORY_ROOT}${part}`, `${ROOT_INSIDE}/${part}`)),
      ...(SIDE_BY_SIDE === null ? [] : ["--remount-ro", ROOT_INSIDE]),
      ...(hasFolder ? ["--ro-bind", FOLDER_PLACEHOLDER, FOLDER_INSIDE] : []),
    ],
    folder: hasFolder ? FOLDER_INSIDE : BUBBLE_PROGRAM_FOLDER,
    user: hasOwnUser ? USER : null,
    filter: hasFilter ? callFilter({ hasProcesses: false }) : null,
  });
  const threads = limiter === null ? [] : [limiter, `--nproc=${CHILD_THREADS}`];
  return { ...made, command: [...made.command, ...threads, BUN_INSIDE, `${ROOT_INSIDE}/src/sandbox/child.ts`] };
}
