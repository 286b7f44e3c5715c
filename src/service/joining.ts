/**
 * How this process takes its place among the replicas of its database:
 *
 *   database free ─▶ key checked ─▶ actors assembled ─▶ joined: it owns shards, and has taken up their work
 */
import { newId } from "../../actors/ids.ts";
import { SHARD_COUNT } from "../../actors/runtime/placement/placement.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import { folderName } from "../../db/folder-lock.ts";
import { PostgresPlacement } from "../../db/placement.ts";
import type { Logger } from "../log/log.ts";
import type { Meters } from "../metrics/meters.ts";
import { SERVICE_VERSION } from "../settings/build.ts";
import { systemClock } from "../wiring/clock.ts";
import { MeteredPlacement } from "../wiring/metered.ts";
import type { Replica } from "./replica.ts";
import { DatabaseInUse, waitForRivals } from "./rivals.ts";
import { checkServiceKey, keyCheckOf } from "./service-key.ts";
import type { Storage } from "./storage.ts";

export interface JoiningParts {
  readonly storage: Storage;
  readonly log: Logger;
  readonly meters: Meters | null;
  /** Where this replica is reached. */
  readonly address: string;
  /** Opens the peer port; resolves with null if this process is to be alone. Omitted: it is alone. */
  readonly openReplica?: (placement: () => PostgresPlacement) => Promise<Replica | null>;
  /** Cancels the start. */
  readonly signal: AbortSignal;
}

/** A place among the replicas that owns nothing yet. */
export interface ReplicaJoining {
  readonly placement: PostgresPlacement;
  /** This process as one of several replicas; null if it is alone. */
  readonly replica: Replica | null;
  /** Takes shards, whose clients come at once. Throws `DatabaseInUse` if another replica has taken some. */
  join(system: TroupeSystem): Promise<void>;
}

/** Waits until the database is free. Throws `DatabaseInUse`, `WrongServiceKey`, or the signal's reason. */
export async function prepareJoining(parts: JoiningParts): Promise<ReplicaJoining> {
  const { storage, log, meters, signal } = parts;
  const { path } = storage.folder;
  const replica = (await parts.openReplica?.(() => placement)) ?? null;
  const self = {
    id: replica?.id ?? newId("rpl"),
    address: parts.address,
    build: SERVICE_VERSION,
    keyCheck: keyCheckOf(storage.sealing),
    folder: storage.isEmbedded ? path : folderName(path),
    ...(replica === null ? {} : { peerUrl: replica.group.url }),
  };
  const placement: PostgresPlacement =
    meters === null
      ? new PostgresPlacement(storage.database, self)
      : new MeteredPlacement(storage.database, self, meters);
  await placement.buryFormer();
  await waitForRivals({ placement, clock: systemClock, log, signal });
  await checkServiceKey(storage.database, storage.sealing);
  await replica?.share();
  const join = async (system: TroupeSystem): Promise<void> => {
    await placement.join();
    await system.start();
    await replica?.group.joined();
    if (replica !== null || system.shards.count === SHARD_COUNT) return;
    await system.stop();
    throw new DatabaseInUse(
      "Another instance of the service took shards of this database meanwhile; stop one of them.",
    );
  };
  return { placement, replica, join };
}
