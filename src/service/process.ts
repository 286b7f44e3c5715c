/** The process of a service, or the supervisor of several: what ends it, and what it says when it cannot start. */
import { DataFolderDamaged } from "../../db/data-folder.ts";
import { FolderInUse } from "../../db/folder-lock.ts";
import { MigrationRefused } from "../../db/migrate.ts";
import { createLogger, type Logger } from "../log/log.ts";
import { outboundRequestLimit } from "../settings/config.ts";
import type { Config } from "../settings/settings.ts";
import { tracingOf } from "../settings/tracing.ts";
import { activeTraceId } from "../tracing/active-span.ts";
import { systemClock } from "../wiring/clock.ts";
import type { RunCommand } from "./admin-door.ts";
import { NoRoom } from "./first-run.ts";
import { watchLauncher } from "./launcher.ts";
import { LoopNote } from "./loop-note.ts";
import { watchLoop } from "./loop-watchdog.ts";
import { watchMemory } from "./memory-watch.ts";
import { ModelMissing, ModelUnavailable } from "./model-choice.ts";
import { CannotListen } from "./ports.ts";
import { Ending, EXIT_BUG, EXIT_CONFIG, EXIT_UNAVAILABLE } from "./process-end.ts";
import { NoReplicaAddress, OtherFiles } from "./replica.ts";
import { NoSharedPort, startReplicas } from "./replicas-start.ts";
import { DatabaseInUse } from "./rivals.ts";
import { WrongServiceKey } from "./service-key.ts";
import { startService } from "./service.ts";
import { DatabaseRefused, FolderUnusable } from "./storage.ts";
import type { Supervision } from "./supervision.ts";

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

export interface ProcessOptions {
  readonly config: Config;
  /** Processes to start; 1: this one serves. */
  readonly replicas: number;
  /** Of a process that a supervisor started. */
  readonly supervision: Supervision | null;
  /** Loads what runs the commands of the administration. */
  readonly loadCommands: () => Promise<RunCommand>;
}

/** Answers when the service serves, or has failed to start. */
export async function runProcess(options: ProcessOptions): Promise<void> {
  const { config, replicas, supervision } = options;
  const isTraced = tracingOf(config) !== null;
  const log = await createLogger({ level: config.logLevel, ...(isTraced ? { traceId: activeTraceId } : {}) });
  const marked = supervision === null ? log : log.child({ process: supervision.order.number });
  if (replicas > 1) await superviseReplicas(replicas, config, log);
  else await runService(options, marked);
}

/** Supervises several replica processes. */
async function superviseReplicas(count: number, config: Config, log: Logger): Promise<void> {
  const ending = new Ending(log, SUPERVISOR_DRAIN_MS);
  const onFatal = (reason: string, exitCode: number): void => {
    log.fatal(reason);
    ending.begin(reason, exitCode);
  };
  listenToSignals(ending, log);
  watchLoop(config.watchdogSeconds);
  await startUnderEnding(ending, log, async () => {
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
async function runService({ config, supervision, loadCommands }: ProcessOptions, log: Logger): Promise<void> {
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
  listenToSignals(ending, log);
  supervision?.onEnd((reason) => ending.begin(reason, 0));
  await startUnderEnding(ending, log, async () => {
    const loopNote = new LoopNote();
    watchLoop(config.watchdogSeconds, loopNote.memory);
    watchMemory({ limitMib: config.memoryLimitMib, clock: systemClock, log, onFull: onFatal });
    const hasTerminal = process.stdout.isTTY === true && supervision?.order.greets !== false;
    const terminal = hasTerminal ? process.stdout : null;
    const service = await startService({
      loadCommands,
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
function listenToSignals(ending: Ending, log: Logger): void {
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

async function startUnderEnding(
  ending: Ending,
  log: Logger,
  begin: () => Promise<{ stop(): Promise<void> }>,
): Promise<void> {
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
