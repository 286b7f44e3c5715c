/**
 * What all processes of a bubble use together, as the kernel counts it. Linux only. `system-calls.ts` keeps programs
 * from memory that could not be seen from here.
 */
import { type BigIntStats, readdirSync, readFileSync, type StatsFsBase, statfsSync, statSync } from "node:fs";
import { MEMORY_FOLDER_BYTES, MEMORY_FOLDERS } from "./bubble.ts";

export interface BubbleUse {
  /** Processes and threads. */
  readonly tasks: number;
  readonly memoryBytes: number;
  /** Bytes of files that have no name any more and are still open. */
  readonly namelessBytes: number;
}

interface Limits {
  readonly memoryBytes: number;
  readonly tasks: number;
}

/** The maximum content of a socket, or of an empty file in memory: rounded up from Linux's defaults. */
const SOCKET_BYTES = 256 * 1024;
const FOLDER_ENTRY_BYTES = 1_024;

/** `leader`: bubblewrap's own process. `device`: that of the folder whose unlinked files count. */
export function bubbleUse(leader: number, device: bigint, limits: Limits): BubbleUse {
  const pids = [leader];
  let tasks = 0;
  // The list grows while it is read. One command cannot make the reader busy for long.
  for (const pid of pids) {
    const threads = namesInFolder(`/proc/${pid}/task`);
    tasks += threads.length;
    if (tasks > limits.tasks) break;
    for (const thread of threads) pids.push(...wordsInFile(`/proc/${pid}/task/${thread}/children`).map(Number));
  }
  // The first process is outside of the bubble, the next one its first inside.
  const [, first = null, ...more] = pids;
  const inside = first === null ? [] : [first, ...more];
  const shared = first === null ? 0 : ofAll(first);
  const roughBytes = shared + sumOf(inside.map(roughMemory));
  // Forked processes share pages. Counting those exactly takes longer, so it is done only where it matters.
  const memoryBytes = roughBytes <= limits.memoryBytes ? roughBytes : shared + sumOf(inside.map(exactMemory));
  return { tasks, memoryBytes, namelessBytes: namelessIn(inside, device) };
}

const sumOf = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);

/** Memory in folders and in sockets. */
function ofAll(first: number): number {
  const sockets = Number(/sockets: used (\d+)/.exec(readOfProcess(`/proc/${first}/net/sockstat`))?.[1] ?? 0);
  return sockets * SOCKET_BYTES + sumOf(MEMORY_FOLDERS.map((folder) => folderMemory(`/proc/${first}/root${folder}`)));
}

function folderMemory(path: string): number {
  const found = nullIfEnded((): StatsFsBase<number> => statfsSync(path));
  // While a bubble is made, another folder may be there.
  if (found === null || found.blocks * found.bsize !== MEMORY_FOLDER_BYTES) return 0;
  return (found.blocks - found.bfree) * found.bsize + (found.files - found.ffree) * FOLDER_ENTRY_BYTES;
}

/** Counts what several processes share once for each. */
function roughMemory(pid: number): number {
  return sumOf(["RssAnon", "RssShmem", "VmSwap", "VmPTE"].map((name) => kibibytesIn(processStatus(pid), name)));
}

function exactMemory(pid: number): number {
  const parts = readOfProcess(`/proc/${pid}/smaps_rollup`);
  if (parts === "") return roughMemory(pid);
  return (
    sumOf(["Pss_Anon", "Pss_Shmem", "SwapPss"].map((name) => kibibytesIn(parts, name))) +
    kibibytesIn(processStatus(pid), "VmPTE")
  );
}

/** Where the first thread has ended, only the others know the memory. */
function processStatus(pid: number): string {
  const status = readOfProcess(`/proc/${pid}/status`);
  if (status.includes("VmRSS")) return status;
  const other = namesInFolder(`/proc/${pid}/task`).find((thread) => thread !== String(pid));
  return other === undefined ? status : readOfProcess(`/proc/${pid}/task/${other}/status`);
}

const kibibytesIn = (text: string, name: string): number =>
  1_024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1] ?? 0);

function namelessIn(pids: readonly number[], device: bigint): number {
  const sizes = new Map<bigint, number>();
  for (const pid of pids)
    for (const fd of namesInFolder(`/proc/${pid}/fd`)) {
      const file = nullIfEnded((): BigIntStats => statSync(`/proc/${pid}/fd/${fd}`, { bigint: true }));
      if (file !== null && file.nlink === 0n && file.dev === device) sizes.set(file.ino, Number(file.blocks) * 512);
    }
  return sumOf([...sizes.values()]);
}

const namesInFolder = (path: string): string[] => nullIfEnded(() => readdirSync(path)) ?? [];
const wordsInFile = (path: string): string[] => readOfProcess(path).split(" ").filter(Boolean);
const readOfProcess = (path: string): string => nullIfEnded(() => readFileSync(path, "utf8")) ?? "";

/** Null if the process has ended meanwhile, or does not show this. */
function nullIfEnded<T>(look: () => T): T | null {
  try {
    return look();
  } catch {
    return null;
  }
}
