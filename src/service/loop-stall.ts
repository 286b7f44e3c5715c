/**
 * Tells a hanging loop from a stalled machine. Time in which the loop's thread computes or sleeps is its own. Time in
 * which it waits for the disk (a page that is read, a blocked write) or for a processor is the machine's.
 */
import { readFileSync } from "node:fs";

/** The kernel's counters of the loop's thread until now. */
export interface LoopCounts {
  readonly state: string;
  readonly cpuMs: number;
  readonly waitedForCpuMs: number;
  readonly majorFaults: number;
}

/** The parts of a stall, in ms of real time. */
export interface Stall {
  /** The loop's own part of the time. */
  readonly ownMs: number;
  readonly cpuMs: number;
  readonly cpuWaitMs: number;
  readonly diskWaitMs: number;
  readonly majorFaults: number;
}

export const NO_STALL: Stall = { ownMs: 0, cpuMs: 0, cpuWaitMs: 0, diskWaitMs: 0, majorFaults: 0 };

/**
 * Adds an interval to a stall. `countedMs`: the most that may count, because the thread that looks was late itself where
 * the process was paused. Without counts (no Linux) all of the interval is the loop's own.
 */
export function stalledFor(
  stall: Stall,
  [before, after]: readonly [LoopCounts | null, LoopCounts | null],
  elapsedMs: number,
  countedMs: number,
): Stall {
  if (before === null || after === null) return { ...stall, ownMs: stall.ownMs + Math.min(elapsedMs, countedMs) };
  const cpuMs = Math.min(elapsedMs, after.cpuMs - before.cpuMs);
  const rest = elapsedMs - cpuMs;
  // A wait for a processor is counted when it is over; a thread in this state is still in one.
  const cpuWaitMs = after.state === "R" ? rest : Math.min(rest, after.waitedForCpuMs - before.waitedForCpuMs);
  const majorFaults = after.majorFaults - before.majorFaults;
  const diskWaitMs = after.state === "D" || majorFaults > 0 ? rest - cpuWaitMs : 0;
  return {
    ownMs: stall.ownMs + Math.min(elapsedMs - cpuWaitMs - diskWaitMs, countedMs),
    cpuMs: stall.cpuMs + cpuMs,
    cpuWaitMs: stall.cpuWaitMs + cpuWaitMs,
    diskWaitMs: stall.diskWaitMs + diskWaitMs,
    majorFaults: stall.majorFaults + majorFaults,
  };
}

const NS_IN_MS = 1e6;

/** Linux only; null elsewhere. */
export function threadCounts(thread: number): LoopCounts | null {
  try {
    const stat = readFileSync(`/proc/self/task/${thread}/stat`, "utf8");
    // "tid (name) state parent …"; a name may contain brackets and spaces.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [ran, waited] = readFileSync(`/proc/self/task/${thread}/schedstat`, "utf8").split(" ").map(Number);
    return {
      state: fields[0] ?? "",
      cpuMs: (ran ?? 0) / NS_IN_MS,
      waitedForCpuMs: (waited ?? 0) / NS_IN_MS,
      majorFaults: Number(fields[9]),
    };
  } catch {
    return null;
  }
}
