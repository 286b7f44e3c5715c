/**
 * How the administration command reaches a running service: one HTTP endpoint, usable only with read access to
 * the data folder. At each start the service writes its address and a fresh key into a file of mode 0600 there
 * (`service-note.ts`), and removes the file when it stops; the command sends the key with its request. Without the key
 * the endpoint answers like any unknown path. The commands themselves are in `src/admin/`, which this folder does not
 * know: `main.ts` gives the service what runs them.
 */
import { isSameHash, type Sealing } from "../../actors/sealing.ts";
import type { JobDirectory } from "../../actors/job/directory.ts";
import type { Directory } from "../../actors/organization/directory.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import type { QuotaReports } from "../../actors/usage/quota.ts";
import { PostgresErasure } from "../../db/erasure.ts";
import { PostgresKeyRotation } from "../../db/key-rotation.ts";
import type { Bodies } from "../http/body/bodies.ts";
import type { Invoke } from "../http/request/operations.ts";
import { appUrlOf } from "../settings/config.ts";
import type { Config } from "../settings/settings.ts";
import type { Actors } from "./actors.ts";
import type { ServiceApp } from "./app.ts";
import { ADMIN_PATH } from "./service-note.ts";
import type { Storage } from "./storage.ts";

/** Command lines are short. */
const BODY_BYTES = 16 * 1024;
/** Shorter than the service's timeout for idle connections. */
const BEAT_MS = 10_000;

export interface AdminArguments {
  readonly options: Readonly<Record<string, string>>;
  readonly flags: ReadonlySet<string>;
}

export interface AdminRequest {
  readonly command: string;
  readonly given: AdminArguments;
}

export interface AdminAnswer {
  readonly ok: boolean;
  readonly text: string;
}

/** Runs one command; a refusal is an answer. */
export type RunCommand = (parts: AdminParts, request: AdminRequest) => Promise<AdminAnswer>;

/** What commands work on. */
export interface AdminParts {
  /** The settings of the process that owns the actors. */
  readonly config: Config;
  readonly databaseUrl: string;
  readonly system: TroupeSystem;
  readonly directory: Directory;
  readonly jobs: JobDirectory;
  readonly quotas: QuotaReports;
  readonly erasure: PostgresErasure;
  readonly keyRotation: PostgresKeyRotation;
  readonly sealing: Sealing;
  /** Where content is stored. */
  readonly contents: { removeAll(organizationId: string): Promise<void> };
  readonly now: () => number;
  /** Runs an operation: changes that people can make too are checked, recorded and sent to webhooks as theirs. */
  readonly invoke: Invoke;
  /** Where users reach the service. */
  readonly appUrl: () => string;
  /** What is open in the service now. */
  readonly opened: () => {
    readonly bodies: Bodies["usage"];
    readonly streams: number;
    /** Requests that wait for their turn. */
    readonly waiting: number;
  };
  /** A token was revoked: closes its open connections. */
  readonly onRevoked: (tokenId: string) => void;
  /** An organization was suspended or resumed: closes the open connections of its tokens. */
  readonly onSuspended: (organizationId: string, isSuspended: boolean) => void;
}

/** `app`: if this process has only the actors, for one command, what runs an operation. */
export function adminParts(
  actors: Actors,
  { config, storage }: { readonly config: Config; readonly storage: Pick<Storage, "url" | "database"> },
  invoke: Invoke,
  app: Pick<ServiceApp, "port" | "streams" | "bodies" | "turns"> | null = null,
): AdminParts {
  return {
    ...actors,
    config,
    databaseUrl: storage.url,
    erasure: new PostgresErasure(storage.database),
    keyRotation: new PostgresKeyRotation(storage.database),
    now: () => actors.clock.now(),
    invoke,
    appUrl: () => appUrlOf(config, app?.port ?? config.port),
    opened: () => ({
      bodies: app?.bodies.usage ?? { count: 0, bytes: 0 },
      streams: app?.streams.count ?? 0,
      waiting: app?.turns.waiting ?? 0,
    }),
    onRevoked: (tokenId) => app?.streams.closeOf(tokenId),
    onSuspended: (organizationId, isSuspended) => app?.streams.suspend(organizationId, isSuspended),
  };
}

/** Answers a request to the door; null if its path or its key is wrong. */
export async function adminDoor(
  request: Request,
  { key, run }: { readonly key: string; readonly run: (asked: AdminRequest) => Promise<AdminAnswer> },
): Promise<Response | null> {
  if (request.method !== "POST" || new URL(request.url).pathname !== ADMIN_PATH) return null;
  if (!isKey(request.headers.get("authorization"), key)) return null;
  const text = await request.text();
  if (text.length > BODY_BYTES) return refuseCommand(413, `A command has at most ${BODY_BYTES} characters`);
  const asked = requestIn(text);
  if (asked === null) return refuseCommand(400, "A command is a JSON object with command, options and flags");
  return patiently(run(asked));
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

const refuseCommand = (status: number, text: string): Response =>
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
