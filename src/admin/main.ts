/**
 * `bun run admin …`: brings a command to the process that owns the actors. That is the running service, found
 * through its note in the data folder; without one, this process owns the actors for the duration of the
 * command. While the service starts or stops, or another command holds the data folder, it waits a moment.
 */
import { FolderInUse, refuseInUse } from "../../db/folder-lock.ts";
import { describeErrors, readConfig } from "../settings/config.ts";
import { EXIT_CONFIG, EXIT_UNAVAILABLE } from "../service/process-end.ts";
import { createLogger } from "../log/log.ts";
import type { AdminAnswer } from "../service/admin-door.ts";
import { Interrupted } from "../service/undo.ts";
import { readService } from "../service/service-note.ts";
import { commandRefusal, render } from "./command-answer.ts";
import { AdminRefused, parseAdmin } from "./arguments.ts";
import { isLocal, isOfService } from "./command-table.ts";
import type { AdminErrand } from "./own-actors.ts";
import { answerAlone, knock, refusedAlone } from "./door.ts";
import { ADMIN_RETRY_MS, refuseWithoutDatabase, WAIT_MS } from "./local-database.ts";

/** A shell's exit code after Ctrl-C. */
const EXIT_INTERRUPTED = 130;

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
    // A report is an answer even if it reports problems.
    (answer.ok || isOfService(asked.command) ? console.log : console.error)(answer.text);
    return answer.ok ? 0 : 1;
  } catch (cause) {
    console.error(refusedAlone(cause, argv));
    if (cause instanceof Interrupted) return EXIT_INTERRUPTED;
    return cause instanceof AdminRefused ? 1 : EXIT_UNAVAILABLE;
  }
}

async function bringCommand(errand: AdminErrand): Promise<AdminAnswer> {
  const { config, asked, signal } = errand;
  if (isOfService(asked.command)) {
    const note = readService(config.dataDir);
    const answer = note === null ? null : await knock(note, asked).catch(() => null);
    if (answer !== null) return answer;
  }
  if (isLocal(asked.command)) {
    const { LOCAL_COMMANDS } = await import("./local.ts");
    try {
      return render(await LOCAL_COMMANDS[asked.command]!({ ...errand, given: asked.given }), asked.given);
    } catch (cause) {
      if (!(cause instanceof AdminRefused)) throw cause;
      return { ok: false, text: commandRefusal(cause.message, asked.given) };
    }
  }
  refuseWithoutDatabase(config);
  for (const until = performance.now() + WAIT_MS; ; await Bun.sleep(ADMIN_RETRY_MS)) {
    signal.throwIfAborted();
    try {
      refuseInUse(config.dataDir);
      // Only now: beside a running service nothing of it is needed.
      const { runHere } = await import("./own-actors.ts");
      return await runHere(errand);
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

process.exit(await runAdminCommand(process.argv.slice(2)));
