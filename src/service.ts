/**
 * The running service, from its configuration to its drain.
 *
 *   storage ─▶ actors, recovered ─▶ first run ─▶ port open ─▶ serving ─▶ draining ─▶ nothing left
 *
 * Each step is undone in reverse order, when a later one fails and when the service stops.
 */
import type { ModelPort } from "../actors/job/ports.ts";
import { sweepOnce, sweepsOf } from "../db/sweeps.ts";
import { adminDoor, forgetService, newAdminKey, SERVICE_FILE, type ServiceNote } from "./admin/door.ts";
import type { AdminParts } from "./admin/commands.ts";
import { type App, createApp } from "./app.ts";
import { buildOf } from "./build.ts";
import { createEgress, type Egress } from "./egress/egress.ts";
import { systemChance, systemClock } from "./clock.ts";
import { actorSettingsOf, appUrlOf, type Config, localUrlOf } from "./config.ts";
import { FIRST_RUN_FILE, type FirstRun, firstRun, type FirstTokens } from "./first-run.ts";
import { greeting, tokenLines, tryLines } from "./greeting.ts";
import type { Logger } from "./log.ts";
import { openFilesLimit, streamsWithin } from "./open-files.ts";
import { findLocalModels, type LocalModel } from "./runner/local-models.ts";
import { createModels } from "./runner/models.ts";
import { type Runtime, startRuntime } from "./runtime.ts";
import { openStorage, type Storage } from "./storage.ts";
import { type Sweeper, startSweeper } from "./sweeper.ts";
import { Undo } from "./undo.ts";
import { webhookTools } from "./webhooks.ts";
import { VERSION } from "./version.ts";

/** Longest wait for the actors' last commits, when the service stops. */
const ACTORS_STOP_MS = 8_000;

/** The port is taken, or the host is not this machine's. */
export class CannotListen extends Error {
  override readonly name = "CannotListen";
}

/** The model that MODEL names is unknown, or has no key. */
export class ModelUnusable extends Error {
  override readonly name = "ModelUnusable";
}

export interface Service {
  readonly address: string;
  /** Finishes what is under way and leaves no process behind. */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly config: Config;
  readonly log: Logger;
  /** Where a person reads; null where nobody does, and the tokens go to a file. */
  readonly terminal: { write(text: string): void } | null;
  /** The service cannot go on: its database or its lease is gone. */
  readonly onFatal: (reason: string) => void;
  /** Calls the start off. */
  readonly signal: AbortSignal;
}

/**
 * Starts everything. What has been started is stopped again when a later step fails or the signal
 * calls the start off; the signal's reason is thrown then.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, log, onFatal, signal } = options;
  const undo = new Undo();
  try {
    const local = localModels(config);
    const storage = await openStorage({ config, log, signal, onExit: onFatal });
    undo.add(() => storage.close());
    forgetService(storage.folder.path);
    const models = modelsOf(config, await local, log);
    checkModel(config, models, log);
    signal.throwIfAborted();
    const address = appUrlOf(config, config.port);
    const egress = egressOf(config, log);
    undo.add(() => egress.close());
    const runtime = await startRuntime({
      storage,
      runner: {
        models,
        egress,
        places: { inProcess: config.runningJobs, ofOrganization: config.runningJobsOfOrganization },
        toolResultBytes: config.toolResultKib * 1_024,
      },
      log,
      address,
      build: VERSION,
      onLost: onFatal,
      signal,
      ...actorSettingsOf(config),
    });
    undo.add(() => withinLimit(runtime.system.stop(), "the actors did not stop"));
    signal.throwIfAborted();
    // A taken port must not cost the first run's tokens and its command, which are told once.
    tryPort(config);
    const first = await foundFirst(options, storage, runtime);
    const sweeper = sweep(options, storage);
    undo.add(() => sweeper.stop());
    const { appUrl, stop } = serve(options, { storage, models, runtime, egress });
    undo.add(stop);
    greet(options, { storage, runtime, models, local: await local, appUrl, first });
    return { address: appUrl, stop: () => undo.run() };
  } catch (cause) {
    await undo.run().catch((err: unknown) => log.error({ err }, "what had been started could not be ended"));
    throw cause;
  }
}

/** So that a database that does not answer cannot keep what comes after from being ended. */
async function withinLimit(work: Promise<void>, what: string): Promise<void> {
  let cancel = (): void => {};
  const limit = new Promise<void>((_resolve, reject) => {
    cancel = systemClock.after(ACTORS_STOP_MS, () => reject(new Error(`${what} within ${ACTORS_STOP_MS / 1_000} s`)));
  });
  await Promise.race([work, limit]).finally(cancel);
}

/** Only a start without a configured model looks for local ones; it uses one with MODEL=auto alone. */
function localModels(config: Config): Promise<LocalModel[]> {
  const isConfigured = config.model !== undefined && config.model !== "auto";
  const hasProvider = [config.anthropicApiKey, config.openaiApiKey, config.openaiBaseUrl].some((v) => v !== undefined);
  return isConfigured || (hasProvider && config.model === undefined) ? Promise.resolve([]) : findLocalModels();
}

function modelsOf(config: Config, local: readonly LocalModel[], log: Logger): ModelPort {
  const settings = {
    model: config.model ?? null,
    anthropicApiKey: config.anthropicApiKey ?? null,
    openaiApiKey: config.openaiApiKey ?? null,
    openaiBaseUrl: config.openaiBaseUrl ?? null,
    models: config.models,
    localModels: local,
    production: config.nodeEnv === "production",
    allowDemoModel: config.allowDemoModel,
    stalledStreamMs: config.stalledStreamSeconds * 1_000,
  };
  return createModels(settings, log);
}

/** Outgoing requests to addresses that somebody else has chosen; what an operator has opened is told. */
function egressOf({ egressAllow, nodeEnv }: Config, log: Logger): Egress {
  if (egressAllow.length > 0) {
    log.warn({ egressAllow }, "outgoing requests may reach these hosts and networks although they are not public");
  }
  return createEgress({ allow: egressAllow, production: nodeEnv === "production" }, log);
}

/** A model that was named and cannot be used is a wrong setting; without any, executions are refused one by one. */
function checkModel(config: Config, models: ModelPort, log: Logger): void {
  for (const name of config.models) {
    const why = unusable(models, name);
    if (why !== null) throw new ModelUnusable(`MODELS cannot be used: ${why}`);
  }
  const why = unusable(models, null);
  if (why === null) return;
  if (config.model !== undefined) throw new ModelUnusable(`MODEL cannot be used: ${why}`);
  log.warn({ why }, "no model can be used: executions are refused");
}

/** Why a model cannot be used, for the operator; null where it can. */
function unusable(models: ModelPort, name: string | null): string | null {
  const model = models.describe(name);
  if (model.ok) return null;
  return model.fault.kind === "provider_error" ? model.fault.message : model.fault.kind;
}

function sweep({ config, log }: ServiceOptions, { database }: Storage): Sweeper {
  return startSweeper({
    sweeps: sweepsOf({ eventDays: config.eventRetentionDays }),
    take: (one, at) => sweepOnce(database, one, at),
    intervalMs: config.sweepIntervalMinutes * 60_000,
    clock: systemClock,
    chance: systemChance,
    log,
  });
}

interface Parts {
  readonly storage: Storage;
  readonly models: ModelPort;
  readonly runtime: Runtime;
}

/** Opens the port, and the door for the administration command. */
function serve(
  { config, log }: ServiceOptions,
  parts: Parts & { readonly egress: Egress },
): { readonly appUrl: string; stop(): Promise<void> } {
  const { storage, models, runtime, egress } = parts;
  const key = newAdminKey();
  const admin: AdminParts = {
    ...runtime,
    now: () => systemClock.now(),
    onRevoked: (tokenId) => app.streams.closeOf(tokenId),
  };
  const app = createApp({
    ...runtime,
    sealing: storage.sealing,
    webhookTools: webhookTools(egress),
    build: buildOf(config),
    models,
    log,
    clock: systemClock,
    pingDatabase: async () => {
      await storage.database.read`select 1`;
    },
    appUrl: (port) => appUrlOf(config, port),
    maxStreams: streamsOf(config, log),
    jobLimits: actorSettingsOf(config).jobLimits,
    rates: {
      trustedProxies: config.trustedProxies,
      budgets: new Map(config.rateBudgets.map((entry) => [entry.split("=")[0] ?? "", Number(entry.split("=")[1])])),
      countsV1: config.rateLimitV1,
    },
    internal: (request) => adminDoor(admin, key, request),
  });
  const port = listen(app, config);
  const appUrl = appUrlOf(config, port);
  const note: ServiceNote = { address: localUrlOf(config.host, port), key, pid: process.pid };
  storage.folder.writePrivate(SERVICE_FILE, `${JSON.stringify(note)}\n`);
  const stop = async (): Promise<void> => {
    await app.stop();
    forgetService(storage.folder.path);
  };
  return { appUrl, stop };
}

/** How many streams may be open: as many as are set, where there are files for them. */
function streamsOf({ maxStreams }: Config, log: Logger): number {
  const openFiles = openFilesLimit();
  const most = streamsWithin(maxStreams, openFiles);
  if (most < maxStreams)
    log.info({ maxStreams, openFiles, most }, "the limit of open files leaves room for fewer streams than MAX_STREAMS");
  return most;
}

/** Opens the port for a moment. Throws `CannotListen`. */
function tryPort({ host, port }: Config): void {
  if (port !== 0) opened({ host, port }, () => Bun.listen({ hostname: host, port, socket: { data() {} } }).stop(true));
}

const listen = (app: App, { host, port }: Config): number =>
  opened({ host, port }, () => app.listen({ hostname: host, port }));

/** What `open` answers, or why the port cannot be had. */
function opened<T>({ host, port }: Pick<Config, "host" | "port">, open: () => T): T {
  try {
    return open();
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : null;
    if (code === "EADDRINUSE") throw new CannotListen(`Port ${port} is in use. Set PORT to another one.`, { cause });
    throw new CannotListen(`Cannot listen on ${host}:${port}: ${String(cause)}`, { cause });
  }
}

/** Founds the first organization where there is none, and has its tokens told before they count. */
function foundFirst({ terminal }: ServiceOptions, storage: Storage, runtime: Runtime): Promise<FirstRun | null> {
  const tell = (tokens: FirstTokens): void => {
    if (terminal === null) storage.folder.writePrivate(FIRST_RUN_FILE, tokenLines(tokens));
    else terminal.write(`\n${tokenLines(tokens)}`);
  };
  return firstRun({ ...runtime, now: systemClock.now(), beforeCommit: tell });
}

/** What a person wants to know of this start; the log gets it in short. */
function greet(
  { config, log, terminal }: ServiceOptions,
  of: Parts & { readonly local: readonly LocalModel[]; readonly appUrl: string; readonly first: FirstRun | null },
): void {
  const { storage, models, local, appUrl, first } = of;
  const model = models.describe(null);
  const text = greeting({ version: VERSION, appUrl, dataDir: config.dataDir, model, localModels: local });
  if (terminal !== null) terminal.write(`${text}\n${first === null ? "" : `${tryLines(appUrl, first)}\n`}`);
  else if (first !== null) {
    const file = storage.folder.writePrivate(
      FIRST_RUN_FILE,
      `${text}\n${tokenLines(first)}\n${tryLines(appUrl, first)}`,
    );
    log.info({ file }, "the first run made an organization and its tokens: they are in this file");
  }
  log.info({ address: appUrl, model: model.ok ? `${model.value.provider}:${model.value.name}` : null }, "serving");
}
