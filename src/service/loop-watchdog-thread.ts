/**
 * The thread of the watchdog. It sleeps, checks for heartbeats of the loop, and kills the process if there are none for
 * too long, unless the machine has delayed the loop (`loop-stall.ts`). A wait for the disk or for a processor is only
 * reported, and so are threads for files that stand still, because they may wait for a disk.
 */
import { readdirSync, writeSync } from "node:fs";
import { readLoopNote } from "./loop-note.ts";
import { threadCounts, NO_STALL, type Stall, stalledFor } from "./loop-stall.ts";
import { readIfThere } from "../sandbox/process-cpu.ts";

/** Counters that grow as long as the loop turns, and as long as the threads for files answer. */
export const Beat = { loop: 0, files: 1 } as const;

export interface WatchdogOrder {
  /** By `Beat`. */
  readonly beats: Int32Array<SharedArrayBuffer>;
  /** The note of what the loop works on. */
  readonly note: Uint8Array<SharedArrayBuffer> | null;
  readonly limitMs: number;
  /** The pid of the process; on Linux, also the id of its loop's thread. */
  readonly pid: number;
}

/** Checks within the limit. A process that was suspended and resumed misses one check, not all of them. */
export const BEATS_OF_LIMIT = 5;
const STANDARD_ERROR = 2;
/** pino's levels. */
const WARN = 40;
const FATAL = 60;

function watch(order: WatchdogOrder): never {
  const { beats, limitMs, pid } = order;
  const stepMs = limitMs / BEATS_OF_LIMIT;
  const look = () => ({
    beat: Atomics.load(beats, Beat.loop),
    files: Atomics.load(beats, Beat.files),
    at: performance.now(),
    counts: threadCounts(pid),
  });
  let last = look();
  let stall: Stall = NO_STALL;
  let stalledMs = 0;
  let toldMs = 0;
  let filesMs = 0;
  let toldFilesMs = 0;
  for (;;) {
    // Nothing notifies this memory, so the wait lasts the full time.
    const asleep = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    Atomics.wait(asleep, 0, 0, stepMs);
    const now = look();
    const elapsedMs = now.at - last.at;
    const isStalled = now.beat === last.beat;
    stall = isStalled ? stalledFor(stall, [last.counts, now.counts], elapsedMs, stepMs) : NO_STALL;
    stalledMs = isStalled ? stalledMs + elapsedMs : 0;
    if (!isStalled) toldMs = 0;
    const isFileStalled = !isStalled && now.files === last.files;
    filesMs = isFileStalled ? filesMs + Math.min(elapsedMs, stepMs) : 0;
    if (!isFileStalled) toldFilesMs = 0;
    if (filesMs - toldFilesMs >= limitMs - stepMs / 2) {
      toldFilesMs = filesMs;
      writeFileStall(filesMs);
    }
    last = now;
    // The last of these checks comes within the limit.
    if (stall.ownMs >= limitMs - stepMs / 2) endProcess(order, stall);
    if (stalledMs - toldMs < limitMs) continue;
    toldMs = stalledMs;
    const waited = `the event loop has not turned for ${Math.round(stalledMs / 1_000)} s, and waited for the machine`;
    writeStall(order, WARN, stall, `${waited}: the process goes on`);
  }
}

function endProcess(order: WatchdogOrder, stall: Stall): never {
  const { pid, limitMs } = order;
  writeStall(order, FATAL, stall, `the event loop has not turned for ${limitMs / 1_000} s: the process ends`);
  // Exiting this thread would not end the process.
  process.kill(pid, "SIGKILL");
  throw new Error("the process has ended");
}

function writeStall({ pid, note }: WatchdogOrder, level: number, stall: Stall, msg: string): void {
  const parts = Object.fromEntries(Object.entries(stall).map(([name, value]) => [name, Math.round(value)]));
  const { user, system } = process.cpuUsage();
  const processCpuMs = Math.round((user + system) / 1_000);
  const time = new Date().toISOString();
  writeLine({ level, time, ...threadOf(pid), stall: parts, processCpuMs, ...notedWork(note), msg });
}

/** Says what each thread of the process waits in; Linux only. */
function writeFileStall(ms: number): void {
  const ids = process.platform === "linux" ? readdirSync("/proc/self/task") : [];
  const threads = ids.map((id) => {
    const at = (file: string): string => readIfThere(`/proc/self/task/${id}/${file}`).trim();
    return { name: at("comm"), waitsIn: at("wchan"), call: at("syscall") };
  });
  const msg = `the threads for files have not answered for ${Math.round(ms / 1_000)} s: the log and files wait for them`;
  writeLine({ level: WARN, time: new Date().toISOString(), threads, msg });
}

function writeLine(line: object): void {
  try {
    writeSync(STANDARD_ERROR, `${JSON.stringify(line)}\n`);
  } catch {
    // Nothing reads the log any more; go on.
  }
}

/**
 * The kernel's view of the loop's thread. `running`: it computes; `cpuMs` is its CPU time. Otherwise `kernelStack` and
 * `waitsIn` show what it waits for. Its JavaScript stack cannot be read from here: `notedWork` says what it worked on.
 */
function threadOf(pid: number): Readonly<Record<string, unknown>> {
  const at = (file: string): string => readIfThere(`/proc/self/task/${pid}/${file}`).trim();
  const stat = at("stat");
  const state = stat.slice(stat.lastIndexOf(")") + 2).charAt(0);
  const cpuMs = Math.round(Number(at("schedstat").split(" ", 1)[0]) / 1e6);
  return {
    running: state === "R",
    state,
    cpuMs,
    waitsIn: at("wchan"),
    kernelStack: at("stack"),
    rssBytes: process.memoryUsage.rss(),
  };
}

/** What the loop works on, or, between two sections, what it worked on last. */
function notedWork(note: WatchdogOrder["note"]): { readonly worksOn?: object; readonly workedOn?: object } {
  const section = note === null ? null : readLoopNote(note);
  if (section === null) return {};
  const { isOpen, ...work } = section;
  return isOpen ? { worksOn: work } : { workedOn: work };
}

// The main thread imports this file too, for its types and its constant.
if (!Bun.isMainThread)
  globalThis.addEventListener("message", ({ data }: MessageEvent<WatchdogOrder>) => watch(data), { once: true });
