/** A command without a running service: this process owns the actors meanwhile. */
import type { Invoke } from "../http/request/operations.ts";
import type { Logger } from "../log/log.ts";
import { type Actors, createActors } from "../service/actors.ts";
import { type AdminAnswer, type AdminRequest, adminParts } from "../service/admin-door.ts";
import type { OverActors } from "../service/assembly-parts.ts";
import { prepareJoining } from "../service/joining.ts";
import { openStorage, type Storage } from "../service/storage.ts";
import { appUrlOf } from "../settings/config.ts";
import type { Config } from "../settings/settings.ts";
import { systemClock } from "../wiring/clock.ts";
import { runAdmin } from "./commands.ts";

/** A command to run, and with what. */
export interface AdminErrand {
  readonly config: Config;
  readonly log: Logger;
  readonly asked: AdminRequest;
  readonly signal: AbortSignal;
}

/** Owns the actors for one command. Unfinished jobs wait for the next start of the service. */
export async function runHere({ config, log, signal, asked }: AdminErrand): Promise<AdminAnswer> {
  const storage = await openStorage({ config, log, signal, onExit: () => {} });
  try {
    const address = appUrlOf(config, config.port);
    const { placement, join: joinOthers } = await prepareJoining({ storage, log, meters: null, address, signal });
    const own = { config, storage, clock: systemClock, log, placement };
    const actors = createActors({ ...own, peers: null, meters: null, tracing: null, onLost: () => {} });
    await joinOthers(actors.system);
    try {
      return await runAdmin(adminParts(actors, own, invokeLater(actors, own)), asked);
    } finally {
      await actors.system.stop();
    }
  } finally {
    await storage.close();
  }
}

/** Runs operations without an app that is served. They are most of the program, so they are loaded with the first one. */
function invokeLater(
  actors: Actors,
  own: Pick<OverActors, "config"> & { readonly storage: Storage; readonly log: Logger },
): Invoke {
  return async (...call) => {
    const { assembleApp } = await import("../service/assembly.ts");
    const { idleResources } = await import("../service/resources.ts");
    const { app } = assembleApp(actors, { ...own, resources: idleResources(own), forwarding: null });
    return app.invoke(...call);
  };
}
