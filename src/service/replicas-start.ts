/**
 * `bun start --replicas N`: this process starts the embedded database and N replicas, which share one port (the system
 * distributes the connections), and supervises them. It serves nothing itself.
 *
 *   folder locked ─▶ former replicas gone ─▶ port free ─▶ database ─▶ replica 1 ─▶ the others ─▶ serving
 */
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { FolderInUse, lockFolder } from "../../db/folder-lock.ts";
import { forgetService, newAdminKey, noteText, SERVICE_FILE } from "./service-note.ts";
import type { Logger } from "../log/log.ts";
import { appUrlOf, localUrlOf } from "../settings/config.ts";
import type { Config } from "../settings/settings.ts";
import { systemClock } from "../wiring/clock.ts";
import { Undo, unlessAborted } from "./undo.ts";
import { CannotListen, findPort, tryPort } from "./ports.ts";
import { spawnReplica } from "./replica-process.ts";
import { openFolder, startEmbeddedDatabase } from "./storage.ts";
import type { ReplicaOrder } from "./supervision.ts";
import { Supervisor } from "./supervisor.ts";

/** Replicas whose supervisor was killed drain by themselves, for at most 20 s. */
const FORMER_MS = 25_000;
const REPLICAS_LOOK_MS = 100;
/** Database connections of one replica, and of the administration command. */
const CONNECTIONS_EACH = 24;
const CONNECTIONS_SPARE = 16;

export interface ReplicasOptions {
  readonly count: number;
  readonly config: Config;
  readonly log: Logger;
  readonly onFatal: (reason: string, exitCode: number) => void;
  /** The embedded database ended by itself. */
  readonly onExit: (reason: string) => void;
  /** Cancels the start. */
  readonly signal: AbortSignal;
}

/** The system cannot share a port between processes. */
export class NoSharedPort extends Error {
  override readonly name = "NoSharedPort";
}

export interface Replicas {
  /** Restarts them one after the other, with the code that is now on disk. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts everything, and undoes the start if a later step fails. Resolves when all replicas serve. */
export async function startReplicas(options: ReplicasOptions): Promise<Replicas> {
  const { count, config, log, signal } = options;
  if (process.platform !== "linux")
    throw new NoSharedPort("--replicas needs Linux, which divides the connections of one port between processes.");
  const folder = openFolder(config);
  const undo = new Undo();
  undo.add(() => folder.release());
  try {
    forgetService(folder.path);
    await unlessAborted(formerGone(join(folder.path, "replicas")), signal);
    const port = findPort({ host: config.host, port: config.port, setting: "PORT" });
    tryAdminPorts(config, count);
    const connections = `max_connections=${count * CONNECTIONS_EACH + CONNECTIONS_SPARE}`;
    const url = config.databaseUrl ?? (await startEmbeddedDatabase(folder.path, options, undo, [connections]));
    const adminKey = newAdminKey();
    const orderOf = (number: number, greets: boolean): ReplicaOrder => ({
      number,
      settings: replicaSettings(number, { config, url, port, folder: folder.path, secret: folder.secret }),
      dataDir: folder.path,
      isEmbedded: config.databaseUrl === undefined,
      adminKey,
      greets,
    });
    const supervisor = new Supervisor({
      ...options,
      clock: systemClock,
      spawn: (number, isFirstStart) => spawnReplica(orderOf(number, isFirstStart && number === 1)),
    });
    undo.add(() => supervisor.stop());
    await unlessAborted(supervisor.start(), signal);
    const note = { address: localUrlOf(config.host, port), key: adminKey, pid: process.pid };
    folder.writePrivate(SERVICE_FILE, noteText(note));
    undo.add(() => forgetService(folder.path));
    log.info({ address: appUrlOf(config, port), replicas: count }, "all replicas serve");
    return { restart: () => supervisor.restart(), stop: () => undo.run() };
  } catch (cause) {
    await undo.run().catch((err: unknown) => log.error({ err }, "started parts could not be stopped"));
    throw cause;
  }
}

/** Waits for replicas that a killed supervisor left behind. Throws `FolderInUse` if one does not end. */
async function formerGone(root: string): Promise<void> {
  mkdirSync(root, { recursive: true, mode: 0o700 });
  const until = systemClock.monotonic() + FORMER_MS;
  for (const name of readdirSync(root).filter((entry) => existsSync(join(root, entry, "lock")))) {
    for (;;) {
      try {
        lockFolder(join(root, name))();
        break;
      } catch (cause) {
        if (!(cause instanceof FolderInUse) || systemClock.monotonic() > until) throw cause;
        await new Promise<void>((resolve) => systemClock.after(REPLICAS_LOOK_MS, resolve));
      }
    }
  }
}

/** Tests the ports for metrics: each replica counts its own, so each has its own port. */
function tryAdminPorts({ adminPort, adminHost }: Config, count: number): void {
  if (adminPort === undefined || adminPort === 0) return;
  for (let i = 0; i < count; i++) {
    if (adminPort + i > 65_535)
      throw new CannotListen(
        `ADMIN_PORT is ${adminPort}: ${count} replicas need ports up to ${adminPort + count - 1}.`,
      );
    tryPort({ host: adminHost, port: adminPort + i, setting: "ADMIN_PORT" });
  }
}

interface ReplicaSettings {
  readonly config: Config;
  readonly url: string;
  readonly port: number;
  readonly folder: string;
  readonly secret: Uint8Array;
}

/** The settings that differ in this replica. */
function replicaSettings(
  number: number,
  { config, url, port, folder, secret }: ReplicaSettings,
): Record<string, string> {
  const { adminPort, replicaUrl = "auto", filesDir, filesUrl } = config;
  return {
    PORT: String(port),
    DATABASE_URL: url,
    TROUPE_SECRET: Buffer.from(secret).toString("base64"),
    DATA_DIR: join(folder, "replicas", String(number)),
    REPLICA_URL: replicaUrl === "auto" ? replicaUrl : nextPort(replicaUrl, number - 1),
    ...(adminPort === undefined || adminPort === 0 ? {} : { ADMIN_PORT: String(adminPort + number - 1) }),
    // The same place as in a start without replicas.
    ...(filesDir === undefined && filesUrl === undefined ? { FILES_DIR: join(folder, "files") } : {}),
  };
}

/** `http://host:3100`, with the port increased by `more`. */
function nextPort(address: string, more: number): string {
  const url = new URL(address);
  url.port = String(Number(url.port || 80) + more);
  return url.origin;
}
