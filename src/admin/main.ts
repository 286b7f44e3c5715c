/**
 * `bun run admin …`: brings a command to the process that owns the actors. That is the running service, found
 * through its note in the data folder; without one, this process owns the actors for the duration of the
 * command. While the service starts or stops, or another command holds the data folder, it waits a moment.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DATABASE_NOTE } from "../../db/data-folder.ts";
import { FolderInUse } from "../../db/folder-lock.ts";
import { systemClock } from "../wiring/clock.ts";
import { appUrlOf, describeErrors, readConfig } from "../settings/config.ts";
import type { Config } from "../settings/settings.ts";
import { EXIT_CONFIG, EXIT_UNAVAILABLE } from "../service/process-end.ts";
import { Interrupted } from "../service/interruption.ts";
import { createLogger, type Logger } from "../log/log.ts";
import { type Actors, createActors } from "../service/actors.ts";
import type { OverActors } from "../service/assembly-parts.ts";
import type { Invoke } from "../http/request/operations.ts";
import { prepareJoining } from "../service/joining.ts";
import { type AdminAnswer, type AdminArguments, adminParts, type AdminParts } from "../service/admin-door.ts";
import { readService } from "../service/service-note.ts";
import { openStorage, type Storage } from "../service/storage.ts";
import { commandRefusal, render } from "./command-answer.ts";
import { AdminRefused, parseAdmin } from "./arguments.ts";
import { LOCAL_COMMANDS } from "./local.ts";
import { ADMIN_RETRY_MS, WAIT_MS } from "./local-database.ts";
import { answerAlone, knock, refusedAlone, runAdmin } from "./door.ts";

/** A shell's exit code after Ctrl-C. */
const EXIT_INTERRUPTED = 130;

interface AdminErrand {
  readonly config: Config;
  readonly log: Logger;
  readonly asked: { readonly command: string; readonly given: AdminArguments };
  readonly signal: AbortSignal;
}

async function runAdminCommand(argv: readonly string[]): Promise<number> {
  const read = readConfig();
  if (!read.ok) {
    console.error(refusedAlone(`The configuration cannot be used:\n${describeErrors(read.errors)}`, argv));
    return EXIT_CONFIG;
  }
  const interruption = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => interruption.abort(new Interrupted("interrupted")));
  }
  try {
    const asked = parseAdmin(argv);
    const alone = answerAlone(asked);
    // Standard output is for scripts: it has the answer and nothing else.
    const log = await createLogger({ level: "warn", sink: { write: (line) => void process.stderr.write(line) } });
    const answer = alone ?? (await bringCommand({ config: read.config, log, asked, signal: interruption.signal }));
    // The doctor's report is an answer even if it reports problems.
    (answer.ok || asked.command === "doctor" ? console.log : console.error)(answer.text);
    return answer.ok ? 0 : 1;
  } catch (cause) {
    console.error(refusedAlone(cause, argv));
    if (cause instanceof Interrupted) return EXIT_INTERRUPTED;
    return cause instanceof AdminRefused ? 1 : EXIT_UNAVAILABLE;
  }
}

async function bringCommand(errand: AdminErrand): Promise<AdminAnswer> {
  const { config, asked, signal } = errand;
  if (asked.command === "doctor") {
    const note = readService(config.dataDir);
    const answer = note === null ? null : await knock(note, asked).catch(() => null);
    if (answer !== null) return answer;
  }
  const local = LOCAL_COMMANDS[asked.command];
  if (local !== undefined) {
    try {
      return render(await local({ ...errand, given: asked.given }), asked.given);
    } catch (cause) {
      if (!(cause instanceof AdminRefused)) throw cause;
      return { ok: false, text: commandRefusal(cause.message, asked.given) };
    }
  }
  if (config.databaseUrl === undefined && !existsSync(join(config.dataDir, DATABASE_NOTE))) {
    throw new AdminRefused(
      `There is no database in ${config.dataDir} yet. Start the service first, or set DATA_DIR to its data folder.`,
    );
  }
  for (const until = performance.now() + WAIT_MS; ; await Bun.sleep(ADMIN_RETRY_MS)) {
    signal.throwIfAborted();
    try {
      return await here(errand, (parts) => runAdmin(parts, asked));
    } catch (cause) {
      if (!(cause instanceof FolderInUse)) throw cause;
      const note = readService(config.dataDir);
      const isHolder = note !== null && (cause.pid === null || cause.pid === note.pid);
      const answer = isHolder ? await knock(note, asked) : null;
      if (answer !== null) return answer;
      if (performance.now() > until)
        throw new AdminRefused(`${cause.message} It does not take commands now.`, { cause });
    }
  }
}

/** Owns the actors for one command. Unfinished jobs wait for the next start of the service. */
async function here(
  { config, log, signal }: AdminErrand,
  run: (parts: AdminParts) => Promise<AdminAnswer>,
): Promise<AdminAnswer> {
  const storage = await openStorage({ config, log, signal, onExit: () => {} });
  try {
    const address = appUrlOf(config, config.port);
    const { placement, join: joinOthers } = await prepareJoining({ storage, log, meters: null, address, signal });
    const own = { config, storage, clock: systemClock, log, placement };
    const actors = createActors({ ...own, peers: null, meters: null, tracing: null, onLost: () => {} });
    await joinOthers(actors.system);
    try {
      return await run(adminParts(actors, own, invokeLater(actors, own)));
    } finally {
      await actors.system.stop();
    }
  } finally {
    await storage.close();
  }
}

/** Runs operations without an app that is served. They are most of the program, so they are loaded with the first one. */
function invokeLater(
  actors: Actors,
  own: Pick<OverActors, "config"> & { readonly storage: Storage; readonly log: Logger },
): Invoke {
  return async (...call) => {
    const { assembleApp } = await import("../service/assembly.ts");
    const { idleResources } = await import("../service/resources.ts");
    const { app } = assembleApp(actors, { ...own, resources: idleResources(own), forwarding: null });
    return app.invoke(...call);
  };
}

process.exit(await runAdminCommand(process.argv.slice(2)));
