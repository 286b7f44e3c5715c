#!/usr/bin/env node
/**
 * The command of the npm package: needs Node only, and starts the service on the Bun that the package depends on.
 *
 *   troupe [--print-config]     start
 *   troupe admin …              administer
 *   troupe acp …                connect an editor
 *   troupe --version
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = dirname(fileURLToPath(import.meta.url));
const EXIT_UNAVAILABLE = 69;

/** Where npm puts it. Its install script links the right binary as `bun.exe`; where scripts may not run, each is tried. */
function bunPrograms() {
  const resolve = createRequire(import.meta.url).resolve;
  let folder;
  try {
    folder = dirname(resolve("bun/package.json"));
  } catch {
    return [];
  }
  const binaries = join(dirname(folder), "@oven");
  const others = existsSync(binaries) ? readdirSync(binaries).toSorted() : [];
  return [join(folder, "bin", "bun.exe"), ...others.map((name) => join(binaries, name, "bin", "bun"))];
}

const [command, ...rest] = process.argv.slice(2);
if (command === "--version") {
  console.log(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).version);
  process.exit(0);
}
const bun = bunPrograms().find((path) => spawnSync(path, ["--version"], { stdio: "ignore" }).status === 0);
if (bun === undefined) {
  console.error("Bun, which Troupe runs on, is not installed beside it. Install the package again: npm install");
  process.exit(EXIT_UNAVAILABLE);
}
const PROGRAMS = { admin: "src/admin/main.ts", acp: "src/acp-bridge/main.ts" };
const words = Object.hasOwn(PROGRAMS, command ?? "")
  ? [join(ROOT, PROGRAMS[command]), ...rest]
  : [join(ROOT, "src/main.ts"), ...process.argv.slice(2)];
const service = spawn(bun, words, {
  stdio: "inherit",
  // More outgoing requests than Bun's default; read before any code runs.
  env: { BUN_CONFIG_MAX_HTTP_REQUESTS: "65336", ...process.env },
});
// The service drains; this process ends with it, as it did.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2"]) process.on(signal, () => service.kill(signal));
service.on("error", ({ message }) => {
  console.error(`Troupe could not be started: ${message}`);
  process.exit(EXIT_UNAVAILABLE);
});
service.on("exit", (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
