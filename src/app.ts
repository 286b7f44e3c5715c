/**
 * Everything that the service answers over HTTP, on one Elysia app. Requests that no route takes end
 * here: the path decides in which dialect they are refused.
 */
import type { Server } from "bun";
import { Elysia } from "elysia";
import type { ChatDirectory } from "../actors/chat/directory.ts";
import type { JobDirectory } from "../actors/job/directory.ts";
import type { JobLimits } from "../actors/job/limits.ts";
import type { ModelPort } from "../actors/job/ports.ts";
import type { Directory } from "../actors/organization/directory.ts";
import type { Clock } from "../actors/runtime/clock.ts";
import type { Sealing } from "../actors/sealing.ts";
import { RATE_BUDGET } from "../actors/traffic/policy.ts";
import { SHUTTING_DOWN } from "../actors/runtime/shards.ts";
import type { TroupeSystem } from "../actors/troupe.ts";
import type { UsageDirectory } from "../actors/usage/directory.ts";
import type { Build } from "./build.ts";
import { OPERATIONS } from "./contract/document.ts";
import type { WebhookDirectory } from "../actors/webhook/directory.ts";
import { currentDialect } from "./current/dialect.ts";
import { ERROR_CODES } from "./current/error-codes.ts";
import { currentRoutes } from "./current/index.ts";
import { API_VERSION, knownVersion } from "./http/api-version.ts";
import type { WebhookTools } from "./current/messaging-integration/tools.ts";
import { Authentication } from "./http/authentication.ts";
import { ClientAddresses } from "./http/client-address.ts";
import type { Dialect } from "./http/dialect.ts";
import { pathOf } from "./http/exchange.ts";
import { drainingHealth, healthRoutes } from "./http/health.ts";
import { KnownPaths } from "./http/known-paths.ts";
import { addNativeRoutes, type NativeRoutes } from "./http/native-routes.ts";
import type { HttpLog } from "./http/log.ts";
import { OpenStreams } from "./http/open-streams.ts";
import { RateHeaders } from "./http/rate-headers.ts";
import { RateLimits } from "./http/rate-limits.ts";
import { plainDialect } from "./http/plain-dialect.ts";
import { type Asked, BAD_HOST, hasOneHost, Surface, type SurfaceParts } from "./http/surface.ts";
import { watchTokens } from "./http/token-watch.ts";
import { Turnstile } from "./http/turnstile.ts";
import { library } from "./library.ts";
import { publicRoutes } from "./public/index.ts";
import { publicOperations } from "./public/operations.ts";
import type { PublicParts } from "./public/parts.ts";
import { pageRoutes } from "./public/pages.ts";
import { AgentFinder } from "./http/agent-finder.ts";
import { v1Dialect } from "./v1/dialect.ts";
import { v1Routes } from "./v1/index.ts";
import { VERSION } from "./version.ts";

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
  readonly webhooks: WebhookDirectory;
  readonly webhookTools: WebhookTools;
  /** Encryption and keys under the key of the service. */
  readonly sealing: Sealing;
  readonly models: Pick<ModelPort, "describe" | "allowed">;
  /** What one job may take unless its budget says otherwise. */
  readonly jobLimits: JobLimits;
  readonly log: HttpLog;
  readonly clock: Clock;
  /** Rejects when the database does not answer. */
  readonly pingDatabase: () => Promise<void>;
  /** Where clients reach the service that listens on this port, without a slash at the end. */
  readonly appUrl?: (port: number) => string;
  /** Which code this is, where that is known. */
  readonly build?: Build;
  /** What of the rate limits is not as usual. */
  readonly rates?: RateSettings;
  /** Streams and waiting requests that are open at once (SSE-14); no bound unless given. */
  readonly maxStreams?: number;
  /** A door that is no API; asked for requests that nothing else takes. Null: not for it. */
  readonly internal?: (request: Request) => Promise<Response | null>;
}

export interface RateSettings {
  /** Proxies whose `X-Forwarded-For` counts: addresses and CIDR ranges. */
  readonly trustedProxies?: readonly string[];
  /** Requests in a window, by organization; `*` is any other. */
  readonly budgets?: ReadonlyMap<string, number>;
  /** Whether v1 is limited as the current surface is. */
  readonly countsV1?: boolean;
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
  const streams = new OpenStreams(parts.clock, parts.maxStreams);
  let port = 0;
  const endWatch = watchTokens({ ...parts, streams });
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
      endWatch();
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
  const { v1, current, elsewhere } = surfacesOf(parts, appUrl);
  const surfaceOf = (path: string): Surface => {
    if (isUnder(path, "/api/v1")) return v1;
    return isUnder(path, "/api") || DOCUMENTS.includes(path) ? current : elsewhere;
  };
  // Without `development: false` an escaped exception would be shown with its stack. Without
  // `reusePort: false` two services could share a port without noticing.
  const native: NativeRoutes = {};
  const serve = {
    routes: native,
    idleTimeout: IDLE_SECONDS,
    maxRequestBodySize: SERVER_BODY_BYTES,
    development: false,
    reusePort: false,
  };
  const shared = { ...parts, streams, agents: new AgentFinder({ system, directory, log }) };
  const app = new Elysia({ name: "troupe", normalize: false, serve })
    .onError(({ code, error, request, server }) => {
      const path = pathOf(request.url);
      const surface = surfaceOf(path);
      if (code !== "NOT_FOUND") return surface.fail(request, error);
      const asked = { request, server };
      if (!hasOneHost(request)) return surface.refuse(asked, BAD_HOST);
      return unrouted(surface, asked, { methods: known.methodsOf(path), internal: parts.internal });
    })
    .use(healthRoutes(parts))
    .use(pageRoutes())
    .use(
      publicRoutes(
        current,
        documented(parts, appUrl, (path) => known.methodsOf(path).length > 0),
      ),
    )
    .use(currentRoutes(current, { ...shared, library, appUrl }))
    .use(v1Routes(v1, shared));
  addNativeRoutes(native, app.routes);
  const known = new KnownPaths(app.routes);
  const turnAway = (request: Request): Response =>
    drainingHealth(request, pathOf(request.url)) ?? surfaceOf(pathOf(request.url)).turnAway(request, SHUTTING_DOWN);
  return { routes: app, turnAway };
}

/** Documents of the current surface that are not under its path. */
const DOCUMENTS = Object.values(publicOperations.operations)
  .map(({ path }): string => path)
  .filter((path) => !isUnder(path, "/api"));

/** What the public documents tell of. */
const documented = (
  { models, build, rates }: AppParts,
  appUrl: () => string,
  hasPath: (path: string) => boolean,
): PublicParts => ({
  version: VERSION,
  build: build ?? { commit: null, builtAt: null },
  models,
  appUrl,
  budget: rates?.budgets?.get("*") ?? RATE_BUDGET,
  countsV1: rates?.countsV1 ?? false,
  errorCodes: ERROR_CODES,
  operations: Object.fromEntries(OPERATIONS.map(({ id, operation }) => [id, operation])),
  hasPath,
});

interface Surfaces {
  readonly v1: Surface;
  readonly current: Surface;
  /** Pages and unknown paths. */
  readonly elsewhere: Surface;
}

function surfacesOf({ system, directory, sealing, log, clock, rates }: AppParts, appUrl: () => string): Surfaces {
  const addresses = new ClientAddresses(rates?.trustedProxies ?? []);
  const limits = new RateLimits({ system, clock, addresses, budgets: rates?.budgets ?? new Map() });
  const authentication = new Authentication({ system, directory, limits, log });
  const surface = (dialect: Dialect, isCounting: boolean, versions: Partial<SurfaceParts> = {}): Surface =>
    new Surface(dialect, {
      system,
      sealing,
      log,
      clock,
      rateHeaders: new RateHeaders(clock),
      turnstile: new Turnstile({ authentication, limits, isCounting }),
      ...versions,
    });
  const byDate = { rateHeaders: new RateHeaders(clock, { "api-version": API_VERSION }), version: knownVersion };
  return {
    v1: surface(v1Dialect, rates?.countsV1 ?? false),
    current: surface(currentDialect(appUrl), true, byDate),
    elsewhere: surface(plainDialect, false),
  };
}

function isUnder(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}

/** A request that no route took: its path is unknown, or known with other methods, or the internal door's. */
async function unrouted(
  surface: Surface,
  asked: Asked,
  { methods, internal }: { readonly methods: readonly string[]; readonly internal: AppParts["internal"] },
): Promise<Response> {
  const { request } = asked;
  if (methods.length > 0 && !methods.includes(request.method)) {
    const allow = [...methods, "OPTIONS"];
    if (request.method === "OPTIONS") return surface.options(asked, allow);
    return surface.refuse(asked, { kind: "method_not_allowed", allow });
  }
  try {
    const answer = internal === undefined ? null : await surface.by(internal, request);
    return answer ?? (await surface.refuse(asked, { kind: "not_found", noun: "route" }));
  } catch (cause) {
    return surface.fail(request, cause);
  }
}
