/**
 * PostgreSQL for benchmarks: the embedded server with the settings of the service, under a temporary folder on the real
 * disk, with more connections, because peers need one for each caller. A library can be loaded into it to simulate a
 * slower disk (`fsync-shim.c`).
 */
import { chmodSync, chownSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SERVER_SETTINGS } from "../../db/embedded.ts";
import { migrate } from "../../db/migrate.ts";
import { type Binaries, locateBinaries } from "../../db/postgres-binaries.ts";
import {
  type Cluster,
  initialise,
  placeCluster,
  POSTGRES_ENVIRONMENT,
  runAs,
  SUPERUSER,
} from "../../db/postgres-cluster.ts";
import { PostmasterFailed, startPostmaster, stopProcess } from "../../db/postmaster.ts";
import { guard, type Lifetime } from "./lifetime.ts";

const CONNECTIONS = 320;
const PORT_FIRST = 20_000;
const PORTS = 12_000;
const PORT_TRIES = 20;

export interface Server {
  readonly url: string;
  readonly port: number;
  readonly password: string;
  readonly pid: number;
  /** `18.4`. */
  readonly version: string;
}

/** Starts a migrated server that ends with the lifetime. */
export async function startServer(lifetime: Lifetime, options: { readonly preload?: string } = {}): Promise<Server> {
  const folder = lifetime.folder();
  const cluster = placeCluster(folder, "/var/lib/troupe");
  const chosen = chosenBinaries();
  const binaries = chosen ?? locateBinaries(cluster.account, "/var/lib/troupe");
  if (chosen === null) await initialise(cluster, binaries);
  else initialisePlainly(cluster, chosen);
  const settings = [...settingsFor(binaries), "-c", `max_connections=${CONNECTIONS}`];
  for (let tries = 0; ; tries++) {
    const port = PORT_FIRST + Math.floor(Math.random() * PORTS);
    const args = ["-D", cluster.path, "-p", String(port), ...settings];
    const [program, all] =
      options.preload === undefined ? [binaries.postgres, args] : preloading(options.preload, binaries.postgres, args);
    try {
      const child = await startPostmaster({
        program,
        args: all,
        cluster: cluster.path,
        account: cluster.account,
        logFile: join(folder, "postgres.log"),
      });
      const release = guard(child.pid, folder);
      lifetime.add(async () => {
        await stopProcess(child.pid);
        release();
      });
      const url = `postgres://${SUPERUSER}:${encodeURIComponent(cluster.password)}@127.0.0.1:${port}/postgres`;
      await migrate(url);
      return { url, port, password: cluster.password, pid: child.pid, version: binaries.version };
    } catch (cause) {
      if (!(cause instanceof PostmasterFailed) || tries === PORT_TRIES) throw cause;
    }
  }
}

/** `env` replaces itself with the server, so the process keeps its pid. */
const preloading = (library: string, program: string, args: readonly string[]): [string, readonly string[]] => [
  "/usr/bin/env",
  [`LD_PRELOAD=${library}`, program, ...args],
];

/**
 * The server of this folder, such as `/usr/lib/postgresql/15/bin`, instead of the embedded one, to measure another
 * build.
 */
function chosenBinaries(): Binaries | null {
  const folder = process.env["BENCH_POSTGRES"];
  if (folder === undefined || folder === "") return null;
  const [initdb, server] = [join(folder, "initdb"), join(folder, "postgres")];
  if (!existsSync(server)) throw new Error(`BENCH_POSTGRES is ${folder}, and there is no postgres in it`);
  const said = Bun.spawnSync({ cmd: [server, "--version"] }).stdout.toString();
  return { initdb, postgres: server, version: said.match(/[\d.]+/)?.[0] ?? "0" };
}

/** Settings that exist only since PostgreSQL 18. */
const SINCE_18 = ["io_method=", "autovacuum_worker_slots="];

function settingsFor({ version }: Binaries): string[] {
  const values = SERVER_SETTINGS.filter((word) => word !== "-c");
  const known =
    Number.parseInt(version, 10) >= 18
      ? values
      : values.filter((word) => !SINCE_18.some((name) => word.startsWith(name)));
  return known.flatMap((word) => ["-c", word]);
}

/** Like `initialise`, with only the options that every version's initdb has. */
function initialisePlainly(cluster: Cluster, { initdb }: Binaries): void {
  const passwordFile = `${cluster.path}.password`;
  writeFileSync(passwordFile, `${cluster.password}\n`);
  mkdirSync(cluster.path);
  chmodSync(cluster.path, 0o700);
  if (cluster.account !== null)
    for (const path of [cluster.path, passwordFile]) chownSync(path, cluster.account.uid, cluster.account.gid);
  const made = Bun.spawnSync({
    cmd: [
      initdb,
      `--pgdata=${cluster.path}`,
      `--username=${SUPERUSER}`,
      `--pwfile=${passwordFile}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale=C",
      "--no-instructions",
    ],
    cwd: "/",
    env: POSTGRES_ENVIRONMENT,
    ...runAs(cluster.account),
  });
  if (!made.success) throw new Error(`initdb failed: ${made.stderr.toString()}`);
}
