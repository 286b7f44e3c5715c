/**
 * What processes take: memory by their share, the proportional set size (PSS), in which a page that n processes share
 * counts as 1/n; and bytes that they have written. Linux only.
 */
import { readdirSync, readFileSync } from "node:fs";

/** Bytes of the process and everything below it. */
export function pssOfFamily(pid: number): number {
  return pssOf(pid) + childrenOf(pid).reduce((sum, child) => sum + pssOfFamily(child), 0);
}

/** Bytes of the process alone. */
export function pssOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1]) * 1024;
}

/** Bytes that the process and everything below it have sent to disks so far. */
export function writtenByFamily(pid: number): number {
  return writtenBy(pid) + childrenOf(pid).reduce((sum, child) => sum + writtenByFamily(child), 0);
}

function writtenBy(pid: number): number {
  try {
    return Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1] ?? 0);
  } catch {
    // It has ended.
    return 0;
  }
}

function childrenOf(parent: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent);
}

/** "pid (name) state parent …"; a name may contain brackets and spaces. */
function parentOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return 0;
  }
}
