/**
 * Everything that the service serves over HTTP, on one Elysia app. Requests without a route end here: the path decides
 * in which dialect they are refused.
 */
import type { McpCatalogue } from "../operations/mcp-catalogue.ts";
import type { Server } from "bun";
import { Elysia } from "elysia";
import type { ChatDirectory } from "../../actors/chat/directory.ts";
import type { JobDirectory } from "../../actors/job/directory.ts";
import type { JobLimits } from "../../actors/job/limits.ts";
import type { ModelPort } from "../../actors/job/ports.ts";
import type { MissionDirectory } from "../../actors/mission/directory.ts";
import type { Directory } from "../../actors/organization/directory.ts";
import { AT_ONCE, type Bulk } from "../../actors/runtime/bulk-work.ts";
import type { MaybePromise } from "../../actors/maybe-promise.ts";
import type { Clock } from "../../actors/runtime/clock.ts";
import type { Tracing } from "../../actors/runtime/tracing.ts";
import type { Sealing } from "../../actors/sealing.ts";
import type { Outcome } from "../../actors/fault.ts";
import { RATE_BUDGET } from "../../actors/traffic/policy.ts";
import { SHUTTING_DOWN } from "../../actors/runtime/shards.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import type { QuotaReports } from "../../actors/usage/quota.ts";
import type { UsageDirectory } from "../../actors/usage/directory.ts";
import type { DataQueries } from "../../actors/workspace/data-queries.ts";
import type { UploadDirectory } from "../../actors/upload/directory.ts";
import type { FileDirectory } from "../../actors/workspace/directory.ts";
import type { WorkspaceLimits } from "../../actors/workspace/limits.ts";
import type { FileContents } from "../../actors/workspace/ports.ts";
import type { Previews } from "../../actors/workspace/previews.ts";
import type { Build } from "../settings/build.ts";
import type { Egress } from "../egress/egress.ts";
import { OPERATIONS } from "../contract/document.ts";
import { fieldDescription } from "../contract/field-descriptions.ts";
import type { WebhookDirectory } from "../../actors/webhook/directory.ts";
import { ERROR_CODES } from "../current/error-codes.ts";
import { currentRoutes } from "../current/index.ts";
import { MCP_RESOURCE } from "../http/contract/oauth-paths.ts";
import type { ArgumentChecks } from "../operations/argument-checks.ts";
import type { ToolInfo } from "../operations/tool-catalogue.ts";
import type { ToolImports } from "../operations/tool-imports.ts";
import type { WebhookTools } from "../operations/webhook-tools.ts";
import { REQUESTS_STOP_MS } from "./drain-limits.ts";
import { toolCatalogue } from "../wiring/tool-catalogue.ts";
import { Bodies } from "../http/body/bodies.ts";
import { BodyPace } from "../http/body/body-pace.ts";
import { pathOf } from "../http/request/exchange.ts";
import { drainingHealth, healthRoutes } from "../http/request/health.ts";
import type { Forwarding } from "../http/request/forwarding.ts";
import { FairTurns } from "../http/admission/fair-turns.ts";
import type { HttpLog } from "../log/port.ts";
import type { RequestMeter } from "../http/request/request-meter.ts";
import { OpenStreams } from "../http/stream/open-streams.ts";
import { pathPrefixOf } from "../http/request/path-prefix.ts";
import { BAD_PATH, hostFault, isAsSent, withoutSlash } from "../http/request/request-target.ts";
import { watchTokens } from "../http/stream/token-watch.ts";
import { calendar } from "../schedule/calendar.ts";
import { Accounts } from "../sign-in/accounts.ts";
import type { Passwords } from "../sign-in/passwords.ts";
import { oauthRoutes } from "../sign-in/oauth/routes.ts";
import type { OpenIdProvider } from "../sign-in/openid/provider.ts";
import { signInRoutes } from "../sign-in/routes.ts";
import { library } from "../wiring/library.ts";
import { mcpRoutes } from "../mcp/index.ts";
import { publicRoutes } from "../public/index.ts";
import { pageRoutes } from "../public/pages.ts";
import { hostOf, servedApp } from "./served-app.ts";
import type { Surface } from "../http/request/surface.ts";
import { surfacesOf } from "./surfaces.ts";
import { unrouted } from "./unrouted.ts";
import { AppPlaces } from "../operations/app-places.ts";
import type { Services } from "../operations/services.ts";
import type { Caller } from "../http/request/caller.ts";
import type { LocalInput } from "../http/input/local-input.ts";
import { AgentFinder } from "../work/agent-finder.ts";
import { v1Routes } from "../v1/index.ts";
import { urlContents } from "../wiring/url-contents.ts";
import { VERSION } from "../settings/version.ts";

/**
 * The server itself cuts off bodies that exceed the file limit by more than this; the surface refuses smaller ones in
 * its own dialect.
 */
const SPARE_BODY_BYTES = 64 * 1024 * 1024;
/** A connection that is idle for this long is closed; streams extend the limit. */
const IDLE_SECONDS = 30;
/** Between two checks for requests in flight. */
const STOP_POLL_MS = 5;

export interface AppParts {
  readonly system: TroupeSystem;
  readonly directory: Directory;
  readonly chats: ChatDirectory;
  readonly jobs: JobDirectory;
  readonly missions: MissionDirectory;
  readonly files: FileDirectory;
  readonly uploads: UploadDirectory;
  /** The content of files. */
  readonly contents: FileContents;
  readonly queries: DataQueries;
  readonly previews: Previews;
  readonly argumentChecks: ArgumentChecks;
  readonly toolImports: ToolImports;
  readonly mcpCatalogue: McpCatalogue;
  readonly workspaceLimits: WorkspaceLimits;
  /** Where apps are served. Omitted: at the service itself. */
  readonly appsUrl?: string;
  /** The git that clones repositories; null if none is installed. */
  readonly git: { readonly version: string } | null;
  readonly usage: UsageDirectory;
  readonly quotas: QuotaReports;
  readonly webhooks: WebhookDirectory;
  readonly webhookTools: WebhookTools;
  /** Fetches the metadata documents of OAuth clients. */
  readonly egress: Pick<Egress, "request" | "open">;
  readonly passwords: Passwords;
  /** An OpenID provider by which people can also sign in, or null. */
  readonly provider: OpenIdProvider | null;
  /** Encryption and keys under the key of the service. */
  readonly sealing: Sealing;
  readonly models: Pick<ModelPort, "describe" | "inputOf" | "allowed" | "currency" | "hasPrice">;
  /** Tools that agents can be given. Omitted: the service's own. */
  readonly tools?: readonly ToolInfo[];
  /** The limits of one job, unless its budget sets others. */
  readonly jobLimits: JobLimits;
  readonly log: HttpLog;
  readonly meter?: RequestMeter;
  /** Receives spans. Omitted: nothing is traced. */
  readonly tracing?: Tracing;
  readonly clock: Clock;
  /** Renders long answers in slices. Omitted: at once. */
  readonly bulk?: Bulk;
  /** Rejects if the database does not answer. */
  readonly pingDatabase: () => Promise<void>;
  /** The port to open. Omitted: any. */
  readonly port?: number;
  /** Where clients reach the service that listens on this port, without a trailing slash. */
  readonly appUrl?: (port: number) => string;
  /** The build, if known. */
  readonly build?: Build;
  /** Rate limits that replace the default ones. */
  readonly rates?: RateSettings;
  /** Origins whose pages may use the API from a browser. Omitted: none. */
  readonly corsOrigins?: readonly string[];
  /** The most open streams and waiting requests (SSE-14). Omitted: no limit. */
  readonly maxStreams?: number;
  /** Bytes of bodies that are read at once (FAIR-5). Omitted: the default. */
  readonly bodyBytes?: number;
  /** Forwards requests to the owners of organizations; absent if only one process serves. */
  readonly forwarding?: Forwarding | undefined;
  /** A non-API handler for requests without a route; answers null for requests that are not for it. */
  readonly internal?: (request: Request) => Promise<Response | null>;
}

export interface RateSettings {
  /** Proxies whose `X-Forwarded-For` counts: addresses and CIDR ranges. */
  readonly trustedProxies?: readonly string[];
  /** Requests in a window, by organization; `*` is any other. */
  readonly budgets?: ReadonlyMap<string, number>;
  /** Whether the rate limits of the current surface also apply to v1. */
  readonly countsV1?: boolean;
  /** Requests of an organization to v1 per minute. Omitted: no limit. */
  readonly v1RequestsPerMinute?: number;
}

export interface App {
  /** Opens the port and answers its number. If `isShared`, other processes may open it too. Throws on failure. */
  listen(at: { readonly hostname: string; readonly port: number; readonly isShared?: boolean }): number;
  /** Ends the streams, lets requests in flight finish, refuses new ones (503), closes the port. */
  stop(): Promise<void>;
  /** The open port; before `listen`, the configured one. */
  readonly port: number;
  /** Open streams and waiting requests. */
  readonly streams: OpenStreams;
  /** Request bodies that are being received. */
  readonly bodies: Bodies;
  /** Requests that wait for their turn. */
  readonly turns: FairTurns;
  /** Answers a request that another replica has forwarded. */
  handle(request: Request): MaybePromise<Response>;
  /** Runs an operation by its id, for a caller without HTTP (`Operations.invoke`). */
  invoke(id: string, caller: Caller, input?: LocalInput): Promise<Outcome<object | Response>>;
}

export function createApp(parts: AppParts): App {
  const streams = new OpenStreams(parts.clock, parts.maxStreams, parts.system.loopTime);
  let port = parts.port ?? 0;
  let server: Server<unknown> | null = null;
  let hasSharedPort = false;
  const { loopTime: time } = parts.system;
  const pace = new BodyPace({ time, clock: parts.clock, later: setImmediate });
  const bodies = new Bodies(parts.clock, parts.bodyBytes, pace);
  const turns = new FairTurns({ time, clock: parts.clock, later: setImmediate });
  const endWatch = watchTokens({ ...parts, streams });
  const { routes, turnAway, invoke } = mount({ bulk: AT_ONCE, ...parts, bodies, turns }, streams, {
    appUrl: () => parts.appUrl?.(port) ?? "",
    server: () => server,
  });
  return {
    streams,
    bodies,
    turns,
    get port() {
      return port;
    },
    invoke,
    handle: (request) => routes.fetch(request),
    listen({ isShared = false, ...at }) {
      hasSharedPort = isShared;
      server = routes.listen({ ...at, reusePort: isShared }).server;
      port = server?.port ?? at.port;
      return port;
    },
    async stop() {
      // The port stays open while requests are in flight, so that new requests are refused with an answer. A shared
      // port is closed first, because the other processes answer.
      if (hasSharedPort) void server?.stop(false);
      else server?.reload({ routes: {}, fetch: turnAway });
      streams.closeAll();
      endWatch();
      if (server === null) return;
      let isLate = false;
      const cancel = parts.clock.after(REQUESTS_STOP_MS, () => {
        isLate = true;
        void server?.stop(true);
      });
      while (server.pendingRequests > 0 && !isLate) await Bun.sleep(STOP_POLL_MS);
      await server.stop(isLate);
      cancel();
    },
  };
}

/** The parts that all surfaces share. */
export interface MountedParts extends AppParts {
  readonly bulk: Bulk;
  readonly bodies: Bodies;
  readonly turns: FairTurns;
}

/** Values that are known only after the port is open. */
export interface Opened {
  readonly appUrl: () => string;
  readonly server: () => Server<unknown> | null;
}

function mount(parts: MountedParts, streams: OpenStreams, opened: Opened) {
  const { appUrl } = opened;
  const {
    surfaces: { v1, current, mcp, elsewhere },
    ...door
  } = surfacesOf(parts, opened);
  const surfaceOf = (path: string): Surface => {
    if (isUnder(path, "/api/v1")) return v1;
    if (path === MCP_RESOURCE) return mcp;
    return isUnder(path, "/api") || OUTSIDE_API.some((root) => isUnder(path, root)) ? current : elsewhere;
  };
  const appPlaces = new AppPlaces(parts.appsUrl, appUrl);
  const services = servicesOf(parts, streams, {
    appPlaces,
    appUrl,
    hasPath: (path) => methodsOf(path).length > 0,
  });
  // Without `development: false` the answer would show an uncaught exception with its stack. Without `reusePort: false`
  // two services could share a port without noticing.
  const serve = {
    idleTimeout: IDLE_SECONDS,
    maxRequestBodySize: parts.workspaceLimits.fileBytes + SPARE_BODY_BYTES,
    development: false,
    reusePort: false,
  };
  // Operations check this themselves; pages and probes are not operations.
  const refuseRewritten = ({ request }: { readonly request: Request }): Response | undefined =>
    isAsSent(request, opened.server()) ? undefined : elsewhere.turnAway(request, BAD_PATH);
  const accounts = new Accounts({ ...parts, onRevoked: (tokenId) => streams.closeOf(tokenId) });
  const people = {
    ...parts,
    ...door,
    ...opened,
    accounts,
    surface: elsewhere,
    onRevoked: (tokenId: string) => streams.closeOf(tokenId),
  };
  const openApp = (request: Request): Promise<Response> => servedApp(elsewhere, services, request);
  const app = new Elysia({
    name: "troupe",
    normalize: false,
    strictPath: true,
    // The name of a host may be shorter than four characters, also in a forwarded request.
    handler: { standardHostname: false },
    serve,
  });
  // A host of apps serves nothing else. Without one, no request pays for the check. The hook returns a variable: Elysia
  // takes one that returns a call for asynchronous, and every route would wait for it (docs/decisions/0041).
  if (appPlaces.haveHosts)
    app.onRequest(({ request }) => {
      let page: Promise<Response> | undefined;
      if (appPlaces.isOfApps(hostOf(request))) page = openApp(request);
      return page;
    });
  app
    .guard({ beforeHandle: refuseRewritten }, (plain) =>
      plain.use(healthRoutes(parts)).use(pageRoutes(appUrl)).use(signInRoutes(people)).use(oauthRoutes(people)),
    )
    // Any spelling of a path is fine here: it can reach only the app itself.
    .get("/apps/:label", ({ request }) => openApp(request))
    .get("/apps/:label/*", ({ request }) => openApp(request))
    .use(publicRoutes(current, services))
    .use(currentRoutes(current, services))
    .use(v1Routes(v1, services))
    .use(
      mcpRoutes(mcp, {
        services,
        invoke: (id, caller, input) => invoke(id, caller, input),
        refusal: (fault, requestId) => mcp.refusalOf(fault, requestId),
        describe: fieldDescription,
        allowed: () => ({ appUrl: appUrl(), corsOrigins: parts.corsOrigins ?? [] }),
      }),
    )
    // Must be last: each group of operations has its own handler, and this one is for requests without a route.
    .onError(async ({ code, error, request }) => {
      const path = pathOf(request.url);
      const surface = surfaceOf(path);
      if (code !== "NOT_FOUND") return surface.fail(request, error);
      const misdirected = hostFault(request);
      if (misdirected !== null) return surface.refuse(request, misdirected);
      const bare = withoutSlash(path);
      if (bare !== null && methodsOf(bare).includes(request.method))
        return surface.redirect(request, pathPrefixOf(appUrl()) + bare);
      const allow = methodsOf(path);
      // An unknown path may be a misspelled public one, and there is nothing behind it to protect.
      const isOpen = allow.length === 0 || OPEN_PATHS.test(path);
      const offered = { allow, audience: isOpen ? "any_origin" : "configured_origins" } as const;
      return unrouted(surface, request, { offered, internal: parts.internal });
    });
  /** The methods for which Elysia has a route to the path; it answers HEAD by the route of GET. */
  const methodsOf = (path: string): readonly string[] =>
    ROUTED_METHODS.filter((method) => {
      const routed = method === "HEAD" ? "GET" : method;
      return app.router.static[path]?.[routed] !== undefined || app.router.http.find(routed, path) !== null;
    });
  const turnAway = (request: Request): Response =>
    drainingHealth(request, pathOf(request.url)) ?? surfaceOf(pathOf(request.url)).turnAway(request, SHUTTING_DOWN);
  const invoke: App["invoke"] = (id, caller, input) =>
    ([v1, mcp].find((surface) => surface.operations.has(id)) ?? current).operations.invoke(id, caller, input);
  return { routes: app, turnAway, invoke };
}

/** Where operations of the current surface are that are not under its path: documents, shares, signed pages. */
const OUTSIDE_API: readonly string[] = [
  ...new Set(
    OPERATIONS.map(({ operation }) => operation.path.replace(/\/\{.*$/, "")).filter(
      (path) => !isUnder(path, "/api") && path !== MCP_RESOURCE,
    ),
  ),
];

const ROUTED_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;
/** Paths whose answers are for pages of any origin. */
const OPEN_PATHS = new RegExp(
  `^(?:${OPERATIONS.flatMap(({ operation: { scope, path } }) =>
    scope === null ? [RegExp.escape(path).replaceAll(/\\\{.*?\\\}/g, "[^/]+")] : [],
  ).join("|")})$`,
);

interface Reached {
  readonly appPlaces: AppPlaces;
  readonly appUrl: () => string;
  readonly hasPath: (path: string) => boolean;
}

/** The services that operations work with. */
function servicesOf(parts: AppParts, streams: OpenStreams, { appPlaces, appUrl, hasPath }: Reached): Services {
  const { system, directory, log, build, rates } = parts;
  return {
    ...parts,
    urlContents: urlContents(parts.egress, parts.contents),
    appPlaces,
    appUrl,
    streams,
    tools: parts.tools ?? toolCatalogue,
    library,
    calendar,
    agents: new AgentFinder({ system, directory, log }),
    facts: {
      version: VERSION,
      build: build ?? { commit: null, builtAt: null },
      budget: rates?.budgets?.get("*") ?? RATE_BUDGET,
      countsV1: rates?.countsV1 ?? false,
      v1RequestsPerMinute: rates?.v1RequestsPerMinute ?? 0,
      errorCodes: ERROR_CODES,
      operations: Object.fromEntries(OPERATIONS.map(({ id, operation }) => [id, operation])),
      hasPath,
    },
  };
}

function isUnder(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}
