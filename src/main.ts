/**
 * The start: reads the configuration, starts the service, and drains it when a signal asks it to end.
 *
 *   bun start                   serve
 *   bun start --replicas 3      serve with several processes behind one port
 *   bun start --print-config    print the configuration, secrets masked, and end
 */
import { DataFolderDamaged } from "../db/data-folder.ts";
import { FolderInUse } from "../db/folder-lock.ts";
import { MigrationRefused } from "../db/migrate.ts";
import { runAdmin } from "./admin/door.ts";
import { systemClock } from "./wiring/clock.ts";
import {
  type Config,
  describeConfig,
  describeErrors,
  environmentWith,
  outboundRequestLimit,
  readConfig,
} from "./settings/config.ts";
import { Ending, EXIT_BUG, EXIT_CONFIG, EXIT_UNAVAILABLE } from "./service/process-end.ts";
import { NoRoom } from "./service/first-run.ts";
import { watchLauncher } from "./service/launcher.ts";
import { watchMemory } from "./service/memory-watch.ts";
import { LoopNote } from "./service/loop-note.ts";
import { watchLoop } from "./service/loop-watchdog.ts";
import { createLogger, type Logger } from "./log/log.ts";
import { CannotListen } from "./service/ports.ts";
import { NoReplicaAddress, OtherFiles } from "./service/replica.ts";
import { NoSharedPort, startReplicas } from "./service/replicas-start.ts";
import { DatabaseInUse } from "./service/rivals.ts";
import { WrongServiceKey } from "./service/service-key.ts";
import { ModelMissing, ModelUnavailable, modelErrors } from "./service/model-choice.ts";
import { priceErrors } from "./settings/prices.ts";
import { tracingOf } from "./settings/tracing.ts";
import { activeTraceId } from "./tracing/active-span.ts";
import { startService } from "./service/service.ts";
import { readArguments, START_HELP } from "./service/start-arguments.ts";
import { DatabaseRefused, FolderUnusable } from "./service/storage.ts";
import { superviseBy, type Supervision } from "./service/supervision.ts";

/** A lower limit would block model calls: the running jobs alone can have this many requests open (Bun's own limit). */
const OUTBOUND_REQUESTS_MIN = 1_024;

/** Longer than the drain of a replica, which is cut off after 20 s. */
const SUPERVISOR_DRAIN_MS = 28_000;

/** Errors that an operator can fix: they are printed as one message, without a stack. */
const EXPECTED = [
  FolderInUse,
  DataFolderDamaged,
  FolderUnusable,
  MigrationRefused,
  DatabaseRefused,
  NoRoom,
  DatabaseInUse,
  WrongServiceKey,
  CannotListen,
  NoReplicaAddress,
  NoSharedPort,
  OtherFiles,
  ModelMissing,
  ModelUnavailable,
];

async function main(argv: readonly string[]): Promise<void> {
  const given = readArguments(argv);
  const isWrong = typeof given === "string";
  if (!isWrong && given.printsHelp) return console.log(START_HELP);
  const supervision = !isWrong && given.isSupervised ? await superviseBy(process) : null;
  // The supervisor has already ended.
  if (!isWrong && given.isSupervised && supervision === null) return;
  const read = readConfig(environmentWith(supervision?.order.settings ?? {}), [modelErrors, priceErrors]);
  const printsConfig = !isWrong && given.printsConfig;
  if (isWrong) console.error(given);
  if (printsConfig) console.log(read.ok ? describeConfig(read.config) : describeConfig(read.valid, read.errors));
  if (!read.ok) console.error(`The configuration cannot be used:\n${describeErrors(read.errors)}`);
  if (!read.ok || isWrong) process.exit(EXIT_CONFIG);
  if (printsConfig) return;
  const isTraced = tracingOf(read.config) !== null;
  const log = await createLogger({ level: read.config.logLevel, ...(isTraced ? { traceId: activeTraceId } : {}) });
  const marked = supervision === null ? log : log.child({ process: supervision.order.number });
  if (given.replicas > 1) await supervise(given.replicas, read.config, log);
  else await run(read.config, marked, supervision);
}

/** Supervises several replica processes. */
async function supervise(count: number, config: Config, log: Logger): Promise<void> {
  const ending = new Ending(log, SUPERVISOR_DRAIN_MS);
  const onFatal = (reason: string, exitCode: number): void => {
    log.fatal(reason);
    ending.begin(reason, exitCode);
  };
  listen(ending, log);
  watchLoop(config.watchdogSeconds);
  await start(ending, log, async () => {
    const replicas = await startReplicas({
      count,
      config,
      log,
      onFatal,
      onExit: (reason) => onFatal(reason, EXIT_UNAVAILABLE),
      signal: ending.signal,
    });
    process.on("SIGUSR2", () => {
      log.info({}, "the replicas are started anew, one after the other");
      void replicas.restart().then(() => log.info({}, "all replicas have been started anew"));
    });
    return replicas;
  });
}

/** Runs one service process. */
async function run(config: Config, log: Logger, supervision: Supervision | null): Promise<void> {
  if (outboundRequestLimit() < OUTBOUND_REQUESTS_MIN) {
    log.warn(
      { limit: outboundRequestLimit() },
      "few outgoing requests are possible: start with `bun start`, or set BUN_CONFIG_MAX_HTTP_REQUESTS",
    );
  }
  const ending = new Ending(log);
  const onFatal = (reason: string): void => {
    log.fatal(reason);
    ending.begin(reason, EXIT_UNAVAILABLE);
  };
  listen(ending, log);
  supervision?.onEnd((reason) => ending.begin(reason, 0));
  await start(ending, log, async () => {
    const loopNote = new LoopNote();
    watchLoop(config.watchdogSeconds, loopNote.memory);
    watchMemory({ limitMib: config.memoryLimitMib, clock: systemClock, log, onFull: onFatal });
    const hasTerminal = process.stdout.isTTY === true && supervision?.order.greets !== false;
    const terminal = hasTerminal ? process.stdout : null;
    const service = await startService({
      runCommand: runAdmin,
      config,
      log,
      terminal,
      onFatal,
      signal: ending.signal,
      supervision,
      loopNote,
    });
    supervision?.serving();
    return service;
  });
}

/** Ends the process on signals and on bugs. */
function listen(ending: Ending, log: Logger): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => ending.begin(signal, 0));
  watchLauncher(systemClock, () => ending.begin("npx has ended", 0));
  // A bug may leave work half done: the next start takes up what was committed.
  const onBug = (what: string) => (err: unknown) => {
    log.fatal({ err }, `${what}: a bug`);
    ending.begin(what, EXIT_BUG);
  };
  process.on("unhandledRejection", onBug("an unhandled rejection"));
  process.on("uncaughtException", onBug("an uncaught exception"));
}

async function start(ending: Ending, log: Logger, begin: () => Promise<{ stop(): Promise<void> }>): Promise<void> {
  try {
    ending.started(await begin());
  } catch (cause) {
    ending.failed(cause, cause instanceof ModelMissing ? EXIT_CONFIG : EXIT_UNAVAILABLE, () => {
      if (isExpected(cause)) console.error(cause.message);
      else log.fatal({ err: cause }, "the service could not start");
    });
  }
}

/** Also true of errors of the operating system (a read-only folder, a full disk): their message names the file. */
function isExpected(cause: unknown): cause is Error {
  return (
    cause instanceof Error &&
    (EXPECTED.some((kind) => cause instanceof kind) || ("syscall" in cause && "path" in cause))
  );
}

await main(process.argv.slice(2));
