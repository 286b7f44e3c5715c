/**
 * The start: reads the configuration, starts the service, and drains it when it is told to end.
 *
 *   bun start                   serve
 *   bun start --print-config    print the configuration, secrets masked, and end
 */
import { DataFolderDamaged } from "../db/data-folder.ts";
import { FolderInUse } from "../db/folder-lock.ts";
import { MigrationRefused } from "../db/migrate.ts";
import { systemClock } from "./clock.ts";
import { type Config, describeConfig, describeErrors, outboundRequestLimit, readConfig } from "./config.ts";
import { Ending, EXIT_BUG, EXIT_CONFIG, EXIT_UNAVAILABLE } from "./ending.ts";
import { watchLauncher } from "./launcher.ts";
import { createLogger, type Logger } from "./log.ts";
import { DatabaseInUse } from "./rivals.ts";
import { WrongServiceKey } from "./service-key.ts";
import { CannotListen, ModelUnusable, startService } from "./service.ts";
import { DatabaseRefused } from "./storage.ts";

/** Fewer outgoing requests than running jobs could have open would block model calls (Bun's own limit). */
const OUTBOUND_REQUESTS_MIN = 1_024;

/** What an operator can mend; told in words, without a stack. */
const EXPECTED = [
  FolderInUse,
  DataFolderDamaged,
  MigrationRefused,
  DatabaseRefused,
  DatabaseInUse,
  WrongServiceKey,
  CannotListen,
  ModelUnusable,
];

async function main(argv: readonly string[]): Promise<void> {
  const unknown = argv.filter((argument) => argument !== "--print-config");
  const read = readConfig();
  if (!read.ok || unknown.length > 0) {
    if (unknown.length > 0) console.error(`Unknown argument ${unknown.join(" ")}; there is --print-config`);
    if (!read.ok) console.error(`The configuration cannot be used:\n${describeErrors(read.errors)}`);
    process.exit(EXIT_CONFIG);
  }
  if (argv.includes("--print-config")) {
    console.log(describeConfig(read.config));
    return;
  }
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
  process.on("unhandledRejection", (err) => log.error({ err }, "an unhandled rejection: a bug"));
  process.on("uncaughtException", (err) => {
    log.fatal({ err }, "an uncaught exception: a bug");
    ending.begin("an uncaught exception", EXIT_BUG);
  });
  try {
    const terminal = process.stdout.isTTY === true ? process.stdout : null;
    ending.started(await startService({ config, log, terminal, onFatal, signal: ending.signal }));
  } catch (cause) {
    ending.failed(cause, () => {
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
