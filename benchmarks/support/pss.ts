/** Memory of processes by their share: the proportional set size (PSS), in which a page that n processes share counts as 1/n. Linux only. */
import { readdirSync, readFileSync } from "node:fs";

/** Bytes of the process and its children. */
export function pssOfFamily(pid: number): number {
  return [pid, ...childrenOf(pid)].reduce((sum, member) => sum + pssOf(member), 0);
}

/** Bytes of the process alone. */
export function pssOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1]) * 1024;
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
