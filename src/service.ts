/**
 * The running service, from its configuration to its drain.
 *
 *   storage ─▶ actors, recovered ─▶ port open ─▶ first run ─▶ serving ─▶ draining ─▶ nothing left
 *
 * Each step is undone in reverse order, when a later one fails and when the service stops.
 */
import type { ModelPort } from "../actors/job/ports.ts";
import { adminDoor, newAdminKey, SERVICE_FILE, type ServiceNote } from "./admin/door.ts";
import { type App, createApp } from "./app.ts";
import { systemClock } from "./clock.ts";
import { appUrlOf, type Config, localUrlOf } from "./config.ts";
import { FIRST_RUN_FILE, type FirstRun, firstRun } from "./first-run.ts";
import { greeting, tokenLines, tryLines } from "./greeting.ts";
import type { Logger } from "./log.ts";
import { findLocalModels, type LocalModel } from "./runner/local-models.ts";
import { createModels } from "./runner/models.ts";
import { type Runtime, startRuntime } from "./runtime.ts";
import { openStorage, type Storage } from "./storage.ts";
import { VERSION } from "./version.ts";

/** The port is taken, or the host is not this machine's. */
export class CannotListen extends Error {
  override readonly name = "CannotListen";
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
}

/** Starts everything; what has been started is stopped again when a later step fails. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, log, onFatal } = options;
  const undo: (() => Promise<void> | void)[] = [];
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const [storage, local] = await Promise.all([openStorage(config, log, onFatal), localModels(config)]);
    undo.push(() => storage.close());
    const models = modelsOf(config, local, log);
    const address = appUrlOf(config, config.port);
    const runtime = await startRuntime({ storage, models, log, address, build: VERSION, onLost: onFatal });
    undo.push(() => runtime.system.stop());
    const served = await serve(options, { storage, models, runtime });
    undo.push(served.stop);
    await greet(options, { storage, runtime, models, local, appUrl: served.appUrl });
    return { address: served.appUrl, stop };
  } catch (cause) {
    await stop();
    throw cause;
  }
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
    localModels: local,
    production: config.nodeEnv === "production",
    allowDemoModel: config.allowDemoModel,
  };
  return createModels(settings, log);
}

interface Parts {
  readonly storage: Storage;
  readonly models: ModelPort;
  readonly runtime: Runtime;
}

/** Opens the port, and the door for the administration command. */
async function serve({ config, log }: ServiceOptions, parts: Parts): Promise<{ appUrl: string; stop(): Promise<void> }> {
  const { storage, models, runtime } = parts;
  const key = newAdminKey();
  const admin = { system: runtime.system, directory: runtime.directory, now: () => systemClock.now() };
  const app = createApp({
    ...runtime,
    models,
    log,
    clock: systemClock,
    pingDatabase: async () => {
      await storage.database.read`select 1`;
    },
    appUrl: (port) => appUrlOf(config, port),
    internal: (request) => adminDoor(admin, key, request),
  });
  const port = listen(app, config);
  const appUrl = appUrlOf(config, port);
  const note: ServiceNote = { address: localUrlOf(config.host, port), key, pid: process.pid };
  storage.folder.writePrivate(SERVICE_FILE, `${JSON.stringify(note)}\n`);
  return { appUrl, stop: () => app.stop() };
}

function listen(app: App, { host, port }: Config): number {
  try {
    return app.listen({ hostname: host, port });
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : null;
    if (code === "EADDRINUSE") throw new CannotListen(`Port ${port} is in use. Set PORT to another one.`, { cause });
    throw new CannotListen(`Cannot listen on ${host}:${port}: ${String(cause)}`, { cause });
  }
}

async function greet(
  { config, log, terminal }: ServiceOptions,
  of: Parts & { readonly local: readonly LocalModel[]; readonly appUrl: string },
): Promise<void> {
  const { storage, runtime, appUrl } = of;
  const write = (text: string): string => storage.folder.writePrivate(FIRST_RUN_FILE, text);
  const run = await firstRun({
    ...runtime,
    now: systemClock.now(),
    beforeCommit: (tokens) => {
      if (terminal === null) write(tokenLines(tokens));
    },
  });
  const { models, local } = of;
  const text = greeting({ version: VERSION, appUrl, dataDir: config.dataDir, model: models.describe(null), localModels: local });
  if (terminal !== null) terminal.write(`${text}\n${run === null ? "" : firstRunText(appUrl, run)}`);
  else if (run !== null) {
    const file = write(firstRunText(appUrl, run));
    log.info({ file }, "the first run made an organization and its tokens: they are in this file");
  }
  const model = models.describe(null);
  log.info({ address: appUrl, model: model.ok ? `${model.value.provider}:${model.value.name}` : null }, "serving");
}

const firstRunText = (appUrl: string, run: FirstRun): string => `${tokenLines(run)}\n${tryLines(appUrl, run)}\n`;
