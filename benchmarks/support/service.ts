/**
 * The service as an operator starts it (`src/main.ts`), in a process of its own, on a given
 * PostgreSQL, logging each request to a file; with the token and the agent of its first run.
 */
import { existsSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FIRST_RUN_FILE } from "../../src/first-run.ts";
import { SERVICE_FILE, type ServiceNote } from "../../src/admin/door.ts";
import { guard, type Lifetime } from "./lifetime.ts";
import type { Server } from "./postgres.ts";
import { profiling } from "./worker.ts";

const START_LIMIT_MS = 20_000;

export interface RunningService {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** How the administration command reaches it. */
  readonly note: ServiceNote;
  readonly token: string;
  readonly agentId: string;
}

/** Serves when this resolves; drains at the end of the lifetime. */
export async function startService(
  lifetime: Lifetime,
  server: Server,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningService> {
  const folder = lifetime.folder();
  const log = openSync(join(folder, "service.log"), "a");
  const child = Bun.spawn({
    cmd: [process.execPath, ...profiling(), join(import.meta.dir, "../../src/main.ts")],
    stdio: ["ignore", log, log],
    env: {
      PATH: "/usr/bin:/bin",
      PORT: "0",
      HOST: "127.0.0.1",
      DATA_DIR: join(folder, "data"),
      DATABASE_URL: server.url,
      BUN_CONFIG_MAX_HTTP_REQUESTS: "8192",
      ...env,
    },
  });
  const release = guard(child.pid);
  lifetime.add(async () => {
    child.kill("SIGTERM");
    const limit = setTimeout(() => child.kill("SIGKILL"), 30_000);
    await child.exited;
    clearTimeout(limit);
    release();
  });
  const [note, text] = [join(folder, "data", SERVICE_FILE), join(folder, "data", FIRST_RUN_FILE)];
  for (const until = performance.now() + START_LIMIT_MS; ; await Bun.sleep(20)) {
    if (existsSync(note) && existsSync(text) && readFileSync(text, "utf8").includes("/agents/")) break;
    if (child.exitCode !== null || performance.now() > until) {
      throw new Error(`the service did not start: ${readFileSync(join(folder, "service.log"), "utf8").slice(-2_000)}`);
    }
  }
  const told = JSON.parse(readFileSync(note, "utf8")) as ServiceNote;
  const { address } = told;
  const first = readFileSync(text, "utf8");
  const token = first.match(/\bpat_\S+/)?.[0] ?? "";
  const agentId = first.match(/\/agents\/([^/]+)\//)?.[1] ?? "";
  return { url: address, port: Number(new URL(address).port), pid: child.pid, note: told, token, agentId };
}
