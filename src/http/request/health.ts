/** Liveness (`/healthz`) and readiness (`/readyz`), for probes: no token, no log line. */
import { Elysia } from "elysia";
import type { HttpLog } from "../../log/port.ts";
import { requestIdOf } from "./caller.ts";

/** Time limit of a probe, whatever the database does. */
const PING_MS = 2_000;

export interface HealthParts {
  /** Whether this replica holds its lease and serves. */
  readonly system: { readonly isReady: boolean };
  /** Rejects if the database does not answer. Its schema was migrated before the port opened. */
  readonly pingDatabase: () => Promise<void>;
  readonly log: HttpLog;
}

export function healthRoutes(parts: HealthParts) {
  return new Elysia({ name: "health" })
    .get("/healthz", ({ request }) => healthAnswer(request, 200, { status: "ok" }))
    .get("/readyz", ({ request }) => ready(request, parts));
}

/** The answers to probes while the service drains: alive, but not ready. Null for any other path. */
export function drainingHealth(request: Request, path: string): Response | null {
  if (path === "/healthz") return healthAnswer(request, 200, { status: "ok" });
  return path === "/readyz" ? healthAnswer(request, 503, { status: "draining" }) : null;
}

async function ready(request: Request, { system, pingDatabase, log }: HealthParts): Promise<Response> {
  const hasDatabase = await soon(pingDatabase()).then(
    () => true,
    (err: unknown) => {
      log.warn({ err }, "not ready: the database does not answer");
      return false;
    },
  );
  const checks = { database: stateWord(hasDatabase), lease: stateWord(system.isReady) };
  const isReady = hasDatabase && system.isReady;
  return healthAnswer(request, isReady ? 200 : 503, { status: isReady ? "ok" : "unavailable", checks });
}

/** A silent database counts as unreachable too. */
async function soon(ping: Promise<void>): Promise<void> {
  let timer: Timer | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${PING_MS} ms`)), PING_MS);
  });
  await Promise.race([ping, limit]).finally(() => clearTimeout(timer));
}

const stateWord = (holds: boolean): "ok" | "failed" => (holds ? "ok" : "failed");

const healthAnswer = (request: Request, status: number, body: object): Response =>
  Response.json(body, { status, headers: { "cache-control": "no-store", "x-request-id": requestIdOf(request) } });
