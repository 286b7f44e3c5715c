/**
 * The thread of the watchdog. It sleeps, checks for heartbeats of the loop, and kills the process if there are none.
 */
import { readFileSync, writeSync } from "node:fs";
import { readNote } from "./loop-note.ts";

export interface WatchdogOrder {
  /** A counter that the loop increments. */
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
/** pino's level. */
const FATAL = 60;

function watch(order: WatchdogOrder): never {
  const { beats, limitMs } = order;
  let last = Atomics.load(beats, 0);
  for (let missed = 0; ;) {
    // Nothing notifies this memory, so the wait lasts the full time.
    const asleep = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    Atomics.wait(asleep, 0, 0, limitMs / BEATS_OF_LIMIT);
    const now = Atomics.load(beats, 0);
    missed = now === last ? missed + 1 : 0;
    last = now;
    if (missed >= BEATS_OF_LIMIT) end(order);
  }
}

function end({ pid, limitMs, note }: WatchdogOrder): never {
  const msg = `the event loop has not turned for ${limitMs / 1_000} s: the process ends`;
  const line = { level: FATAL, time: new Date().toISOString(), ...threadOf(pid), ...workOf(note), msg };
  try {
    writeSync(STANDARD_ERROR, `${JSON.stringify(line)}\n`);
  } catch {
    // Nothing reads the log any more; go on and end the process.
  }
  // Exiting this thread would not end the process.
  process.kill(pid, "SIGKILL");
  throw new Error("the process has ended");
}

/**
 * What the kernel knows of the loop's thread. `running`: it computes; `cpuMs` is its CPU time. Otherwise `kernelStack`
 * and `waitsIn` show what it waits for. Its JavaScript stack cannot be read from here: `workOf` says what it worked on.
 */
function threadOf(pid: number): Readonly<Record<string, unknown>> {
  const at = (file: string): string => read(`/proc/self/task/${pid}/${file}`).trim();
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
function workOf(note: WatchdogOrder["note"]): { readonly worksOn?: object; readonly workedOn?: object } {
  const section = note === null ? null : readNote(note);
  if (section === null) return {};
  const { isOpen, ...work } = section;
  return isOpen ? { worksOn: work } : { workedOn: work };
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

// The main thread imports this file too, for its types and its constant.
if (!Bun.isMainThread)
  globalThis.addEventListener("message", ({ data }: MessageEvent<WatchdogOrder>) => watch(data), { once: true });
