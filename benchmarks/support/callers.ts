/** Closed-loop load: each caller sends its next call when the last one is answered. */
import { Samples } from "./statistics.ts";

export interface Load {
  readonly callers: number;
  /** The number of keys that the callers cycle through; 1: one hot key. */
  readonly keys: number;
  readonly seconds: number;
}

export interface Measured {
  readonly acknowledged: number;
  readonly perSecond: number;
  readonly p50Us: number;
  readonly p99Us: number;
  /** CPU of this process, in µs for each acknowledgement. */
  readonly cpuUs: number;
}

const WARM_UP = 0.25;

/** Calls `call` with a key, from `load.callers` callers, and measures after a warm-up of a quarter of the time. */
export async function callInLoops(
  load: Load,
  call: (key: number) => Promise<unknown>,
  atStart: () => void = () => {},
): Promise<Measured> {
  const samples = new Samples();
  let isMeasured = false;
  let isOver = false;
  const loop = async (caller: number): Promise<void> => {
    for (let key = caller % load.keys; !isOver; key = (key + load.callers) % load.keys) {
      const from = performance.now();
      await call(key);
      if (isMeasured && !isOver) samples.add((performance.now() - from) * 1_000);
    }
  };
  const loops = Array.from({ length: load.callers }, (_, caller) => loop(caller));
  await Bun.sleep(load.seconds * 1_000 * WARM_UP);
  atStart();
  isMeasured = true;
  const from = performance.now();
  const cpuFrom = process.cpuUsage();
  await Bun.sleep(load.seconds * 1_000);
  const seconds = (performance.now() - from) / 1_000;
  const cpu = process.cpuUsage(cpuFrom);
  isOver = true;
  const { p50, p99, count } = samples.summary();
  await Promise.all(loops);
  return {
    acknowledged: count,
    perSecond: count / seconds,
    p50Us: p50,
    p99Us: p99,
    cpuUs: (cpu.user + cpu.system) / count,
  };
}
