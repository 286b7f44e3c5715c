/** The administration's door of a running service, without a process for each command. */
import { AdminRefused, parseAdmin } from "../../src/admin/arguments.ts";
import { answerAlone, knock, refusedAlone } from "../../src/admin/door.ts";
import type { AdminAnswer } from "../../src/service/admin-door.ts";
import { readService } from "../../src/service/service-note.ts";

/** Brings a command to the service of this data folder, as `bun run admin` does where it needs nothing of its own process. */
export async function bring(dataDir: string, argv: readonly string[]): Promise<AdminAnswer> {
  try {
    const asked = parseAdmin(argv);
    return answerAlone(asked) ?? (await knock(readService(dataDir)!, asked))!;
  } catch (cause) {
    if (!(cause instanceof AdminRefused)) throw cause;
    return { ok: false, text: refusedAlone(cause, argv) };
  }
}
