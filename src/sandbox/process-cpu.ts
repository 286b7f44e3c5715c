/** CPU time of a process and all its descendants, as the kernel counts it. Linux only; null elsewhere. */
import { readFileSync } from "node:fs";

/** The unit of `/proc/<pid>/stat`: a hundredth of a second on every Linux that Bun runs on. */
const CPU_TICK_MS = 10;
/** A child has two or three: its wrapper, the wrapper's helper, and itself. */
const MAX_PROCESSES = 16;

/** Milliseconds; null if the system does not report it. */
export function cpuMsOf(pid: number): number | null {
  const pids = [pid];
  let ticks = 0;
  for (const one of pids) {
    const stat = readIfThere(`/proc/${one}/stat`);
    if (stat === "") return one === pid ? null : ticks * CPU_TICK_MS;
    // "pid (name) state parent …"; a name may contain brackets and spaces.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    ticks += Number(fields[11]) + Number(fields[12]);
    const children = readIfThere(`/proc/${one}/task/${one}/children`).split(" ").filter(Boolean);
    if (pids.length < MAX_PROCESSES) pids.push(...children.map(Number));
  }
  return ticks * CPU_TICK_MS;
}

export function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
