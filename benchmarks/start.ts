/**
 * How long until the service answers, and what does it cost while idle?
 *
 * The service runs as an operator starts it (`src/main.ts`, packages installed), with its embedded PostgreSQL, fsync
 * on. The first start creates the database (initdb), migrates it and creates the first organization; a warm start finds
 * all of that. Both are measured from the start of the process to the first 200 of `/readyz`. Memory is the
 * proportional set size (PSS) of the service and all of PostgreSQL's processes, a while after the last request.
 */
import { join } from "node:path";
import { readPidFile } from "../db/postmaster.ts";
import { freePort } from "../test/support/free-port.ts";
import type { Aim, Benchmark, BenchmarkContext } from "./support/benchmark.ts";
import { guard } from "./support/lifetime.ts";
import { pssOf, pssOfFamily } from "./support/pss.ts";
import { figure } from "./support/statistics.ts";
import { table } from "./support/table.ts";

const FIRST_AIM_S = 3;
const WARM_AIM_S = 1;
const IDLE_AIM_MIB = 130;
/** Longer than any start; and how long the service is idle before its memory is measured. */
const START_LIMIT_MS = 30_000;
const IDLE_MS = 5_000;
const MIB = 1024 * 1024;

interface Start {
  readonly seconds: number;
  readonly pid: number;
  stop(): Promise<void>;
}

export const benchmark: Benchmark = {
  question: "How long does a start take, and what does an idle service cost?",
  async run(context) {
    const firsts: number[] = [];
    const warms: number[] = [];
    let idle = { service: Number.NaN, database: Number.NaN };
    for (let round = 1; round <= context.rounds; round++) {
      const dataDir = join(context.lifetime.folder({ isOpen: true }), "data");
      const first = await start(context, dataDir);
      firsts.push(first.seconds);
      await first.stop();
      const warm = await start(context, dataDir);
      warms.push(warm.seconds);
      if (round === context.rounds) idle = await idleMemory(warm.pid, dataDir);
      await warm.stop();
      context.say(`round ${round}: first ${figure(first.seconds)} s, warm ${figure(warm.seconds)} s`);
    }
    return { text: report(firsts, warms, idle), aims: aims(firsts, warms, idle), skipped: [] };
  },
};

async function start({ lifetime }: BenchmarkContext, dataDir: string): Promise<Start> {
  const port = freePort();
  const began = performance.now();
  const child = Bun.spawn({
    cmd: [process.execPath, join(import.meta.dir, "../src/main.ts")],
    stdio: ["ignore", "ignore", "ignore"],
    cwd: "/",
    env: { PATH: "/usr/bin:/bin", PORT: String(port), DATA_DIR: dataDir, BUN_CONFIG_MAX_HTTP_REQUESTS: "65336" },
  });
  const release = guard(child.pid);
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await child.exited;
    release();
  };
  lifetime.add(stop);
  while (!(await isReady(port))) {
    if (child.exitCode !== null || performance.now() - began > START_LIMIT_MS)
      throw new Error("the service did not start");
    await Bun.sleep(2);
  }
  return { seconds: (performance.now() - began) / 1_000, pid: child.pid, stop };
}

const isReady = async (port: number): Promise<boolean> =>
  (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.status === 200;

async function idleMemory(pid: number, dataDir: string): Promise<{ service: number; database: number }> {
  await Bun.sleep(IDLE_MS);
  const postmaster = readPidFile(join(dataDir, "postgres"))?.pid ?? 0;
  return { service: pssOf(pid) / MIB, database: pssOfFamily(postmaster) / MIB };
}

function report(
  firsts: readonly number[],
  warms: readonly number[],
  idle: { service: number; database: number },
): string {
  const times = table(
    ["start", "best s", "worst s"],
    [
      ["first (initdb, migrations, first run)", figure(Math.min(...firsts)), figure(Math.max(...firsts))],
      ["warm", figure(Math.min(...warms)), figure(Math.max(...warms))],
    ],
  );
  const memory = table(
    ["idle", "PSS MiB"],
    [
      ["service", figure(idle.service)],
      ["PostgreSQL", figure(idle.database)],
    ],
  );
  return `${times}\n\n${memory}`;
}

function aims(firsts: readonly number[], warms: readonly number[], idle: { service: number; database: number }): Aim[] {
  const [first, warm, whole] = [Math.min(...firsts), Math.min(...warms), idle.service + idle.database];
  return [
    { aim: `first start under ${FIRST_AIM_S} s`, figure: `${figure(first)} s`, holds: first < FIRST_AIM_S },
    { aim: `warm start to the first 200 under ${WARM_AIM_S} s`, figure: `${figure(warm)} s`, holds: warm < WARM_AIM_S },
    {
      aim: `service and PostgreSQL idle under ${IDLE_AIM_MIB} MiB PSS`,
      figure: `${figure(whole)} MiB`,
      holds: whole < IDLE_AIM_MIB,
    },
  ];
}
