/**
 * How bubbles are made on this machine, found out by trying. Root leaves its user for one that nobody else has, because
 * the kernel limits the processes of root by nothing; where it may not, and for other users, a bubble has a user
 * namespace.
 */
import { lchownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Bubbled, bubble, withInputs, readable, SYSTEM_FOLDERS, writable } from "./bubble.ts";
import { callFilter, type CallFilter } from "./system-calls.ts";

export interface BubbleStyle {
  /** Whether each bubble has a user of its own; only for root. */
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
export function findStyle(program = "bwrap"): Promise<FoundStyle> {
  const known = found.get(program);
  if (known !== undefined) return known;
  const style = tried(program);
  found.set(program, style);
  return style;
}
const found = new Map<string, Promise<FoundStyle>>();

export const hasBubbles = async (program?: string): Promise<boolean> => (await findStyle(program)).style !== null;

/** The parts of a bubble that its style decides. */
export function styled(style: BubbleStyle, calls: CallFilter): { user: number | null; filter: Uint8Array | null } {
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

async function tried(program: string): Promise<FoundStyle> {
  if (process.platform !== "linux") return { style: null, why: "bubblewrap is for Linux only" };
  if (Bun.which(program) === null) return { style: null, why: "bubblewrap is not installed" };
  let complaint = "";
  for (const hasOwnUser of process.getuid?.() === 0 && Bun.which("setpriv") !== null ? [true, false] : [false])
    for (const hasFilter of callFilter(ALL_CALLS) === null ? [false] : [true, false]) {
      const style = { hasOwnUser, hasFilter, limitsProcesses: false };
      const failure = await complaintOf(program, style, ["sh", "-c", ": > written"]);
      complaint ||= failure ?? "";
      if (failure !== null) continue;
      // Where the limit is in force, a shell that is itself too many starts nothing.
      const alone = ["prlimit", "--nproc=1", "sh", "-c", "true & wait"];
      const limitsProcesses = Bun.which("prlimit") !== null && (await complaintOf(program, style, alone)) !== null;
      return { style: { ...style, limitsProcesses }, why: null };
    }
  return { style: null, why: `bubblewrap is installed and does not work here: ${complaint}` };
}

/** Runs a command in a folder that it may write to. Null if it succeeds, else why not. */
async function complaintOf(program: string, style: BubbleStyle, command: readonly string[]): Promise<string | null> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-bubble-"));
  try {
    const { user, filter } = styled(style, ALL_CALLS);
    if (user !== null) lchownSync(folder, user, user);
    const mounts = [...SYSTEM_FOLDERS.flatMap((path) => readable(path)), ...writable(folder, "/workspace")];
    const environment = { PATH: "/usr/bin:/bin" };
    const made = bubble({ environment, mounts, folder: "/workspace", user, filter });
    return await complaintIn(made, [program, ...made.command.slice(1), ...command]);
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function complaintIn(made: Bubbled, command: readonly string[]): Promise<string | null> {
  const child = withInputs(made, (fds) =>
    Bun.spawn([...command], {
      stdio: ["ignore", "ignore", "pipe", ...fds],
      env: {},
      detached: true,
    }),
  );
  const [said, code] = await Promise.all([child.stderr.text(), child.exited]);
  return code === 0 ? null : said.trim().split("\n", 1)[0] || `it ended with ${code}`;
}
