/**
 * The start: reads the configuration, starts the service, and drains it when it is told to end.
 *
 *   bun start                   serve
 *   bun start --print-config    print the configuration, secrets masked, and end
 */
import { FolderInUse } from "../db/folder-lock.ts";
import { DataFolderDamaged } from "../db/data-folder.ts";
import { MigrationRefused } from "../db/migrate.ts";
import { type Config, describeConfig, describeErrors, outboundRequestLimit, readConfig } from "./config.ts";
import { createLogger, type Logger } from "./log.ts";
import { DatabaseInUse } from "./runtime.ts";
import { CannotListen, type Service, startService } from "./service.ts";

/** A drain that takes longer is cut off. */
const DRAIN_LIMIT_MS = 20_000;
/** Fewer outgoing requests than running jobs could have open would block model calls (Bun's own limit). */
const OUTBOUND_REQUESTS_MIN = 1_024;
/** Exit codes of sysexits(3). */
const EXIT_CONFIG = 78;
const EXIT_UNAVAILABLE = 69;

const EXPECTED = [FolderInUse, DataFolderDamaged, MigrationRefused, DatabaseInUse, CannotListen];

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
    log.warn({ limit: outboundRequestLimit() }, "few outgoing requests are possible: start with `bun start`, or set BUN_CONFIG_MAX_HTTP_REQUESTS");
  }
  const ending = new Ending(log);
  process.on("SIGINT", () => void ending.begin("SIGINT", 0));
  process.on("SIGTERM", () => void ending.begin("SIGTERM", 0));
  process.on("SIGHUP", () => void ending.begin("SIGHUP", 0));
  process.on("unhandledRejection", (err) => log.error({ err }, "an unhandled rejection: a bug"));
  try {
    const terminal = process.stdout.isTTY === true ? process.stdout : null;
    const onFatal = (reason: string): void => {
      log.fatal(reason);
      void ending.begin(reason, EXIT_UNAVAILABLE);
    };
    ending.started(await startService({ config, log, terminal, onFatal }));
  } catch (cause) {
    if (EXPECTED.some((kind) => cause instanceof kind)) console.error((cause as Error).message);
    else log.fatal({ err: cause }, "the service could not start");
    log.flush();
    process.exit(EXIT_UNAVAILABLE);
  }
}

/** The end, once, whoever asks for it first; also when it is asked for during the start. */
class Ending {
  private service: Service | null = null;
  private wanted: number | null = null;
  private stopping = false;
  private readonly log: Logger;

  constructor(log: Logger) {
    this.log = log;
  }

  started(service: Service): void {
    this.service = service;
    if (this.wanted !== null) void this.stop();
  }

  begin(reason: string, exitCode: number): void {
    if (this.wanted !== null) return;
    this.wanted = exitCode;
    this.log.info({ reason }, "draining");
    void this.stop();
  }

  private async stop(): Promise<void> {
    if (this.service === null || this.stopping) return;
    this.stopping = true;
    const limit = setTimeout(() => {
      this.log.error("the drain took too long and is cut off");
      this.log.flush();
      process.exit(EXIT_UNAVAILABLE);
    }, DRAIN_LIMIT_MS);
    await this.service.stop().catch((err: unknown) => this.log.error({ err }, "the drain failed"));
    clearTimeout(limit);
    this.log.info("stopped");
    this.log.flush();
    process.exit(this.wanted ?? 0);
  }
}

await main(process.argv.slice(2));
