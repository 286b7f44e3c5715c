/**
 * The service as an operator starts it (`src/main.ts`), in its own process, on a given PostgreSQL, logging each request
 * to a file; with the token and the agent of its first run.
 */
import { existsSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FIRST_RUN_FILE } from "../../src/service/first-run.ts";
import { SERVICE_FILE, type ServiceNote } from "../../src/service/service-note.ts";
import { embeddedUrl } from "../../test/support/service-tables.ts";
import { guard, type Lifetime } from "./lifetime.ts";
import type { Server } from "./postgres.ts";
import { profiling } from "./worker.ts";

const START_LIMIT_MS = 20_000;
const LOG = "service.log";

export interface RunningService {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** How the administration command reaches it. */
  readonly note: ServiceNote;
  readonly token: string;
  readonly agentId: string;
  /** The present URL of its database. */
  databaseUrl(): string;
  /** Kills it and restarts it at the same address; resolves when it serves. */
  crash(): Promise<void>;
}

/**
 * Starts the service; resolves when it serves. It drains at the end of the lifetime. Without a server it uses its
 * embedded PostgreSQL.
 */
export async function startService(
  lifetime: Lifetime,
  server: Server | null,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningService> {
  // An open folder, because under root PostgreSQL runs as another user.
  const folder = lifetime.folder({ isOpen: true });
  const [note, text] = [join(folder, "data", SERVICE_FILE), join(folder, "data", FIRST_RUN_FILE)];
  // The load of a benchmark exceeds the rate limit of normal clients.
  const wanted = { V1_REQUESTS_PER_MINUTE: "0", ...(server === null ? {} : { DATABASE_URL: server.url }), ...env };
  let running = spawn(folder, wanted);
  lifetime.add(async () => {
    running.child.kill("SIGTERM");
    const limit = setTimeout(() => running.child.kill("SIGKILL"), 30_000);
    await running.child.exited;
    clearTimeout(limit);
    running.release();
  });
  await serving(folder, running.child, () => {
    return existsSync(note) && existsSync(text) && readFileSync(text, "utf8").includes("/agents/");
  });
  const told = JSON.parse(readFileSync(note, "utf8")) as ServiceNote;
  const { address } = told;
  const first = readFileSync(text, "utf8");
  const token = first.match(/\bpat_\S+/)?.[0] ?? "";
  const agentId = first.match(/\/agents\/([^/]+)\//)?.[1] ?? "";
  const port = Number(new URL(address).port);
  const crash = async (): Promise<void> => {
    running.child.kill("SIGKILL");
    await running.child.exited;
    running.release();
    running = spawn(folder, { ...wanted, PORT: String(port) });
    await serving(folder, running.child, async () => (await fetch(`${address}/readyz`).catch(() => null))?.ok === true);
  };
  const databaseUrl = (): string => server?.url ?? embeddedUrl(join(folder, "data"));
  return { url: address, port, pid: running.child.pid, note: told, token, agentId, databaseUrl, crash };
}

function spawn(folder: string, env: Readonly<Record<string, string>>) {
  const log = openSync(join(folder, LOG), "a");
  const child = Bun.spawn({
    cmd: [process.execPath, ...profiling(), join(import.meta.dir, "../../src/main.ts")],
    stdio: ["ignore", log, log],
    env: {
      PATH: "/usr/bin:/bin",
      PORT: "0",
      HOST: "127.0.0.1",
      DATA_DIR: join(folder, "data"),
      BUN_CONFIG_MAX_HTTP_REQUESTS: "8192",
      ...env,
    },
  });
  return { child, release: guard(child.pid) };
}

async function serving(folder: string, child: Bun.Subprocess, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const until = performance.now() + START_LIMIT_MS; !(await holds()); await Bun.sleep(20)) {
    if (child.exitCode !== null || performance.now() > until) {
      throw new Error(`the service did not start: ${readFileSync(join(folder, LOG), "utf8").slice(-2_000)}`);
    }
  }
}

/** Starts a process of the service in this folder, without waiting for it; answers its pid. It ends with the lifetime. */
export function spawnService(lifetime: Lifetime, folder: string, env: Readonly<Record<string, string>>): number {
  const { child, release } = spawn(folder, env);
  lifetime.add(async () => {
    child.kill("SIGKILL");
    await child.exited;
    release();
  });
  return child.pid;
}

/** Resolves when the process has ended. */
export const stopped = (pid: number): Promise<void> =>
  waitFor("the process ends", () => !existsSync(`/proc/${pid}`) || /^State:\s+Z/m.test(statusOf(pid)));

const statusOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return "State: Z";
  }
};

/** Resolves when the condition holds. */
export async function waitFor(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const until = performance.now() + START_LIMIT_MS; !(await holds()); await Bun.sleep(5))
    if (performance.now() > until) throw new Error(`did not come true: ${what}`);
}
