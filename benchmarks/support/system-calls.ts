/** Counts the writes of a process to its sockets and files, by strace. */
import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const WRITES = "sendto,sendmsg,sendmmsg,write,writev";

/** The number of writes of the process while the work ran; null if strace is missing or not permitted. */
export async function countCalls(pid: number, work: () => Promise<unknown>): Promise<number | null> {
  const strace = Bun.which("strace");
  if (strace === null) return null;
  const file = join(tmpdir(), `troupe-calls-${process.pid}`);
  const child = Bun.spawn({
    cmd: [strace, "-f", "-c", "-e", `trace=${WRITES}`, "-o", file, "-p", String(pid)],
    stdio: ["ignore", "ignore", "pipe"],
  });
  // strace prints a line when it is attached, or exits if it is not permitted.
  const attached = await Promise.race([child.stderr.getReader().read(), child.exited]);
  if (typeof attached === "number") return null;
  await work();
  child.kill("SIGINT");
  await child.exited;
  const text = readFileSync(file, "utf8");
  rmSync(file, { force: true });
  // % time, seconds, usecs/call, calls, errors (or nothing), syscall
  const rows = text.split("\n").filter((line) => WRITES.split(",").includes(line.trim().split(/\s+/).at(-1) ?? ""));
  return rows.reduce((sum, row) => sum + Number(row.trim().split(/\s+/)[3]), 0);
}
