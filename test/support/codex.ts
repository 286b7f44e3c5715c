/**
 * OpenAI's Codex, fetched by npm into a folder of the clone: its package has 400 MB, which no installation of this
 * project should carry for one test.
 */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { npmOfNode } from "./npm.ts";
import { CLONE } from "./service-process.ts";

const CODEX_VERSION = "0.169.0";
const FETCH_MS = 300_000;

/** The program; null: it cannot be had here. What was fetched once is not fetched again. */
export function fetchCodex(): string | null {
  const folder = join(CLONE, ".tmp", `codex-${CODEX_VERSION}`);
  const found = codexIn(folder);
  const npm = npmOfNode();
  if (found !== null || npm === null) return found;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private": true}');
  const install = ["install", "--no-audit", "--no-fund", "--ignore-scripts", `@openai/codex@${CODEX_VERSION}`];
  Bun.spawnSync([npm.program, ...install], {
    cwd: folder,
    env: npm.environment(folder),
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
    timeout: FETCH_MS,
  });
  return codexIn(folder);
}

/** The binary is in the package of this platform. */
function codexIn(folder: string): string | null {
  const vendor = join(folder, `node_modules/@openai/codex-${process.platform}-${process.arch}/vendor`);
  if (!existsSync(vendor)) return null;
  const program = readdirSync(vendor)
    .map((triple) => join(vendor, triple, "bin/codex"))
    .find((path) => existsSync(path));
  return program ?? null;
}
