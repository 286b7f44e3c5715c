/** A PostgreSQL of a storm's own, which can be stopped as by a crash and started again. */
import { type EmbeddedPostgres, startEmbedded } from "../../db/embedded.ts";
import { migrate } from "../../db/migrate.ts";
import { until } from "./condition.ts";
import { guardedFolder } from "./guarded-folder.ts";
import type { StormServer } from "./storm-faults.ts";

export interface OwnServer extends StormServer {
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

export async function openStormServer(): Promise<OwnServer> {
  const folder = guardedFolder();
  const start = (): Promise<{ server: EmbeddedPostgres; ended: () => boolean }> => {
    let isEnded = false;
    const onExit = (): void => void (isEnded = true);
    return startEmbedded({ folder: folder.path, log: () => {}, onExit }).then((server) => ({
      server,
      ended: () => isEnded,
    }));
  };
  try {
    let { server, ended } = await start();
    await migrate(server.url);
    return {
      url: server.url,
      async crash() {
        // What `pg_ctl stop -m immediate` sends: every backend ends where it stands.
        process.kill(server.pid, "SIGQUIT");
        await until("PostgreSQL has ended", ended);
        await server.stop();
        ({ server, ended } = await start());
        return server.url;
      },
      async stop() {
        await server.stop();
        await folder.remove();
      },
    };
  } catch (cause) {
    await folder.remove();
    throw cause;
  }
}
