/** The thread of the watchdog. It sleeps, looks at the beats of the loop, and ends the process when there are none. */
import { readFileSync, writeSync } from "node:fs";
import { readNote } from "./loop-note.ts";

export interface WatchdogOrder {
  /** One number, which the loop counts up. */
  readonly beats: Int32Array<SharedArrayBuffer>;
  /** What the loop works on. */
  readonly note: Uint8Array<SharedArrayBuffer> | null;
  readonly limitMs: number;
  /** Of the process, and on Linux of the thread of its loop too. */
  readonly pid: number;
}

/** Looks within the limit. A process that was stopped and goes on misses one look and not all. */
export const BEATS_OF_LIMIT = 5;
const STANDARD_ERROR = 2;
/** As pino's. */
const FATAL = 60;

function watch(order: WatchdogOrder): never {
  const { beats, limitMs } = order;
  let last = Atomics.load(beats, 0);
  for (let missed = 0; ;) {
    // Nobody wakes it: it waits for as long as it says.
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
    // Nobody reads it; the end is what matters.
  }
  // An exit of this thread would not end the others.
  process.kill(pid, "SIGKILL");
  throw new Error("the process has ended");
}

/**
 * What the kernel knows of the thread of the loop. `running` says that it computes, and for how long it
 * has; else `kernelStack` and `waitsIn` say what it waits for. Its JavaScript cannot be read from here: `workOf`
 * says what it was about.
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

/** What the loop works on, or, between two sections of work, what it has worked on last. */
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

// Also imported for its types and its number, by the thread of the loop.
if (!Bun.isMainThread)
  globalThis.addEventListener("message", ({ data }: MessageEvent<WatchdogOrder>) => watch(data), { once: true });
