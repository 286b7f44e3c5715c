/**
 * The soak: the whole service under mixed load, in rounds. In each one readers are cut off all the time and the
 * connections to the database once; after it the load rests, the work that is left is done, the garbage is collected,
 * and the memory is read. So each reading is of the same service at rest, and differs only by what has stayed.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "./free-port.ts";
import type { GuardedFolder } from "./guarded-folder.ts";
import { CLONE } from "./service-process.ts";
import { SoakLoad, type SoakCounts } from "./soak-load.ts";
import { eventually, rowsOf, startTroupe, type TroupeProcess } from "./troupe-process.ts";

/** One of so many webhooks is refused, so that retries are part of the load. */
const REFUSED_WEBHOOK = 10;
/** Work that is left when the load rests. */
const REST_MS = 60_000;
const CUT = `select pg_terminate_backend(pid) from pg_stat_activity
  where backend_type = 'client backend' and pid <> pg_backend_pid()`;

/** JavaScriptCore's defaults: a service of the tests compiles later, and then its memory grows for longer. */
const COMPILED_AS_SHIPPED = {
  BUN_JSC_thresholdForJITAfterWarmUp: "500",
  BUN_JSC_thresholdForOptimizeAfterWarmUp: "1000",
};

export interface SoakReading {
  /** Since the start of the load. */
  readonly seconds: number;
  /** Of the process alone, without its PostgreSQL: what only it uses, and its part of what it shares. */
  readonly pssBytes: number;
  /** Of these, its data. The rest are files, whose part becomes smaller with each other process that uses them. */
  readonly dataBytes: number;
  readonly heapBytes: number;
  readonly objects: number;
  readonly done: number;
}

interface SoakReport {
  readonly readings: readonly SoakReading[];
  readonly counts: SoakCounts;
  /** Causes of the answers that are bugs, from the log. */
  readonly bugs: readonly unknown[];
  readonly end: number | string;
}

export async function soak(
  folder: GuardedFolder,
  { seconds, rounds }: { seconds: number; rounds: number },
): Promise<SoakReport> {
  const adminPort = freePort();
  const service = await startTroupe(folder, {
    cmd: [process.execPath, "--preload", join(CLONE, "test/support/collecting.ts"), join(CLONE, "src/main.ts")],
    env: {
      // The lines of requests would be the largest part of the work of this test.
      LOG_LEVEL: "info",
      ...COMPILED_AS_SHIPPED,
      ADMIN_PORT: String(adminPort),
      EGRESS_ALLOW: "127.0.0.1",
      QUOTAS: "chats=unlimited,tasks=unlimited,stored_rows=unlimited,stored_bytes=unlimited",
      RATE_BUDGETS: "*=100000000",
      RUNNING_JOBS: "64",
      RUNNING_JOBS_OF_ORGANIZATION: "64",
    },
  });
  const { personal, agentId } = service.firstRun();
  const load = new SoakLoad({ url: service.url, token: personal, agentId });
  let webhooks = 0;
  const receiver = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      await request.text();
      return new Response("", { status: webhooks++ % REFUSED_WEBHOOK === 0 ? 500 : 200 });
    },
  });
  const readings: SoakReading[] = [];
  try {
    await load.prepare(`http://127.0.0.1:${receiver.port}/`);
    const from = performance.now();
    for (let round = 1; round <= rounds; round++) {
      load.start();
      const untilMs = (round * seconds * 1_000) / rounds;
      const left = (): number => untilMs - (performance.now() - from);
      await Bun.sleep(Math.max(0, left() / 2));
      await rowsOf(service.dataDir, CUT);
      await Bun.sleep(Math.max(0, left()));
      await load.stop();
      await eventually("the work that is left is done", () => isAtRest(adminPort), REST_MS);
      readings.push({
        ...(await collected(service)),
        seconds: (performance.now() - from) / 1_000,
        done: load.counts.done,
      });
    }
    const bugs = service.log.filter(({ msg }) => msg === "a request failed");
    return { readings, counts: load.counts, bugs, end: await service.end() };
  } finally {
    await load.stop();
    await receiver.stop(true);
  }
}

async function isAtRest(adminPort: number): Promise<boolean> {
  const told = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
  const sum = (metric: string): number =>
    [...told.matchAll(new RegExp(`^${metric}(?:\\{[^}]*\\})? (\\S+)$`, "gm"))].reduce((s, [, n]) => s + Number(n), 0);
  const isTold = /^troupe_jobs\b/m.test(told) && /^troupe_streams_open\b/m.test(told);
  return isTold && sum("troupe_jobs") === 0 && sum("troupe_streams_open") === 0;
}

async function collected(service: TroupeProcess) {
  const lines = () => service.log.filter(({ msg }) => msg === "collected");
  const before = lines().length;
  process.kill(service.pid, "SIGUSR2");
  await eventually("the garbage is collected", () => lines().length > before);
  const { heapBytes, objects } = lines().at(-1) as unknown as SoakReading;
  const memory = readFileSync(`/proc/${service.pid}/smaps_rollup`, "utf8");
  const bytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(memory)?.[1]) * 1_024;
  return { heapBytes, objects, pssBytes: bytes("Pss"), dataBytes: bytes("Pss_Anon") };
}

/** The part of the readings in which the service warms up. */
const WARM_UP = 0.2;

/** By how much the last third of the readings after the warm-up is over the first third: 0.05 is 5 %. */
export function growthOf(readings: readonly SoakReading[], of: (reading: SoakReading) => number): number {
  const settled = readings.slice(Math.floor(readings.length * WARM_UP)).map(of);
  const part = Math.ceil(settled.length / 3);
  return median(settled.slice(-part)) / median(settled.slice(0, part)) - 1;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
