/**
 * The door for the administration command to a running service: one HTTP endpoint that only who can
 * read the data folder can use. At each start the service writes its address and a fresh key into a
 * file of mode 0600 there; the command sends the key with its request.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { ADMIN_COMMANDS, ADMIN_USAGE, type AdminParts } from "./commands.ts";
import { type AdminArguments, AdminRefused } from "./arguments.ts";

export const ADMIN_PATH = "/internal/admin";
export const SERVICE_FILE = "service.json";
/** A command line is short. */
const BODY_BYTES = 16 * 1024;

/** What the service tells the command about itself. */
export interface ServiceNote {
  readonly address: string;
  readonly key: string;
  readonly pid: number;
}

export interface AdminAnswer {
  readonly ok: boolean;
  readonly text: string;
}

export const newAdminKey = (): string => randomBytes(32).toString("base64url");

/** Runs one command; refusals are answers. */
export async function runAdmin(parts: AdminParts, command: string, given: AdminArguments): Promise<AdminAnswer> {
  const run = ADMIN_COMMANDS[command];
  if (given.flags.has("help")) return { ok: true, text: ADMIN_USAGE };
  if (run === undefined) return { ok: false, text: command === "" ? ADMIN_USAGE : `Unknown command "${command}".\n\n${ADMIN_USAGE}` };
  try {
    return { ok: true, text: await run(parts, given) };
  } catch (cause) {
    if (cause instanceof AdminRefused) return { ok: false, text: cause.message };
    throw cause;
  }
}

/** Answers a request to the door, or null where it is not for it or has not the key. */
export async function adminDoor(parts: AdminParts, key: string, request: Request): Promise<Response | null> {
  if (request.method !== "POST" || new URL(request.url).pathname !== ADMIN_PATH) return null;
  if (!isKey(request.headers.get("authorization"), key)) return null;
  const text = await request.text();
  if (text.length > BODY_BYTES) return null;
  const { command, options, flags } = JSON.parse(text) as { command: string; options: Record<string, string>; flags: string[] };
  return Response.json(await runAdmin(parts, command, { options, flags: new Set(flags) }));
}

function isKey(header: string | null, key: string): boolean {
  const given = Buffer.from(header ?? "");
  const expected = Buffer.from(`Bearer ${key}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Sends a command through the door of the service that the note names. */
export async function knock(note: ServiceNote, command: string, given: AdminArguments): Promise<AdminAnswer> {
  const response = await fetch(`${note.address}${ADMIN_PATH}`, {
    method: "POST",
    headers: { authorization: `Bearer ${note.key}`, "content-type": "application/json" },
    body: JSON.stringify({ command, options: given.options, flags: [...given.flags] }),
    redirect: "error",
  });
  if (!response.ok) return { ok: false, text: `The running service refused the command (${response.status})` };
  return (await response.json()) as AdminAnswer;
}
