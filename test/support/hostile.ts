/** Starts the hostile server, and measures what it does to this process. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("hostile-server.ts", import.meta.url));

export interface HostileServer {
  readonly address: string;
  readonly port: number;
  /** How often each kind was asked for, as `POST mcp`, and how many bytes were taken from it. */
  counts(): Promise<{ readonly requests: Readonly<Record<string, number>>; readonly bytes: number }>;
  stop(): Promise<void>;
}

export async function startHostileServer(): Promise<HostileServer> {
  const child = Bun.spawn([process.execPath, PROGRAM], { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  reader.releaseLock();
  const port = Number(Buffer.from(value ?? []).toString());
  const address = `http://127.0.0.1:${port}`;
  return {
    address,
    port,
    counts: async () =>
      (await (await fetch(`${address}/counts`)).json()) as Awaited<ReturnType<HostileServer["counts"]>>,
    async stop() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

/** Of one turn of the loop, in ms. The floods that this guards against took seconds. */
export const LONGEST_GAP_MS = 300;
const TICK_MS = 5;

export interface Costs {
  /** The most time that the thread of the loop has worked in one turn, in ms. What others do on this machine is not in it. */
  readonly gapMs: number;
  /** By how much the process was larger at most, in bytes. */
  readonly grownBytes: number;
}

/** What this thread has worked, in ms, as the kernel counts it; elsewhere the clock on the wall. */
function workedMs(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ", 1)[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

/** Does the work while it watches the loop and the memory. */
export async function costsOf<T>(work: () => Promise<T>): Promise<Costs & { readonly value: T }> {
  Bun.gc(true);
  const before = process.memoryUsage.rss();
  let last = workedMs();
  let gapMs = 0;
  let largest = before;
  const look = (): void => {
    const now = workedMs();
    gapMs = Math.max(gapMs, now - last);
    last = now;
    largest = Math.max(largest, process.memoryUsage.rss());
  };
  const timer = setInterval(look, TICK_MS);
  try {
    const value = await work();
    look();
    return { value, gapMs, grownBytes: largest - before };
  } finally {
    clearInterval(timer);
  }
}
