/**
 * CPU time of processes, from `/proc` (Linux). A process's CPU clock has 100 ticks a second there; that of live threads
 * is exact to the nanosecond. The CPU of a process tree is in ticks, and includes ended members as long as their parent
 * lives: a server with a process for each connection is one tree.
 */
import { readdirSync, readFileSync } from "node:fs";

const TICKS_PER_SECOND = 100;

interface Stat {
  readonly parent: number;
  readonly own: number;
  readonly reaped: number;
}

function statOf(pid: number): Stat | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The text after the name, which may contain spaces and brackets: fields 3 and later of proc(5).
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const ticks = (first: number): number => Number(fields[first]) + Number(fields[first + 1]);
    return { parent: Number(fields[1]), own: ticks(11), reaped: ticks(13) };
  } catch {
    return null;
  }
}

/** Seconds of CPU that the process has used. */
export function cpuOf(pid: number): number {
  const ticked = (statOf(pid)?.own ?? 0) / TICKS_PER_SECOND;
  const exact = cpuOfThreads(pid);
  // Only the ticks include the CPU of ended threads.
  return exact !== null && Math.abs(exact - ticked) < 2 / TICKS_PER_SECOND ? exact : ticked;
}

/** CPU seconds of the live threads; null if the kernel does not report it. */
function cpuOfThreads(pid: number): number | null {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const ns = threads.map((id) => Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, "utf8").split(" ")[0]));
    return ns.reduce((sum, each) => sum + each, 0) / 1e9;
  } catch {
    return null;
  }
}

/** Seconds of CPU of the process and everything below it. */
export function cpuOfTree(root: number): number {
  const stats = new Map<number, Stat>();
  for (const name of readdirSync("/proc")) {
    const stat = /^\d+$/.test(name) ? statOf(Number(name)) : null;
    if (stat !== null) stats.set(Number(name), stat);
  }
  const isBelow = (pid: number): boolean => pid === root || (stats.has(pid) && isBelow(stats.get(pid)!.parent));
  let ticks = 0;
  for (const [pid, stat] of stats) if (isBelow(pid)) ticks += stat.own + stat.reaped;
  return ticks / TICKS_PER_SECOND;
}

/** Seconds for which the main thread was runnable without a core; 0 if the kernel does not report it. */
export function waitOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[1]) / 1e9;
  } catch {
    return 0;
  }
}
