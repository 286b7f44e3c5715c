/**
 * Everything that the service answers over HTTP, on one Elysia app. Requests that no route takes end
 * here: the path decides in which dialect they are refused.
 */
import type { Server } from "bun";
import { Elysia } from "elysia";
import type { ChatDirectory } from "../actors/chat/directory.ts";
import type { JobDirectory } from "../actors/job/directory.ts";
import type { ModelPort } from "../actors/job/ports.ts";
import type { Directory } from "../actors/organization/directory.ts";
import type { Clock } from "../actors/runtime/clock.ts";
import type { Sealing } from "../actors/sealing.ts";
import { SHUTTING_DOWN } from "../actors/runtime/shards.ts";
import type { TroupeSystem } from "../actors/troupe.ts";
import type { UsageDirectory } from "../actors/usage/directory.ts";
import { currentDialect } from "./current/dialect.ts";
import { currentRoutes } from "./current/index.ts";
import { Authentication } from "./http/authentication.ts";
import { Exchange, pathOf } from "./http/exchange.ts";
import { drainingHealth, healthRoutes } from "./http/health.ts";
import { KnownPaths } from "./http/known-paths.ts";
import type { HttpLog } from "./http/log.ts";
import { OpenStreams } from "./http/open-streams.ts";
import { plainDialect } from "./http/plain-dialect.ts";
import { BAD_HOST, hasOneHost, Surface } from "./http/surface.ts";
import { library } from "./library.ts";
import { pageRoutes } from "./public/pages.ts";
import { AgentFinder } from "./http/agent-finder.ts";
import { v1Dialect } from "./v1/dialect.ts";
import { v1Routes } from "./v1/index.ts";

/** Bodies over this are cut off by the server itself; what is below is refused in the words of its surface. */
const SERVER_BODY_BYTES = 64 * 1024 * 1024;
/** A connection on which nothing moves for this long is closed; streams ask for more. */
const IDLE_SECONDS = 30;
/** Requests that are under way when the service stops may take this long. */
const STOP_MS = 5_000;
/** Between two looks whether they have ended. */
const STOP_POLL_MS = 5;

export interface AppParts {
  readonly system: TroupeSystem;
  readonly directory: Directory;
  readonly chats: ChatDirectory;
  readonly jobs: JobDirectory;
  readonly usage: UsageDirectory;
  /** Encryption and keys under the key of the service. */
  readonly sealing: Sealing;
  readonly models: Pick<ModelPort, "describe" | "allowed">;
  readonly log: HttpLog;
  readonly clock: Clock;
  /** Rejects when the database does not answer. */
  readonly pingDatabase: () => Promise<void>;
  /** Where clients reach the service that listens on this port, without a slash at the end. */
  readonly appUrl?: (port: number) => string;
  /** A door that is no API; asked for requests that nothing else takes. Null: not for it. */
  readonly internal?: (request: Request) => Promise<Response | null>;
}

export interface App {
  /** Opens the port and answers which. Throws when it cannot be opened. */
  listen(at: { readonly hostname: string; readonly port: number }): number;
  /** Ends the streams, lets the requests under way finish, turns new ones away (503), closes the port. */
  stop(): Promise<void>;
  /** What is open for long. */
  readonly streams: OpenStreams;
}

export function createApp(parts: AppParts): App {
  const streams = new OpenStreams();
  let port = 0;
  const { routes, turnAway } = mount(parts, streams, () => parts.appUrl?.(port) ?? "");
  let server: Server<unknown> | null = null;
  return {
    streams,
    listen(at) {
      server = routes.listen({ ...at }).server;
      port = server?.port ?? at.port;
      return port;
    },
    async stop() {
      // The port stays open while requests are under way, so that whoever asks is told.
      server?.reload({ routes: {}, fetch: turnAway });
      streams.closeAll();
      if (server === null) return;
      let isLate = false;
      const cancel = parts.clock.after(STOP_MS, () => {
        isLate = true;
        void server?.stop(true);
      });
      while (server.pendingRequests > 0 && !isLate) await Bun.sleep(STOP_POLL_MS);
      await server.stop(isLate);
      cancel();
    },
  };
}

function mount(parts: AppParts, streams: OpenStreams, appUrl: () => string) {
  const { system, directory, log } = parts;
  const surfaceParts = { system, authentication: new Authentication({ system, directory, log }), log };
  const v1 = new Surface(v1Dialect, surfaceParts);
  const current = new Surface(currentDialect(appUrl), surfaceParts);
  const elsewhere = new Surface(plainDialect, surfaceParts);
  const surfaceOf = (path: string): Surface => {
    if (isUnder(path, "/api/v1")) return v1;
    return isUnder(path, "/api") ? current : elsewhere;
  };
  // Without `development: false` an escaped exception would be shown with its stack. Without
  // `reusePort: false` two services could share a port without noticing.
  const serve = {
    idleTimeout: IDLE_SECONDS,
    maxRequestBodySize: SERVER_BODY_BYTES,
    development: false,
    reusePort: false,
  };
  const shared = { ...parts, streams, agents: new AgentFinder({ system, directory, log }) };
  const app = new Elysia({ name: "troupe", normalize: false, serve })
    .onError(({ code, error, request }) => {
      const path = pathOf(request.url);
      const surface = surfaceOf(path);
      if (code !== "NOT_FOUND") return surface.fail(request, error);
      if (!hasOneHost(request)) return surface.refuse(request, BAD_HOST);
      return unrouted(surface, request, { methods: known.methodsOf(path), internal: parts.internal, log });
    })
    .use(healthRoutes(parts))
    .use(pageRoutes())
    .use(currentRoutes(current, { ...shared, library }))
    .use(v1Routes(v1, shared));
  const known = new KnownPaths(app.routes);
  const turnAway = (request: Request): Response =>
    drainingHealth(request, pathOf(request.url)) ?? surfaceOf(pathOf(request.url)).refuse(request, SHUTTING_DOWN);
  return { routes: app, turnAway };
}

const isUnder = (path: string, root: string): boolean => path === root || path.startsWith(`${root}/`);

/** A request that no route took: its path is unknown, or known with other methods, or the internal door's. */
async function unrouted(
  surface: Surface,
  request: Request,
  {
    methods,
    internal,
    log,
  }: { readonly methods: readonly string[]; readonly internal: AppParts["internal"]; readonly log: HttpLog },
): Promise<Response> {
  if (methods.length > 0 && !methods.includes(request.method)) {
    const allow = [...methods, "OPTIONS"];
    if (request.method === "OPTIONS") return surface.options(request, allow);
    return surface.refuse(request, { kind: "method_not_allowed", allow });
  }
  try {
    const exchange = new Exchange(request);
    const answer = (await internal?.(request)) ?? null;
    if (answer === null) return surface.refuse(request, { kind: "not_found", noun: "route" });
    exchange.log(log, answer.status);
    return answer;
  } catch (cause) {
    return surface.fail(request, cause);
  }
}
