/**
 * A Durable Object counter on workerd, the runtime of Cloudflare Workers: a serialized increment that is synced to
 * SQLite before it is answered (its output gate). The callers are inside workerd, so there is no HTTP in between. It
 * stores one row and no event, serves one process, and nothing outside can read its data.
 *
 * The package is 122 MiB, so it is not a dependency: it is installed into a temporary folder.
 */
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cpuOf } from "./cpu.ts";
import type { Lifetime } from "./lifetime.ts";
import { freePort } from "../../test/support/free-port.ts";

const VERSION = "1.20260730.1";
const PACKAGE = `@cloudflare/workerd-${process.platform}-${process.arch === "x64" ? "64" : process.arch}`;
const START_LIMIT_MS = 10_000;

export interface WorkerdRun {
  readonly perSecond: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly cpuUs: number;
}

export interface Workerd {
  run(callers: number, keys: number, seconds: number): Promise<WorkerdRun>;
}

/** Null if the package cannot be installed. */
export async function startWorkerd(lifetime: Lifetime): Promise<Workerd | null> {
  const folder = lifetime.folder();
  writeFileSync(join(folder, "package.json"), "{}\n");
  const install = Bun.spawn({
    cmd: [process.execPath, "add", "--exact", `${PACKAGE}@${VERSION}`],
    cwd: folder,
    stdio: ["ignore", "ignore", "ignore"],
  });
  if ((await install.exited) !== 0) return null;
  mkdirSync(join(folder, "store"));
  const port = freePort();
  copyFileSync(join(import.meta.dir, "workerd-counter.js"), join(folder, "counter.js"));
  writeFileSync(join(folder, "config.capnp"), config(port, join(folder, "store")));
  const pid = lifetime.spawn(
    [join(folder, "node_modules", PACKAGE, "bin", "workerd"), "serve", "config.capnp", "--experimental"],
    { cwd: folder },
  );
  const url = `http://127.0.0.1:${port}/`;
  if (!(await answers(url))) return null;
  return {
    async run(callers, keys, seconds) {
      const before = cpuOf(pid);
      const response = await fetch(`${url}?callers=${callers}&keys=${keys}&seconds=${seconds}`);
      const { all, perSecond, p50Us, p99Us } = (await response.json()) as {
        all: number;
        perSecond: number;
        p50Us: number;
        p99Us: number;
      };
      return { perSecond, p50Us, p99Us, cpuUs: ((cpuOf(pid) - before) * 1e6) / all };
    },
  };
}

async function answers(url: string): Promise<boolean> {
  for (const until = performance.now() + START_LIMIT_MS; performance.now() < until; await Bun.sleep(50)) {
    const isUp = await fetch(`${url}?callers=1&keys=1&seconds=0.01`).then(
      (r) => r.ok,
      () => false,
    );
    if (isUp) return true;
  }
  return false;
}

const config = (port: number, store: string): string => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .counter),
    (name = "store", disk = (path = "${store}", writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const counter :Workerd.Worker = (
  modules = [(name = "counter.js", esModule = embed "counter.js")],
  compatibilityDate = "2026-01-01",
  durableObjectNamespaces = [(className = "Counter", uniqueKey = "counter", enableSql = true)],
  durableObjectStorage = (localDisk = "store"),
  bindings = [(name = "COUNTERS", durableObjectNamespace = "Counter")],
);
`;
