/**
 * How the administration command reaches a running service: one HTTP endpoint, usable only with read access to
 * the data folder. At each start the service writes its address and a fresh key into a file of mode 0600 there,
 * and removes the file when it stops; the command sends the key with its request. Without the key the endpoint
 * answers like any unknown path.
 */
import { randomBytes } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { isSameHash } from "../../actors/constant-time.ts";
import { type AdminArguments, AdminRefused, unknownCommand } from "./arguments.ts";
import { ADMIN_COMMANDS, ADMIN_USAGE } from "./commands.ts";
import { EXPLANATIONS } from "./explanations.ts";
import { LOCAL_NAMES } from "./local-names.ts";
import { refusal, render } from "./command-answer.ts";
import type { AdminParts } from "./subjects.ts";

export const ADMIN_PATH = "/internal/admin";
export const SERVICE_FILE = "service.json";
/** Command lines are short. */
const BODY_BYTES = 16 * 1024;
/** Shorter than the service's timeout for idle connections. */
const BEAT_MS = 10_000;

/** What the service publishes for the command. */
export interface ServiceNote {
  readonly address: string;
  readonly key: string;
  readonly pid: number;
}

export interface AdminAnswer {
  readonly ok: boolean;
  readonly text: string;
}

interface AdminRequest {
  readonly command: string;
  readonly given: AdminArguments;
}

export const newAdminKey = (): string => randomBytes(32).toString("base64url");

export const noteText = (note: ServiceNote): string => `${JSON.stringify(note)}\n`;

/** The note of the service that holds the data folder, or null if there is none (yet). */
export function readService(folder: string): ServiceNote | null {
  try {
    return JSON.parse(readFileSync(join(folder, SERVICE_FILE), "utf8")) as ServiceNote;
  } catch {
    return null;
  }
}

/** Removes the note of a service that has stopped. */
export function forgetService(folder: string): void {
  rmSync(join(folder, SERVICE_FILE), { force: true });
}

/** Answers what needs no database: usage, and unknown commands. Null for all else. */
export function answerAlone({ command, given }: AdminRequest): AdminAnswer | null {
  const isHelp = given.flags.has("help");
  if (command === "") return isHelp ? render(ADMIN_USAGE, given) : { ok: false, text: refusal(ADMIN_USAGE, given) };
  const commands = [...new Set([...Object.keys(ADMIN_COMMANDS), ...LOCAL_NAMES])];
  if (!commands.includes(command)) return { ok: false, text: refusal(unknownCommand(command, commands), given) };
  if (isHelp) return render(usageOf(command), given);
  const stray = strayOption(command, given);
  return stray === null
    ? null
    : {
        ok: false,
        text: refusal(`\`${command}\` takes no --${stray}; \`${command} --help\` lists its options`, given),
      };
}

/** An option that the command does not take: ignored, `jobs cancel --id` would cancel the jobs of all agents. */
function strayOption(command: string, { options, flags }: AdminArguments): string | null {
  const taken = new Set(
    usageOf(command)
      .split("\n", 1)[0]
      ?.match(/(?<=--)[a-z-]+/g),
  );
  return [...Object.keys(options), ...flags].find((name) => !taken.has(name)) ?? null;
}

/** The message of an error outside of a command, as JSON if the arguments ask for it. */
export function refusedAlone(cause: unknown, argv: readonly string[]): string {
  const words = cause instanceof Error ? cause.message : String(cause);
  return refusal(words, { options: {}, flags: new Set(argv.includes("--json") ? ["json"] : []) });
}

/** The syntax of one command, and its explanation. */
export function usageOf(command: string): string {
  const lines = ADMIN_USAGE.split("\n").map((line) => line.trim());
  const own = lines.find(
    (line) => line === command || line.startsWith(`${command} -`) || line.startsWith(`${command} [`),
  );
  return `Usage: bun run admin ${own ?? command} [--json]\n\n${EXPLANATIONS[command] ?? ""}`;
}

/** Runs one command; a refusal is an answer. */
export async function runAdmin(parts: AdminParts, request: AdminRequest): Promise<AdminAnswer> {
  const alone = answerAlone(request);
  if (alone !== null) return alone;
  try {
    const run = ADMIN_COMMANDS[request.command];
    if (run === undefined)
      throw new AdminRefused(`${request.command} is run by the command itself, not by the service`);
    return render(await run(parts, request.given), request.given);
  } catch (cause) {
    if (cause instanceof AdminRefused) return { ok: false, text: refusal(cause.message, request.given) };
    throw cause;
  }
}

/** Answers a request to the door; null if the path or the key is another one. */
export async function adminDoor(parts: AdminParts, key: string, request: Request): Promise<Response | null> {
  if (request.method !== "POST" || new URL(request.url).pathname !== ADMIN_PATH) return null;
  if (!isKey(request.headers.get("authorization"), key)) return null;
  const text = await request.text();
  if (text.length > BODY_BYTES) return refused(413, `A command has at most ${BODY_BYTES} characters`);
  const asked = requestIn(text);
  if (asked === null) return refused(400, "A command is a JSON object with command, options and flags");
  return patiently(runAdmin(parts, asked));
}

/**
 * The answer as a response. If it takes longer than `everyMs`, line feeds go first, which JSON ignores: they
 * keep the connection from looking dead.
 */
export async function patiently(answer: Promise<AdminAnswer>, everyMs = BEAT_MS): Promise<Response> {
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), everyMs);
  const early = await Promise.race([answer, late]).finally(() => clearTimeout(timer));
  if (early !== null) return Response.json(early);
  const encoder = new TextEncoder();
  let beat: Timer | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode("\n"));
      beat = setInterval(() => controller.enqueue(encoder.encode("\n")), everyMs);
      answer
        .then((found) => {
          controller.enqueue(encoder.encode(JSON.stringify(found)));
          controller.close();
        })
        // A bug: the connection breaks, as it would if the process died.
        .catch((cause: unknown) => controller.error(cause))
        .finally(() => clearInterval(beat));
    },
    cancel: () => clearInterval(beat),
  });
  return new Response(body, { headers: { "content-type": "application/json" } });
}

const refused = (status: number, text: string): Response =>
  Response.json({ ok: false, text } satisfies AdminAnswer, { status });

/** The command in a body; null if it holds none. */
function requestIn(text: string): AdminRequest | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null) return null;
  const { command, options, flags } = value as { command?: unknown; options?: unknown; flags?: unknown };
  if (typeof command !== "string" || typeof options !== "object" || options === null || !Array.isArray(flags))
    return null;
  if (![...Object.values(options), ...flags].every((item) => typeof item === "string")) return null;
  return { command, given: { options: options as Record<string, string>, flags: new Set(flags as string[]) } };
}

const isKey = (header: string | null, key: string): boolean => isSameHash(header ?? "", `Bearer ${key}`);

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
