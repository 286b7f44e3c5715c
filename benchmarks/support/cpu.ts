/**
 * CPU time of processes (Linux). The CPU clock of a process is exact to the nanosecond. The CPU of a process tree is from
 * `/proc`, in ticks of 10 ms, and includes ended members as long as their parent lives: a server with a process for each
 * connection is one tree.
 */
import { dlopen, FFIType, ptr } from "bun:ffi";
import { readdirSync, readFileSync } from "node:fs";

const TICKS_PER_SECOND = 100;
/** The kind of CPU clock that the scheduler keeps: CPUCLOCK_SCHED of Linux. */
const SCHEDULED = 2;

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

/** Seconds of CPU that the process has used, with that of ended threads. */
export function cpuOf(pid: number): number {
  return CPU_CLOCK?.(pid) ?? (statOf(pid)?.own ?? 0) / TICKS_PER_SECOND;
}

/** The CPU clock of any process; null from it: the process is gone. Null: the C library has another name here. */
const CPU_CLOCK = openCpuClock();

function openCpuClock(): ((pid: number) => number | null) | null {
  try {
    const signature = { args: [FFIType.i32, FFIType.ptr], returns: FFIType.i32 } as const;
    const { symbols } = dlopen("libc.so.6", { clock_gettime: signature });
    const time = new BigInt64Array(2);
    // The id of a process's CPU clock, as in clock_getcpuclockid(3).
    return (pid) =>
      symbols.clock_gettime((~pid << 3) | SCHEDULED, ptr(time)) === 0 ? Number(time[0]) + Number(time[1]) / 1e9 : null;
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
