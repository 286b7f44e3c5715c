/**
 * Trial runs of this machine's programs. The service waits for them at its start, so each has a time limit: a program
 * that does not end in time counts as missing.
 */

export interface Trial {
  /** Null if it succeeded, else why it is not usable here. */
  readonly why: string | null;
  /** Whether it did not end in time. */
  readonly isLate: boolean;
  readonly output: string;
}

interface TrialOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Further file descriptors that it reads. */
  readonly fds?: readonly number[];
  readonly limitMs?: number | undefined;
}

/** A hundred times the duration of the slowest one on a quiet machine. */
const LIMIT_MS = 10_000;

/** Runs the program to its end, or kills it with all that it has started. Does not reject. */
export async function tryProgram(
  command: readonly string[],
  { env, fds = [], limitMs = LIMIT_MS }: TrialOptions = {},
): Promise<Trial> {
  const [program = ""] = command;
  if (Bun.which(program) === null) return failedTrial(`${program} is not installed`);
  try {
    const child = Bun.spawn([...command], {
      ...(env === undefined ? {} : { env }),
      stdio: ["ignore", "pipe", "pipe", ...fds],
      // Its own process group, which is killed as a whole.
      detached: true,
    });
    const { promise: late, resolve } = Promise.withResolvers<null>();
    const timer = setTimeout(() => {
      killGroup(child.pid);
      // Its end is not waited for: a process cannot be killed while it waits for a broken disk.
      resolve(null);
    }, limitMs);
    const ended = await Promise.race([
      Promise.all([child.stdout.text(), child.stderr.text(), child.exited]),
      late,
    ]).finally(() => clearTimeout(timer));
    if (ended === null) return failedTrial(`${program} did not end within ${limitMs / 1_000} s`, true);
    const [output, complaint, code] = ended;
    if (code === 0) return { why: null, isLate: false, output };
    return failedTrial(complaint.trim().split("\n", 1)[0] || `${program} ended with ${code}`);
  } catch (cause) {
    return failedTrial(cause instanceof Error ? cause.message : String(cause));
  }
}

const failedTrial = (why: string, isLate = false): Trial => ({ why, isLate, output: "" });

export function killGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // It has already ended.
  }
}
