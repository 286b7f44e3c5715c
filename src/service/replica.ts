/**
 * This process as one of several replicas (REPLICA_URL): its address for the others, its lock, and its peer port.
 * Without the setting the process is alone, and there is no `Replica`.
 */
import { mkdir, readdir, rm } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { isIP } from "node:net";
import { holdLifeLock } from "../../db/life-lock.ts";
import type { Tracing } from "../../actors/runtime/tracing.ts";
import type { PostgresPlacement } from "../../db/placement.ts";
import { newId } from "../../actors/ids.ts";
import { ReplicaGroup } from "../peers/replica-group.ts";
import { listeningUrlOf } from "../settings/config.ts";
import type { Config } from "../settings/settings.ts";
import { systemClock } from "../wiring/clock.ts";
import type { Logger } from "../log/log.ts";
import type { ServiceApp } from "./app.ts";
import { LINGER_MS } from "./drain-limits.ts";
import type { StopOnce, Undo } from "./undo.ts";
import type { Storage } from "./storage.ts";
import type { Supervision } from "./supervision.ts";

/** The address for other replicas cannot be determined or opened. */
export class NoReplicaAddress extends Error {
  override readonly name = "NoReplicaAddress";
}

/** This replica's folder of files is not the one of the other replicas. */
export class OtherFiles extends Error {
  override readonly name = "OtherFiles";
}

export interface Replica {
  readonly id: string;
  readonly group: ReplicaGroup;
  /** Call before joining: makes sure that the others have the same files. Throws `OtherFiles`. */
  share(): Promise<void>;
}

export interface ReplicaParts {
  readonly config: Config;
  readonly storage: Storage;
  readonly placement: () => PostgresPlacement;
  readonly maxRequestBodyBytes: number;
  readonly log: Logger;
  readonly tracing: Tracing | null;
}

/** Opens the peer port and takes the lock; `undo` closes both. Null without REPLICA_URL. Throws `NoReplicaAddress`. */
export async function openReplica(parts: ReplicaParts, undo: Pick<Undo, "add">): Promise<Replica | null> {
  const { config, storage, placement, maxRequestBodyBytes, log, tracing } = parts;
  const { replicaUrl } = config;
  if (replicaUrl === undefined) return null;
  const id = newId("rpl");
  const lock = await holdLifeLock(storage.url, id);
  undo.add(() => lock.release());
  const group = groupAt(await listeningPlace(replicaUrl, storage), {
    id,
    keys: storage.sealing.keys("peer"),
    reader: { read: () => placement().read() },
    bury: (dead) => placement().bury(dead),
    clock: systemClock,
    maxRequestBodyBytes,
    contents: storage.files,
    log,
    tracing,
  });
  undo.add(() => group.stop());
  return { id, group, share: async () => shareFiles(config, id, (await placement().read()).replicas) };
}

interface ListeningPlace {
  readonly hostname: string;
  readonly port: number;
  readonly urlOf: (port: number) => string;
}

function groupAt(
  place: ListeningPlace,
  parts: Omit<ConstructorParameters<typeof ReplicaGroup>[0], keyof ListeningPlace>,
): ReplicaGroup {
  try {
    return new ReplicaGroup({ ...place, ...parts });
  } catch (cause) {
    throw new NoReplicaAddress(
      `Cannot listen for other replicas on ${place.hostname}:${place.port} (REPLICA_URL): ${String(cause)}`,
      { cause },
    );
  }
}

/** How long the note of an unknown replica stays. */
const NOTE_MS = 24 * 3_600_000;

/**
 * Makes sure that the replicas share one folder of files: each leaves a note there, and must find the notes of the
 * others. Throws `OtherFiles`. With S3 there is nothing to check.
 */
export async function shareFiles(
  { filesDir }: Pick<Config, "filesDir">,
  self: string,
  living: readonly { readonly id: string; readonly url: string }[],
): Promise<void> {
  if (filesDir === undefined) return;
  const notes = join(filesDir, "replicas");
  await mkdir(notes, { recursive: true, mode: 0o700 });
  await Bun.write(join(notes, self), "");
  const others = living.filter(({ id }) => id !== self);
  for (const { id, url } of others)
    if (!(await Bun.file(join(notes, id)).exists()))
      throw new OtherFiles(
        `FILES_DIR (${filesDir}) is not the folder of the replica at ${url}: all replicas need the same one.`,
      );
  const known = new Set([self, ...others.map(({ id }) => id)]);
  for (const note of await readdir(notes)) {
    const path = join(notes, note);
    // A new note may belong to a replica that is just joining.
    const leftAtMs =
      (
        await Bun.file(path)
          .stat()
          .catch(() => null)
      )?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (!known.has(note) && leftAtMs < systemClock.now() - NOTE_MS) await rm(path, { force: true });
  }
}

/** Where to listen for the others, and the address under which they connect. */
async function listeningPlace(replicaUrl: string, { database }: Storage): Promise<ListeningPlace> {
  if (replicaUrl !== "auto") {
    const { hostname, port, protocol } = new URL(replicaUrl);
    const host = hostname.replaceAll(/^\[|\]$/g, "");
    const own = isIP(host) === 0 || !isOwn(host) ? "0.0.0.0" : host;
    return { hostname: own, port: Number(port || (protocol === "https:" ? 443 : 80)), urlOf: () => replicaUrl };
  }
  const [row] = await database.read<{ address: string | null }[]>`select host(inet_client_addr()) as address`;
  const address = row?.address ?? "127.0.0.1";
  if (!isOwn(address))
    throw new NoReplicaAddress(
      `PostgreSQL sees this process at ${address}, which is not an address of this machine: set REPLICA_URL to where other replicas reach it, such as http://10.0.0.5:3100.`,
    );
  return { hostname: address, port: 0, urlOf: (port) => listeningUrlOf(address, port) };
}

const isOwn = (address: string): boolean =>
  address.startsWith("127.") ||
  Object.values(networkInterfaces()).some((all) => all?.some((one) => one.address === address) === true);

export interface LeaveParts {
  readonly app: Pick<ServiceApp, "streams">;
  readonly actors: StopOnce;
  /** Ends the effects; those that do not end in time are left to the next owner. */
  readonly stopEffects: () => Promise<void>;
  readonly supervision: Supervision | null;
}

/**
 * Hands everything over to the other replicas while this one still answers: requests that arrive meanwhile wait, and go
 * to the next owners.
 */
export async function leave({ group }: Replica, { app, actors, stopEffects, supervision }: LeaveParts): Promise<void> {
  // All replicas end together: there is no one to hand over to.
  if (supervision?.isEnding() === true) return;
  // Effects first: they may take seconds and dispatch commands themselves. Clients are still served meanwhile.
  await stopEffects();
  app.streams.closeAll();
  // Waiting requests (long polls) answer with what they have.
  await new Promise<void>((resolve) => systemClock.after(0, resolve));
  await group.holdAll();
  // Notify the others even if the actors did not stop in time, so that they take the free shards at once.
  await actors.stop().finally(() => group.left());
  // Behind a shared port there is no need to linger: the port is closed, and the system sends new connections to the
  // others.
  if (group.hasOthers && supervision === null)
    await new Promise<void>((resolve) => systemClock.after(LINGER_MS, resolve));
}
