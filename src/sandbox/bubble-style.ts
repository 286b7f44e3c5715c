/**
 * How bubbles are created on this machine, found out by trials. Root switches to an unused user id, because the kernel
 * does not limit the processes of root. If that is not allowed, and for other users, a bubble has a user namespace.
 */
import { lchownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bubble, withInputs, readOnlyMount, SYSTEM_FOLDERS, writable } from "./bubble.ts";
import { callFilter, type CallFilter } from "./system-calls.ts";
import { type Trial, tryProgram } from "./trial.ts";

export interface BubbleStyle {
  /** Whether each bubble has its own user; only for root. */
  readonly hasOwnUser: boolean;
  readonly hasFilter: boolean;
  /** Whether the kernel limits the number of processes in a bubble. */
  readonly limitsProcesses: boolean;
}

/** `why`: why there are no bubbles here. */
export type FoundStyle =
  | { readonly style: BubbleStyle; readonly why: null }
  | { readonly style: null; readonly why: string };

/** Whether and how this machine allows bubbles; tried once. */
export function findStyle(program = "bwrap", limitMs?: number): Promise<FoundStyle> {
  const known = foundStyles.get(program);
  if (known !== undefined) return known;
  const style = tryStyles(program, limitMs);
  foundStyles.set(program, style);
  return style;
}
const foundStyles = new Map<string, Promise<FoundStyle>>();

export const hasBubbles = async (program?: string): Promise<boolean> => (await findStyle(program)).style !== null;

/** The parts of a bubble that its style decides. */
export function styleOptions(
  style: BubbleStyle,
  calls: CallFilter,
): { user: number | null; filter: Uint8Array | null } {
  return { user: style.hasOwnUser ? nextUser() : null, filter: style.hasFilter ? callFilter(calls) : null };
}

/** Users that systemd and distributions leave unused, and that a container's range of 65,536 has. */
const FIRST_USER = 60_578;
const USERS = 606;
let lastUser = Math.floor(Math.random() * USERS);

/** Each in its turn, so that what runs at the same time has not the same one. */
export function nextUser(): number {
  lastUser = (lastUser + 1) % USERS;
  return FIRST_USER + lastUser;
}

const ALL_CALLS: CallFilter = { hasProcesses: true };

async function tryStyles(program: string, limitMs: number | undefined): Promise<FoundStyle> {
  if (process.platform !== "linux") return { style: null, why: "bubblewrap works on Linux only" };
  if (Bun.which(program) === null) return { style: null, why: "bubblewrap is not installed" };
  let complaint = "";
  for (const hasOwnUser of process.getuid?.() === 0 && Bun.which("setpriv") !== null ? [true, false] : [false])
    for (const hasFilter of callFilter(ALL_CALLS) === null ? [false] : [true, false]) {
      const style = { hasOwnUser, hasFilter, limitsProcesses: false };
      const { why, isLate } = await triedIn(program, style, ["sh", "-c", ": > written"], limitMs);
      complaint ||= why ?? "";
      if (why !== null && isLate) return { style: null, why };
      if (why !== null) continue;
      return { style: { ...style, limitsProcesses: await limitsProcessesOf(program, style, limitMs) }, why: null };
    }
  return { style: null, why: `bubblewrap is installed but does not work here: ${complaint}` };
}

/** Where the limit is in force, a shell that is itself too many starts nothing. */
async function limitsProcessesOf(program: string, style: BubbleStyle, limitMs: number | undefined): Promise<boolean> {
  if (Bun.which("prlimit") === null) return false;
  const { why, isLate } = await triedIn(program, style, ["prlimit", "--nproc=1", "sh", "-c", "true & wait"], limitMs);
  return why !== null && !isLate;
}

/** Tries a command in a folder that it may write to. */
async function triedIn(
  program: string,
  style: BubbleStyle,
  command: readonly string[],
  limitMs: number | undefined,
): Promise<Trial> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-bubble-"));
  try {
    const { user, filter } = styleOptions(style, ALL_CALLS);
    if (user !== null) lchownSync(folder, user, user);
    const mounts = [...SYSTEM_FOLDERS.flatMap((path) => readOnlyMount(path)), ...writable(folder, "/workspace")];
    const environment = { PATH: "/usr/bin:/bin" };
    const made = bubble({ environment, mounts, folder: "/workspace", user, filter });
    return await withInputs(made, (fds) =>
      tryProgram([program, ...made.command.slice(1), ...command], { env: {}, fds, limitMs }),
    );
  } catch (cause) {
    return { why: cause instanceof Error ? cause.message : String(cause), isLate: false, output: "" };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
