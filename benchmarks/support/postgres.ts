/**
 * PostgreSQL for benchmarks: the embedded server with the settings of the service, under a temporary
 * folder on the real disk, with room for more connections, because peers need one for each caller.
 * A library may be loaded into it, which is how a slower disk is made (`fsync-shim.c`).
 */
import { join } from "node:path";
import { SERVER_SETTINGS } from "../../db/embedded.ts";
import { migrate } from "../../db/migrate.ts";
import { locateBinaries } from "../../db/postgres-binaries.ts";
import { initialise, placeCluster, SUPERUSER } from "../../db/postgres-cluster.ts";
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
}

/** Starts a migrated server that ends with the lifetime. */
export async function startServer(lifetime: Lifetime, options: { readonly preload?: string } = {}): Promise<Server> {
  const folder = lifetime.folder();
  const cluster = placeCluster(folder, "/var/lib/troupe");
  const binaries = locateBinaries(cluster.account, "/var/lib/troupe");
  await initialise(cluster, binaries);
  const settings = [...SERVER_SETTINGS, "-c", `max_connections=${CONNECTIONS}`];
  for (let tries = 0; ; tries++) {
    const port = PORT_FIRST + Math.floor(Math.random() * PORTS);
    const args = ["-D", cluster.path, "-p", String(port), ...settings];
    const [program, all] = options.preload === undefined ? [binaries.postgres, args] : preloading(options.preload, binaries.postgres, args);
    try {
      const child = await startPostmaster({ program, args: all, cluster: cluster.path, account: cluster.account, logFile: join(folder, "postgres.log") });
      const release = guard(child.pid, folder);
      lifetime.add(async () => {
        await stopProcess(child.pid);
        release();
      });
      const url = `postgres://${SUPERUSER}:${encodeURIComponent(cluster.password)}@127.0.0.1:${port}/postgres`;
      await migrate(url);
      return { url, port, password: cluster.password, pid: child.pid };
    } catch (cause) {
      if (!(cause instanceof PostmasterFailed) || tries === PORT_TRIES) throw cause;
    }
  }
}

/** `env` replaces itself by the server, so the process keeps its number. */
const preloading = (library: string, program: string, args: readonly string[]): [string, readonly string[]] => [
  "/usr/bin/env",
  [`LD_PRELOAD=${library}`, program, ...args],
];
