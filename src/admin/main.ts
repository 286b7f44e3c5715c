/**
 * `bun run admin …`: brings a command to the process that owns the actors. That is the running
 * service where there is one (its note in the data folder says where); else this process becomes the
 * owner for as long as the command takes.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { FolderInUse } from "../../db/folder-lock.ts";
import { systemClock } from "../clock.ts";
import { appUrlOf, type Config, describeErrors, readConfig } from "../config.ts";
import { createLogger, type Logger } from "../log.ts";
import { startRuntime } from "../runtime.ts";
import { openStorage } from "../storage.ts";
import { VERSION } from "../version.ts";
import type { AdminParts } from "./commands.ts";
import { type AdminArguments, AdminRefused, parseAdmin } from "./arguments.ts";
import { type AdminAnswer, knock, runAdmin, SERVICE_FILE, type ServiceNote } from "./door.ts";

async function main(argv: readonly string[]): Promise<number> {
  const read = readConfig();
  if (!read.ok) {
    console.error(`The configuration cannot be used:\n${describeErrors(read.errors)}`);
    return 78;
  }
  try {
    const { command, given } = parseAdmin(argv);
    const answer = await bring(read.config, command, given);
    (answer.ok ? console.log : console.error)(answer.text);
    return answer.ok ? 0 : 1;
  } catch (cause) {
    console.error(cause instanceof Error ? cause.message : String(cause));
    return cause instanceof AdminRefused ? 1 : 69;
  }
}

async function bring(config: Config, command: string, given: AdminArguments): Promise<AdminAnswer> {
  const log = await createLogger({ level: "warn" });
  try {
    return await here(config, log, (parts) => runAdmin(parts, command, given));
  } catch (cause) {
    if (!(cause instanceof FolderInUse)) throw cause;
    const note = JSON.parse(readFileSync(join(config.dataDir, SERVICE_FILE), "utf8")) as ServiceNote;
    return knock(note, command, given);
  }
}

/** Owns the actors for one command. Unfinished jobs are left for the next start of the service. */
async function here(config: Config, log: Logger, run: (parts: AdminParts) => Promise<AdminAnswer>): Promise<AdminAnswer> {
  const storage = await openStorage(config, log, () => {});
  try {
    const address = appUrlOf(config, config.port);
    const runtime = await startRuntime({ storage, log, models: null, address, build: VERSION, onLost: () => {} });
    try {
      return await run({ ...runtime, now: () => systemClock.now() });
    } finally {
      await runtime.system.stop();
    }
  } finally {
    await storage.close();
  }
}

process.exit(await main(process.argv.slice(2)));
