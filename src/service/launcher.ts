/**
 * `npx -y bun start` puts a shell between npm and Bun. A signal to npx alone ends that shell, which does not forward
 * it, so the service would be orphaned:
 *
 *   npm exec ─▶ sh -c ─▶ bun start ─▶ the service
 *
 * So a service that was started this way watches whether its chain of parents up to npm still exists. Linux only, where
 * `/proc` makes that cheap.
 */
import type { Clock } from "../../actors/runtime/ports.ts";
import { readIfThere } from "../sandbox/process-cpu.ts";

const LAUNCHER_WATCH_MS = 500;
/** The most parents to check: npm is the third. */
const LONGEST_LINE = 5;

/** Calls `onGone` once, when the launcher of this process has ended; does nothing without one. */
export function watchLauncher(clock: Pick<Clock, "after">, onGone: () => void): void {
  const line = lineToNpm();
  if (line === null) return;
  const look = (): void => {
    const stands = line.every((pid, i) => i + 1 === line.length || parentOf(pid) === line[i + 1]);
    if (!stands) return onGone();
    clock.after(LAUNCHER_WATCH_MS, look);
  };
  clock.after(LAUNCHER_WATCH_MS, look);
}

/** The pids from this process up to npm; null if npm is not among its ancestors. */
function lineToNpm(): number[] | null {
  const line = [process.pid];
  while (line.length <= LONGEST_LINE) {
    const parent = parentOf(line.at(-1)!);
    if (parent === null || parent <= 1) return null;
    line.push(parent);
    if (processTitle(parent).startsWith("npm exec")) return line;
  }
  return null;
}

/** Null if there is no such process. */
function parentOf(pid: number): number | null {
  const stat = readIfThere(`/proc/${pid}/stat`);
  // "pid (name) state parent …"; a name may contain brackets and spaces.
  return stat === "" ? null : Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

const processTitle = (pid: number): string => readIfThere(`/proc/${pid}/cmdline`);
