/**
 * The start: reads the configuration, starts the service, and drains it when it is told to end.
 *
 *   bun start                   serve
 *   bun start --print-config    print the configuration, secrets masked, and end
 */
import { DataFolderDamaged } from "../db/data-folder.ts";
import { FolderInUse } from "../db/folder-lock.ts";
import { MigrationRefused } from "../db/migrate.ts";
import { systemClock } from "./wiring/clock.ts";
import { type Config, describeConfig, describeErrors, outboundRequestLimit, readConfig } from "./settings/config.ts";
import { Ending, EXIT_BUG, EXIT_CONFIG, EXIT_UNAVAILABLE } from "./service/process-end.ts";
import { NoRoom } from "./service/first-run.ts";
import { watchLauncher } from "./service/launcher.ts";
import { watchMemory } from "./service/memory-watch.ts";
import { watchLoop } from "./service/loop-watchdog.ts";
import { createLogger, type Logger } from "./log/log.ts";
import { NoReplicaAddress, OtherFiles } from "./service/replica.ts";
import { DatabaseInUse } from "./service/rivals.ts";
import { WrongServiceKey } from "./service/service-key.ts";
import { ModelMissing, ModelUnavailable, modelErrors } from "./service/model-choice.ts";
import { CannotListen, startService } from "./service/service.ts";
import { DatabaseRefused, DataFolderUnusable } from "./service/storage.ts";

/** Fewer outgoing requests than running jobs could have open would block model calls (Bun's own limit). */
const OUTBOUND_REQUESTS_MIN = 1_024;

/** What an operator can mend: one message, without a stack. */
const EXPECTED = [
  FolderInUse,
  DataFolderDamaged,
  DataFolderUnusable,
  MigrationRefused,
  DatabaseRefused,
  NoRoom,
  DatabaseInUse,
  WrongServiceKey,
  CannotListen,
  NoReplicaAddress,
  OtherFiles,
  ModelMissing,
  ModelUnavailable,
];

async function main(argv: readonly string[]): Promise<void> {
  const unknown = argv.filter((argument) => argument !== "--print-config");
  const read = readConfig(undefined, [modelErrors]);
  if (unknown.length > 0) console.error(`Unknown argument ${unknown.join(" ")}; the only one is --print-config`);
  if (argv.includes("--print-config"))
    console.log(read.ok ? describeConfig(read.config) : describeConfig(read.valid, read.errors));
  if (!read.ok) console.error(`The configuration cannot be used:\n${describeErrors(read.errors)}`);
  if (!read.ok || unknown.length > 0) process.exit(EXIT_CONFIG);
  if (argv.includes("--print-config")) return;
  await run(read.config, await createLogger({ level: read.config.logLevel }));
}

async function run(config: Config, log: Logger): Promise<void> {
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
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => ending.begin(signal, 0));
  watchLauncher(systemClock, () => ending.begin("npx has ended", 0));
  // What a bug has left undone is unknown: the next start takes up what was committed.
  const onBug = (what: string) => (err: unknown) => {
    log.fatal({ err }, `${what}: a bug`);
    ending.begin(what, EXIT_BUG);
  };
  process.on("unhandledRejection", onBug("an unhandled rejection"));
  process.on("uncaughtException", onBug("an uncaught exception"));
  try {
    watchLoop(config.watchdogSeconds);
    watchMemory({ limitMib: config.memoryLimitMib, clock: systemClock, log, onFull: onFatal });
    const terminal = process.stdout.isTTY === true ? process.stdout : null;
    ending.started(await startService({ config, log, terminal, onFatal, signal: ending.signal }));
  } catch (cause) {
    ending.failed(cause, cause instanceof ModelMissing ? EXIT_CONFIG : EXIT_UNAVAILABLE, () => {
      if (isExpected(cause)) console.error(cause.message);
      else log.fatal({ err: cause }, "the service could not start");
    });
  }
}

/** Also what the operating system refuses (a folder that may not be written, a full disk): its words say which file. */
function isExpected(cause: unknown): cause is Error {
  return (
    cause instanceof Error &&
    (EXPECTED.some((kind) => cause instanceof kind) || ("syscall" in cause && "path" in cause))
  );
}

await main(process.argv.slice(2));
