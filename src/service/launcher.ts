/**
 * `npx -y bun start` puts a shell between npm and Bun. A signal to npx alone ends that shell, which
 * hands nothing on, and would leave a service that nobody asked for:
 *
 *   npm exec ─▶ sh -c ─▶ bun start ─▶ the service
 *
 * So a service that was started like this watches whether its line of parents up to npm still
 * stands. Seen on Linux only, where `/proc` tells it for nothing.
 */
import { readFileSync } from "node:fs";
import type { Clock } from "../../actors/runtime/clock.ts";

const WATCH_MS = 500;
/** Parents that are looked at: npm is the third. */
const LONGEST_LINE = 5;

/** Calls `onGone` once when the launcher that began this process has ended; does nothing without one. */
export function watchLauncher(clock: Pick<Clock, "after">, onGone: () => void): void {
  const line = lineToNpm();
  if (line === null) return;
  const look = (): void => {
    const stands = line.every((pid, i) => i + 1 === line.length || parentOf(pid) === line[i + 1]);
    if (!stands) return onGone();
    clock.after(WATCH_MS, look);
  };
  clock.after(WATCH_MS, look);
}

/** The pids from this process up to npm, or null where npm is none of its parents. */
function lineToNpm(): number[] | null {
  const line = [process.pid];
  while (line.length <= LONGEST_LINE) {
    const parent = parentOf(line.at(-1)!);
    if (parent === null || parent <= 1) return null;
    line.push(parent);
    if (titleOf(parent).startsWith("npm exec")) return line;
  }
  return null;
}

/** Null when there is no such process. */
function parentOf(pid: number): number | null {
  const stat = read(`/proc/${pid}/stat`);
  // "pid (name) state parent …", and a name may have brackets and spaces in it.
  return stat === "" ? null : Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

const titleOf = (pid: number): string => read(`/proc/${pid}/cmdline`);

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
