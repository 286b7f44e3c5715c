/** Whether the process lives (`/healthz`), and whether it can serve (`/readyz`). For probes: no token, no log line. */
import { Elysia } from "elysia";
import type { HttpLog } from "./log.ts";
import { requestIdOf } from "./request-id.ts";

export interface HealthParts {
  /** Whether this replica holds its lease and serves. */
  readonly system: { readonly isReady: boolean };
  /** Rejects when the database does not answer. Its schema was brought up to date before the port opened. */
  readonly pingDatabase: () => Promise<void>;
  readonly log: HttpLog;
}

export function healthRoutes(parts: HealthParts) {
  return new Elysia({ name: "health" })
    .get("/healthz", ({ request }) => answer(request, 200, { status: "ok" }))
    .get("/readyz", ({ request }) => ready(request, parts));
}

async function ready(request: Request, { system, pingDatabase, log }: HealthParts): Promise<Response> {
  const hasDatabase = await pingDatabase().then(
    () => true,
    (err: unknown) => {
      log.warn({ err }, "not ready: the database does not answer");
      return false;
    },
  );
  const checks = { database: word(hasDatabase), lease: word(system.isReady) };
  const isReady = hasDatabase && system.isReady;
  return answer(request, isReady ? 200 : 503, { status: isReady ? "ok" : "unavailable", checks });
}

const word = (holds: boolean): "ok" | "failed" => (holds ? "ok" : "failed");

const answer = (request: Request, status: number, body: object): Response =>
  Response.json(body, { status, headers: { "cache-control": "no-store", "x-request-id": requestIdOf(request) } });
