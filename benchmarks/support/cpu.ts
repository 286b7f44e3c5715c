/**
 * CPU time of processes, from `/proc` (Linux). The clock there ticks 100 times a second, so a
 * measurement must use a good part of a second. A process tree counts its ended members too, for as
 * long as their parent lives: a server that makes a process for each connection is one tree.
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
    // What follows the name, which may have spaces and brackets in it: fields 3 and later of proc(5).
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const ticks = (first: number): number => Number(fields[first]) + Number(fields[first + 1]);
    return { parent: Number(fields[1]), own: ticks(11), reaped: ticks(13) };
  } catch {
    return null;
  }
}

/** Seconds of CPU that the process has used. */
export const cpuOf = (pid: number): number => (statOf(pid)?.own ?? 0) / TICKS_PER_SECOND;

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
