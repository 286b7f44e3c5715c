/** The actors of this process over its storage, and what reads their tables: all that is needed to give them commands. */
import type { Clock } from "../../actors/runtime/ports.ts";
import type { Peers, Placement } from "../../actors/runtime/placement/placement.ts";
import { System } from "../../actors/runtime/system.ts";
import type { Tracing } from "../../actors/runtime/tracing.ts";
import { troupeActors, type TroupeProtocols } from "../../actors/troupe.ts";
import { PostgresActorStore } from "../../db/stores/actor-store.ts";
import { PostgresChatDirectory } from "../../db/stores/chat-directory.ts";
import { PostgresConnectionDirectory } from "../../db/stores/connection-directory.ts";
import { PostgresDirectory } from "../../db/stores/directory.ts";
import { PostgresFileDirectory } from "../../db/stores/file-directory.ts";
import { PostgresJobDirectory } from "../../db/stores/job-directory.ts";
import { PostgresMissionDirectory } from "../../db/stores/mission-directory.ts";
import { PostgresQuotaDirectory } from "../../db/stores/quota-directory.ts";
import { PostgresUploadDirectory } from "../../db/stores/upload-directory.ts";
import { PostgresUsageDirectory } from "../../db/stores/usage-directory.ts";
import { PostgresReachDirectory } from "../../db/stores/reach-directory.ts";
import { PostgresWebhookDirectory } from "../../db/stores/webhook-directory.ts";
import type { Logger } from "../log/log.ts";
import type { Meters } from "../metrics/meters.ts";
import { calendar } from "../schedule/calendar.ts";
import { actorSettingsOf, quotasOf } from "../settings/limits.ts";
import type { Config } from "../settings/settings.ts";
import { systemChance } from "../wiring/clock.ts";
import { MeteredActorStore } from "../wiring/metered.ts";
import { Quotas } from "../wiring/quotas.ts";
import type { Storage } from "./storage.ts";

/** The part of the log that the parts of the service use. */
export type ServiceLog = Pick<Logger, "debug" | "info" | "warn" | "error">;

export interface ActorParts {
  readonly config: Config;
  readonly storage: Pick<Storage, "database" | "files" | "sealing" | "loopTime" | "hasRoom">;
  readonly clock: Clock;
  readonly log: ServiceLog;
  readonly placement: Placement;
  /** The other replicas; null if this process is alone. */
  readonly peers: Peers | null;
  readonly meters: Meters | null;
  readonly tracing: Tracing | null;
  /** This process must end: it was declared dead, or can commit nothing any more. */
  readonly onLost: (reason: string) => void;
}

export type Actors = ReturnType<typeof createActors>;

/** The system has no handlers and owns no shards yet: until it has handlers, effects stay rows for a later start. */
export function createActors({ config, storage, clock, log, placement, peers, meters, tracing, onLost }: ActorParts) {
  const { database, files, sealing, loopTime, hasRoom } = storage;
  const settings = actorSettingsOf(config);
  const quotas = new Quotas({
    directory: new PostgresQuotaDirectory(database),
    defaults: quotasOf(config),
    clock,
    log,
  });
  const system = new System<TroupeProtocols>({
    guard: quotas,
    ...(peers === null ? {} : { peers }),
    definitions: troupeActors({ ...settings, calendar }),
    store: meters === null ? new PostgresActorStore(database) : new MeteredActorStore(database, meters),
    placement,
    clock,
    loopTime,
    chance: systemChance,
    log,
    onLost,
    hasRoom,
    ...(tracing === null ? {} : { tracing }),
  });
  return {
    system,
    quotas,
    sealing,
    clock,
    log,
    contents: files,
    jobLimits: settings.jobLimits,
    workspaceLimits: settings.workspaceLimits,
    directory: new PostgresDirectory(database),
    chats: new PostgresChatDirectory(database),
    jobs: new PostgresJobDirectory(database),
    missions: new PostgresMissionDirectory(database),
    files: new PostgresFileDirectory(database),
    uploads: new PostgresUploadDirectory(database),
    connections: new PostgresConnectionDirectory(database),
    usage: new PostgresUsageDirectory(database),
    reach: new PostgresReachDirectory(database),
    webhooks: new PostgresWebhookDirectory(database),
  };
}
