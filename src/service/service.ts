/**
 * The running service, from its configuration to its drain.
 *
 *   storage ─▶ actors, recovered ─▶ first run ─▶ port open ─▶ serving ─▶ draining ─▶ nothing left
 *
 * The steps are undone in reverse order when a later one fails and when the service stops.
 */
import { join } from "node:path";
import type { ModelPort } from "../../actors/job/ports.ts";
import type { SectionNote } from "../../actors/runtime/fairness/loop-time.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import type { Actors } from "./actors.ts";
import { adminDoor, adminParts, type RunCommand } from "./admin-door.ts";
import { prepareJoining } from "./joining.ts";
import { openResources } from "./resources.ts";
import { forgetService, newAdminKey, noteText, SERVICE_FILE, type ServiceNote } from "./service-note.ts";
import type { ServiceApp } from "./app.ts";
import type { AdminPort } from "./admin-port.ts";
import { ACTORS_STOP_MS, EFFECTS_LEAVE_MS } from "./drain-limits.ts";
import { Meters } from "../metrics/meters.ts";
import { meteredModels } from "../wiring/metered.ts";
import { tracedModels } from "../wiring/traced.ts";
import { openTraces } from "./traces.ts";
import { within } from "../../actors/runtime/placement/hand-over.ts";
import { systemChance, systemClock } from "../wiring/clock.ts";
import { appUrlOf, listeningUrlOf, localUrlOf } from "../settings/config.ts";
import type { Config } from "../settings/settings.ts";
import { FIRST_RUN_FILE, type FirstRun, firstRun, type FirstTokens } from "./first-run.ts";
import { greeting, tokenLines, tryLines } from "./greeting.ts";
import type { Logger } from "../log/log.ts";
import type { LocalModel } from "../runner/local-models.ts";
import { StartSteps } from "./start-steps.ts";
import { StopOnce, Undo, unlessAborted } from "./undo.ts";
import { chooseModels } from "./model-choice.ts";
import { oneAtATime } from "../../db/client.ts";
import { writePrivateFile } from "../../db/private-file.ts";
import { openPort, tryHost, tryPort } from "./ports.ts";
import { leave, openReplica, type Replica } from "./replica.ts";
import type { Supervision } from "./supervision.ts";
import { newLoopTime } from "./loop-time.ts";
import { openStorage, type Storage } from "./storage.ts";
import { databaseNow } from "../../db/sweeps.ts";
import { serviceSweeps, startSweeper, type Sweeper } from "./sweeper.ts";
import { SERVICE_VERSION } from "../settings/build.ts";
import { MIB } from "../../actors/units.ts";

export interface Service {
  readonly address: string;
  /** Finishes requests in flight and leaves no process behind. */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly config: Config;
  readonly log: Logger;
  /** Loads what runs the commands of the administration. */
  readonly loadCommands: () => Promise<RunCommand>;
  /** The terminal of a person; null without one: the tokens then go to a file. */
  readonly terminal: { write(text: string): void } | null;
  /** The service cannot go on: its database or its lease is gone. */
  readonly onFatal: (reason: string) => void;
  /** Cancels the start. */
  readonly signal: AbortSignal;
  /** The supervisor of `--replicas N`; null if there is none. */
  readonly supervision: Supervision | null;
  /** Records what the event loop works on; null if nothing reads it. */
  readonly loopNote: SectionNote | null;
}

/**
 * Starts everything. If a step fails or the signal aborts, undoes the start and throws the error or the signal's
 * reason.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, log, onFatal, signal, supervision } = options;
  const undo = new Undo();
  const steps = new StartSteps({ clock: systemClock, log });
  try {
    // Checked before a data folder and a database are created for an address that cannot be used.
    tryHost({ ...config, setting: "PORT" });
    if (config.adminPort !== undefined)
      tryHost({ host: config.adminHost, port: config.adminPort, setting: "ADMIN_PORT" });
    // Without the administration port nothing reads the counts, so nothing is counted.
    const meters = config.adminPort === undefined ? null : new Meters();
    const traces = await openTraces(config, meters, log);
    const { tracing } = traces;
    undo.add(() => traces.close());
    const loopTime = newLoopTime(options.loopNote, config.organizationLoopPercent / 100);
    steps.begin("choosing the models");
    const chosen = await unlessAborted(chooseModels(config, log, loopTime), signal);
    const { local } = chosen;
    const metered = meters === null ? chosen.models : meteredModels(chosen.models, meters);
    const models = tracing === null ? metered : tracedModels(metered, tracing);
    const storage = await openStorage({ config, log, loopTime, signal, supervision, onExit: onFatal, steps });
    undo.add(() => storage.close());
    forgetService(storage.folder.path);
    const address = appUrlOf(config, config.port);
    steps.begin("loading the service");
    // Only now, because it is most of the service: a start that is refused until here has not loaded it.
    const [{ assemble }, runCommand] = await Promise.all([import("./assembly.ts"), options.loadCommands()]);
    signal.throwIfAborted();
    steps.begin("trying the programs of this machine");
    const resources = await openResources({ config, log, storage }, { models, meters, tracing }, undo);
    steps.begin("waiting for the place among the replicas");
    const joining = await prepareJoining({
      storage,
      log,
      meters,
      address,
      signal,
      openReplica: (placement) =>
        openReplica({ placement, config, storage, maxRequestBodyBytes: bodyBytesOf(config), log, tracing }, undo),
    });
    const { placement, replica } = joining;
    const key = supervision?.order.adminKey ?? newAdminKey();
    const { actors, app } = assemble({
      config,
      storage,
      resources,
      clock: systemClock,
      log,
      placement,
      peers: replica?.group ?? null,
      forwarding: replica?.group.forwarding ?? null,
      onLost: onFatal,
      internal: (request) =>
        adminDoor(request, {
          key,
          run: (asked) => runCommand(adminParts(actors, { config, storage }, app.invokeAtOwner, app), asked),
        }),
    });
    const { system, directory } = actors;
    replica?.group.attach(system);
    const joinOthers = () => {
      steps.begin("taking the shards");
      return joining.join(system);
    };
    replica?.group.serve((request) => app.handle(request), app.streams, app.invoke);
    // It joins other replicas last, because shards come with clients. Creating the first organization needs shards
    // first.
    const joinsLast = replica !== null && (await directory.listOrganizations()).length > 0;
    if (!joinsLast) await joinOthers();
    const actorsStop = new StopOnce(() => withinLimit(system.stop(), "the actors did not stop"));
    const stopEffects = () => within(systemClock, EFFECTS_LEAVE_MS, system.effects.stop());
    undo.add(() => actorsStop.stop());
    signal.throwIfAborted();
    // Test the port first: the tokens and command of a first run are shown once, and a taken port must not lose them.
    if (supervision === null) tryPort({ ...config, setting: "PORT" });
    if (config.adminPort !== undefined)
      tryPort({ host: config.adminHost, port: config.adminPort, setting: "ADMIN_PORT" });
    steps.begin("creating the first organization");
    const first = joinsLast ? null : await foundFirst(options, storage, { system, directory, replica });
    const sweeper = sweep(options, storage);
    undo.add(() => sweeper.stop());
    // Stays open until the end of the drain, so that the drain can be observed.
    let admin: AdminPort | null = null;
    undo.add(() => admin?.stop());
    undo.add(async () => {
      await app.stop();
      forgetService(storage.folder.path);
    });
    steps.begin("opening the ports");
    const { appUrl, listens } = openDoors(options, storage, { app, key });
    if (replica !== null) undo.add(() => leave(replica, { app, actors: actorsStop, supervision, stopEffects }));
    admin = await openAdmin(options, { storage, system, meters, app });
    // In the background: an unavailable provider must not keep the service from starting.
    void resources.provider?.check();
    // In the background: the first child starts before anything needs it, and the log says how it is protected.
    const prepared = resources.sandbox.prepare();
    if (joinsLast) {
      await within(systemClock, PREPARED_MS, Promise.all([prepared, storage.database.connect()]));
      signal.throwIfAborted();
      await joinOthers();
    }
    steps.begin("looking for models on this machine");
    greet(options, { storage, replica, models, local: await local, appUrl, listens, first });
    return { address: appUrl, stop: () => undo.run() };
  } catch (cause) {
    await undo.run().catch((err: unknown) => log.error({ err }, "started parts could not be stopped"));
    throw cause;
  } finally {
    steps.end();
  }
}

/** How long a replica that joins others waits, at most, for preparations that would compete with its first clients. */
const PREPARED_MS = 2_000;

/** Somewhat more than the file limit, so that the service itself can refuse larger bodies with an explanation. */
const bodyBytesOf = ({ fileMib }: Config): number => (fileMib + 65) * MIB;

/** Limits a step, so that a database that does not answer cannot block the steps after it. */
async function withinLimit(work: Promise<void>, what: string): Promise<void> {
  let cancel = (): void => {};
  const limit = new Promise<void>((_resolve, reject) => {
    cancel = systemClock.after(ACTORS_STOP_MS, () => reject(new Error(`${what} within ${ACTORS_STOP_MS / 1_000} s`)));
  });
  await Promise.race([work, limit]).finally(cancel);
}

function sweep({ config, log }: ServiceOptions, { database, files }: Storage): Sweeper {
  return startSweeper({
    sweeps: serviceSweeps({ database, files }, { eventDays: config.eventRetentionDays }),
    take: (one, at) => one.take(at),
    databaseNow: () => databaseNow(database),
    intervalMs: config.sweepIntervalMinutes * 60_000,
    clock: systemClock,
    chance: systemChance,
    log,
  });
}

interface ListeningService {
  /** Where users reach the service. */
  readonly appUrl: string;
  /** The address that the service is bound to. */
  readonly listens: string;
}

/** Opens the port, and access for the administration command. */
function openDoors(
  { config, supervision }: ServiceOptions,
  { folder }: Storage,
  { app, key }: { readonly app: ServiceApp; readonly key: string },
): ListeningService {
  const port = openPort({ host: config.host, port: config.port, setting: "PORT" }, () =>
    app.listen({ hostname: config.host, port: config.port, isShared: supervision !== null }),
  );
  // With a supervisor, it leaves one note for all replicas.
  const note: ServiceNote = { address: localUrlOf(config.host, port), key, pid: process.pid };
  if (supervision === null) folder.writePrivate(SERVICE_FILE, noteText(note));
  return { appUrl: appUrlOf(config, port), listens: listeningUrlOf(config.host, port) };
}

/** Opens the administration port, if one is set. Throws `CannotListen`. */
async function openAdmin(
  { config, log }: ServiceOptions,
  of: {
    readonly storage: Storage;
    readonly system: TroupeSystem;
    readonly meters: Meters | null;
    readonly app: ServiceApp;
  },
): Promise<AdminPort | null> {
  const { meters, storage, system, app } = of;
  const { adminPort: port, adminHost: host } = config;
  if (meters === null || port === undefined) return null;
  const parts = { meters, system, ...storage, app, dataDir: storage.folder.path, log, host, port };
  const { serveMetrics } = await import("./metrics.ts");
  return openPort({ host, port, setting: "ADMIN_PORT" }, () => serveMetrics(parts));
}

/** Creates the first organization if there is none, and shows its tokens before they become valid. */
function foundFirst(
  options: ServiceOptions,
  storage: Storage,
  { replica, ...actors }: Pick<Actors, "system" | "directory"> & { readonly replica: Replica | null },
): Promise<FirstRun | null> {
  const { terminal, signal } = options;
  const tell = (tokens: FirstTokens): void => {
    if (terminal === null) writeFirstRun(options, storage, tokenLines(tokens));
    else terminal.write(`\n${tokenLines(tokens)}`);
  };
  const pauses = { clock: systemClock, chance: systemChance };
  const found = () => firstRun({ ...actors, now: systemClock.now(), pauses, signal, beforeCommit: tell });
  return replica === null ? found() : oneAtATime(storage.database, found);
}

/** Writes the one-time text for the operator to a file; answers its path. */
function writeFirstRun({ supervision }: ServiceOptions, { folder }: Storage, text: string): string {
  if (supervision === null) return folder.writePrivate(FIRST_RUN_FILE, text);
  const path = join(supervision.order.dataDir, FIRST_RUN_FILE);
  writePrivateFile(path, text);
  return path;
}

/** Greets the person at the terminal; the log gets a short form. */
function greet(
  options: ServiceOptions,
  of: ListeningService & {
    readonly storage: Storage;
    readonly models: ModelPort;
    readonly replica: Replica | null;
    readonly local: readonly LocalModel[];
    readonly first: FirstRun | null;
  },
): void {
  const { config, log, terminal, supervision } = options;
  const { storage, models, local, appUrl, listens, first } = of;
  const dataDir = supervision?.order.dataDir ?? config.dataDir;
  const model = models.describe(null);
  // Since the process began.
  const tookMs = performance.now();
  const text = greeting({ version: SERVICE_VERSION, appUrl, listens, dataDir, model, localModels: local, tookMs });
  if (terminal !== null) terminal.write(`${text}\n${first === null ? "" : `${tryLines(appUrl, first)}\n`}`);
  else if (first !== null) {
    const file = writeFirstRun(options, storage, `${text}\n${tokenLines(first)}\n${tryLines(appUrl, first)}`);
    log.info({ file }, "the first run made an organization and its tokens: they are in this file");
  }
  log.info(
    {
      address: appUrl,
      listens,
      replica: of.replica?.id,
      start_ms: Math.round(tookMs),
      model: model.ok ? `${model.value.provider}:${model.value.name}` : null,
    },
    "serving",
  );
}
