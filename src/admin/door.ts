/**
 * The administration's commands as the command line and the running service see them: what can be answered without a
 * database, and how one is brought to the service (`src/service/admin-door.ts`).
 */
import { request } from "node:http";
import { AdminRefused, unknownCommand } from "./arguments.ts";
import { ADMIN_USAGE, COMMAND_NAMES, isCommand, takesOption, usageOf } from "./command-table.ts";
import { commandRefusal, render } from "./command-answer.ts";
import type { AdminAnswer, AdminRequest } from "../service/admin-door.ts";
import { ADMIN_PATH, type ServiceNote } from "../service/service-note.ts";

/** Answers what needs no database: usage, and unknown commands. Null for all else. */
export function answerAlone({ command, given }: AdminRequest): AdminAnswer | null {
  const isHelp = given.flags.has("help");
  if (command === "")
    return isHelp ? render(ADMIN_USAGE, given) : { ok: false, text: commandRefusal(ADMIN_USAGE, given) };
  if (!isCommand(command)) return { ok: false, text: commandRefusal(unknownCommand(command, COMMAND_NAMES), given) };
  if (isHelp) return render(usageOf(command), given);
  const stray = [...Object.keys(given.options), ...given.flags].find((name) => !takesOption(command, name));
  return stray === undefined
    ? null
    : {
        ok: false,
        text: commandRefusal(`\`${command}\` takes no --${stray}; \`${command} --help\` lists its options`, given),
      };
}

/** The message of an error outside of a command, as JSON if the arguments ask for it. */
export function refusedAlone(cause: unknown, argv: readonly string[]): string {
  const words = cause instanceof Error ? cause.message : String(cause);
  return commandRefusal(words, { options: {}, flags: new Set(argv.includes("--json") ? ["json"] : []) });
}

/**
 * Sends a command to the service that the note names. Null if nothing can have happened: nobody listens there
 * (yet, or any more), or the service is draining.
 */
export async function knock(note: ServiceNote, { command, given }: AdminRequest): Promise<AdminAnswer | null> {
  const reply = await post(note, JSON.stringify({ command, options: given.options, flags: [...given.flags] }));
  if (reply === null || reply.status === 503) return null;
  if (reply.isJson) return JSON.parse(reply.text) as AdminAnswer;
  return { ok: false, text: `The running service refused the command (${reply.status})` };
}

interface Reply {
  readonly status: number;
  readonly isJson: boolean;
  readonly text: string;
}

/** Uses `node:http`, because `fetch` would send the key to the proxy of HTTP_PROXY. */
function post(note: ServiceNote, body: string): Promise<Reply | null> {
  const headers = {
    authorization: `Bearer ${note.key}`,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  };
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void => {
      if ("code" in cause && cause.code === "ECONNREFUSED") return resolve(null);
      reject(
        new AdminRefused(
          "The connection to the running service broke: whether the command was carried out is not known",
          { cause },
        ),
      );
    };
    const sent = request(`${note.address}${ADMIN_PATH}`, { method: "POST", headers }, (response) => {
      const { statusCode: status = 0, headers: answered } = response;
      let text = "";
      response
        .setEncoding("utf8")
        .on("data", (piece: string) => (text += piece))
        .on("error", fail);
      response.on("end", () =>
        resolve({ status, isJson: answered["content-type"]?.startsWith("application/json") === true, text }),
      );
    });
    sent.on("error", fail).end(body);
  });
}
