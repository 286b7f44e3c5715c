/**
 * `pgbench -M prepared`: each client inserts one row of an event's size in its own transaction. It keeps no state,
 * checks nothing and writes one row where a turn writes two: the throughput of the same server for minimal clients in
 * C.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { cpuOfTree } from "./cpu.ts";
import type { Lifetime } from "./lifetime.ts";
import type { Server } from "./postgres.ts";

export interface PgbenchRun {
  readonly perSecond: number;
  readonly p50Us: number;
  readonly p99Us: number;
  /** CPU of pgbench and of PostgreSQL, in µs for each row. */
  readonly cpuUs: number;
}

export interface Pgbench {
  run(clients: number, seconds: number, how?: Pacing): Promise<PgbenchRun>;
}

interface Pacing {
  /** Transactions to begin per second; omitted: as many as possible. */
  readonly perSecond?: number;
  /** Whether a commit waits for its sync; omitted: it does. */
  readonly isSynced?: boolean;
}

const SCRIPT = `insert into pgbench_event (stream, type, at, data)
values ('ledger-0000', 'added', '2026-01-01T00:00:00.000Z', '{"by":1}');
`;

/** Null if pgbench is not installed. */
export async function openPgbench(lifetime: Lifetime, server: Server): Promise<Pgbench | null> {
  const program = Bun.which("pgbench") ?? null;
  if (program === null) return null;
  const sql = postgres(server.url, { max: 1, onnotice: () => {} });
  await sql`create table if not exists pgbench_event (id bigint generated always as identity primary key, stream text not null, type text not null, at text not null, data json not null)`;
  await sql.end();
  const folder = lifetime.folder();
  const script = join(folder, "insert.sql");
  writeFileSync(script, SCRIPT);
  return { run: (clients, seconds, how) => run({ program, script, folder, server }, clients, seconds, how) };
}

interface Parts {
  readonly program: string;
  readonly script: string;
  readonly folder: string;
  readonly server: Server;
}

async function run(
  { program, script, folder, server }: Parts,
  clients: number,
  seconds: number,
  { perSecond: pace, isSynced = true }: Pacing = {},
): Promise<PgbenchRun> {
  const prefix = join(folder, "log");
  const threads = Math.min(clients, 2);
  const before = cpuOfTree(server.pid);
  const child = Bun.spawn({
    cmd: [
      program,
      "--no-vacuum",
      "--protocol=prepared",
      `--client=${clients}`,
      `--jobs=${threads}`,
      `--time=${Math.max(1, Math.round(seconds))}`,
      `--file=${script}`,
      ...(pace === undefined ? [] : [`--rate=${pace}`]),
      "--log",
      `--log-prefix=${prefix}`,
      "--host=127.0.0.1",
      `--port=${server.port}`,
      "--username=troupe",
      "postgres",
    ],
    env: { PATH: "/usr/bin:/bin", PGPASSWORD: server.password, PGOPTIONS: isSynced ? "" : "-c synchronous_commit=off" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [output, complaint, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (code !== 0) throw new Error(`pgbench failed: ${complaint}`);
  const { cpuTime } = child.resourceUsage() ?? { cpuTime: { total: 0 } };
  const rows = Number(output.match(/transactions actually processed: (\d+)/)?.[1]);
  const perSecond = Number(output.match(/tps = ([\d.]+)/)?.[1]);
  const cpuUs = (Number(cpuTime.total) + (cpuOfTree(server.pid) - before) * 1e6) / rows;
  return { perSecond, cpuUs, ...(await latencies(folder)) };
}

/** From the log of each transaction: `client number latency …`, latency in µs. */
async function latencies(folder: string): Promise<{ p50Us: number; p99Us: number }> {
  const child = Bun.spawn({
    cmd: [
      "/bin/sh",
      "-c",
      "cat log.* | awk '{print $3}' | sort -n | awk '{v[NR]=$1} END {print v[int(NR*0.5)+1], v[int(NR*0.99)+1]}'; rm -f log.*",
    ],
    cwd: folder,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [p50Us = Number.NaN, p99Us = Number.NaN] = (await child.stdout.text()).trim().split(" ").map(Number);
  return { p50Us, p99Us };
}
