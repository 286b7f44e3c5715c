/**
 * Redis with `appendfsync always`, driven by redis-benchmark: an increment that is on disk when it is answered. A lower
 * bound: no event log, no transaction over several records, no query, no fencing.
 */
import { freePort } from "../../test/support/free-port.ts";
import { cpuOf } from "./cpu.ts";
import type { Lifetime } from "./lifetime.ts";

export interface RedisRun {
  readonly perSecond: number;
  readonly p50Us: number;
  readonly p99Us: number;
  /** CPU of redis-server alone. */
  readonly cpuUs: number;
}

export interface Redis {
  run(callers: number, keys: number, seconds: number): Promise<RedisRun>;
}

/** Null if redis-server is not installed. */
export async function startRedis(lifetime: Lifetime): Promise<Redis | null> {
  const program = Bun.which("redis-server");
  const client = Bun.which("redis-benchmark");
  if (program === null || client === null) return null;
  const folder = lifetime.folder();
  const port = freePort();
  const pid = lifetime.spawn([
    program,
    "--port",
    String(port),
    "--bind",
    "127.0.0.1",
    "--dir",
    folder,
    "--save",
    "",
    "--appendonly",
    "yes",
    "--appendfsync",
    "always",
  ]);
  let rate = 5_000;
  return {
    async run(callers, keys, seconds) {
      await burst({ client, port, callers, keys }, Math.max(callers, rate / 4));
      const before = cpuOf(pid);
      const count = Math.max(callers, Math.round(rate * seconds));
      const measured = await burst({ client, port, callers, keys }, count);
      rate = measured.perSecond;
      return { ...measured, cpuUs: ((cpuOf(pid) - before) * 1e6) / count };
    },
  };
}

interface Burst {
  readonly client: string;
  readonly port: number;
  readonly callers: number;
  readonly keys: number;
}

async function burst({ client, port, callers, keys }: Burst, count: number) {
  const cmd = [
    client,
    "-h",
    "127.0.0.1",
    "-p",
    String(port),
    "-c",
    String(callers),
    "-n",
    String(Math.round(count)),
    "-r",
    String(keys),
    "--csv",
    "incr",
    "counter:__rand_int__",
  ];
  const child = Bun.spawn({ cmd, stdio: ["ignore", "pipe", "ignore"] });
  const line = (await child.stdout.text()).trim().split("\n").at(-1) ?? "";
  // "test","rps","avg","min","p50","p95","p99","max"; milliseconds
  const cells = line.split(",").map((cell) => Number(cell.replaceAll('"', "")));
  return {
    perSecond: cells[1] ?? Number.NaN,
    p50Us: (cells[4] ?? Number.NaN) * 1_000,
    p99Us: (cells[6] ?? Number.NaN) * 1_000,
  };
}
