/** The machine of a measurement. */
import { cpus, loadavg, totalmem } from "node:os";

const git = (...args: string[]): string =>
  Bun.spawnSync({ cmd: ["git", ...args], cwd: import.meta.dir })
    .stdout.toString()
    .trim();

export function machine(): string {
  const model = cpus()[0]?.model ?? "unknown";
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} × ${model}, ${memory} GiB, ${process.platform} ${process.arch}, Bun ${Bun.version}`;
}

/** The load of the machine in the minute before: above 0.5 the figures are unreliable. */
export const loadBefore = (): string => (loadavg()[0] ?? 0).toFixed(1);

/** What is measured, and what measures: everything but the record itself, which each section changes. */
const MEASURED = ["../../actors", "../../db", "../../src", "..", ":(exclude)../RESULTS.md"];

/** The commit, with a mark if the measured code has uncommitted changes. */
export function commit(): string {
  const isChanged = git("status", "--porcelain", "--", ...MEASURED) !== "";
  return `${git("rev-parse", "--short=10", "HEAD")}${isChanged ? " and changes" : ""}`;
}
