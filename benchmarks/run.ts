/**
 * Runs benchmarks, one after the other, and writes their sections of RESULTS.md.
 *
 *   bun run bench                     all of them
 *   bun run bench turns memory        these
 *   BENCH_ROUNDS=1 BENCH_SECONDS=0.5 BENCH_WRITE=0 bun run bench turns
 *                                     short, and RESULTS.md stays as it is
 *
 * All traffic stays on this machine. Exits with 1 if an aim is missed and BENCH_STRICT=1.
 */
import { join } from "node:path";
import type { Benchmark } from "./support/benchmark.ts";
import { Lifetime } from "./support/lifetime.ts";
import { circumstances, sectionOf, withFigures, withSection } from "./support/results.ts";

const NAMES = [
  "turns",
  "http",
  "limits",
  "slow-disk",
  "stream",
  "dialects",
  "fan-out",
  "memory",
  "start",
  "long-chat",
  "jobs",
  "conversation",
  "compare",
  "webhooks",
  "resume",
  "fairness",
  "floods",
  "missions",
  "lists",
  "files",
  "mcp",
  "replicas",
  "console",
] as const;
const RESULTS = join(import.meta.dir, "RESULTS.md");

function setting(name: string, fallback: number): number {
  const value = Number(process.env[name] ?? fallback);
  if (!Number.isFinite(value) || value < 0) throw new Error(`${name} must be a number`);
  return value;
}

async function runOne(name: string): Promise<boolean> {
  const { benchmark } = (await import(`./${name}.ts`)) as { benchmark: Benchmark };
  const lifetime = new Lifetime();
  const stop = (): void => void lifetime.end().finally(() => process.exit(130));
  process.once("SIGINT", stop).once("SIGTERM", stop);
  const length = { rounds: setting("BENCH_ROUNDS", 3), seconds: setting("BENCH_SECONDS", 2) };
  const where = circumstances();
  console.log(`${name}: ${benchmark.question}`);
  try {
    const report = await benchmark.run({ ...length, lifetime, say: (line) => console.log(`  ${line}`) });
    const how = { ...length, where };
    const section = sectionOf(name, benchmark, report, how);
    console.log(`\n${section}\n${report.page === undefined ? "" : `\n${report.page.text}\n`}`);
    if (process.env["BENCH_WRITE"] !== "0") {
      await withSection(RESULTS, name, section);
      await withFigures(join(import.meta.dir, ".."), name, report, how);
    }
    return report.aims.every((aim) => aim.holds);
  } finally {
    process.off("SIGINT", stop).off("SIGTERM", stop);
    await lifetime.end();
  }
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !NAMES.some((known) => known === name));
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(", ")}; there are ${NAMES.join(", ")}.`);
  process.exit(2);
}
let doAllHold = true;
for (const name of wanted.length > 0 ? wanted : NAMES) doAllHold = (await runOne(name)) && doAllHold;
process.exit(!doAllHold && process.env["BENCH_STRICT"] === "1" ? 1 : 0);
