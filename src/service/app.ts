/**
 * Everything that the service serves over HTTP, on one Elysia app. Requests without a route end here: the path decides
 * in which dialect they are refused.
 */
import type { Server } from "bun";
import { Elysia } from "elysia";
import type { MaybePromise } from "../../actors/maybe-promise.ts";
import { SHUTTING_DOWN } from "../../actors/runtime/placement/shards.ts";
import { OPERATIONS } from "../contract/document.ts";
import { fieldDescription } from "../contract/field-descriptions.ts";
import { acpProtocol, PROTOCOLS } from "../dialects/protocols.ts";
import type { ProtocolServices } from "../dialects/runs/protocol.ts";
import { RunReaders } from "../dialects/runs/followed-run.ts";
import { RecentRequests } from "../dialects/runs/recent-requests.ts";
import { jobFields } from "../current/jobs/view.ts";
import { CURRENT_OPERATIONS } from "../current/operations.ts";
import { MCP_RESOURCE } from "../http/contract/paths.ts";
import { REQUESTS_STOP_MS } from "./drain-limits.ts";
import { originFault } from "../http/admission/allowed-origin.ts";
import { Bodies } from "../http/body/bodies.ts";
import { BodyPace } from "../http/body/body-pace.ts";
import { rawPath } from "../http/request/exchange.ts";
import { drainingHealth, healthRoutes } from "../http/request/health.ts";
import { FairTurns } from "../http/admission/fair-turns.ts";
import type { OpenStreams } from "../http/stream/open-streams.ts";
import { pathPrefixOf } from "../http/request/path-prefix.ts";
import { BAD_PATH, hostFault, isAsSent, withoutSlash } from "../http/request/request-target.ts";
import { watchTokens } from "../http/stream/token-watch.ts";
import { Accounts } from "../sign-in/accounts.ts";
import { oauthRoutes } from "../sign-in/oauth/routes.ts";
import { signInRoutes } from "../sign-in/routes.ts";
import { mcpRoutes } from "../mcp/index.ts";
import { publicOperations } from "../public/operations.ts";
import { scalarOperations } from "../public/scalar.ts";
import { consoleRoutes } from "../public/console.ts";
import { pageRoutes } from "../public/pages.ts";
import { AcpSockets } from "./acp-sockets.ts";
import type { Surface } from "../http/request/surface.ts";
import { surfacesOf } from "./surfaces.ts";
import { answerUnrouted } from "./unrouted.ts";
import type { Services } from "../operations/services.ts";
import { operationRoutes } from "../http/request/routes.ts";
import { callerFrom } from "../http/request/caller.ts";
import type { Invoke } from "../http/request/operations.ts";
import { V1_OPERATIONS } from "../v1/operations.ts";
import type { AppParts, SharedBySurfaces } from "./assembly-parts.ts";
import { MIB } from "../../actors/units.ts";
import { notFound, refuse } from "../../actors/fault.ts";
import { appPage } from "../current/workspaces/app-pages.ts";

/**
 * The server itself cuts off bodies that exceed the file limit by more than this; the surface refuses smaller ones in
 * its own dialect.
 */
const SPARE_BODY_BYTES = 64 * 1024 * 1024;
/** A connection that is idle for this long is closed; streams extend the limit. */
const CONNECTION_IDLE_SECONDS = 30;
/** Between two checks for requests in flight. */
const STOP_POLL_MS = 5;

export interface ServiceApp {
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
  /** Whether a route has this path. */
  hasPath(path: string): boolean;
  /** Runs an operation by its id in this process, for a caller without HTTP (`Operations.invoke`). */
  readonly invoke: Invoke;
  /** The same, at the replica that owns the caller's organization. */
  readonly invokeAtOwner: Invoke;
}

export function createApp(services: Services, parts: AppParts): ServiceApp {
  const { system, clock, streams } = services;
  let { port } = parts.config;
  let server: Server<unknown> | null = null;
  let hasSharedPort = false;
  const { loopTime: time } = system;
  const pace = new BodyPace({ time, clock, later: setImmediate });
  const bodies = new Bodies(clock, parts.config.bodyMemoryMib * MIB, pace);
  const turns = new FairTurns({ time, clock, later: setImmediate });
  const endWatch = watchTokens(services);
  const { routes, sockets, turnAway, methodsOf, ...invoking } = mount(services, parts, {
    bodies,
    turns,
    server: () => server,
  });
  return {
    streams,
    bodies,
    turns,
    hasPath: (path) => methodsOf(path).length > 0,
    get port() {
      return port;
    },
    ...invoking,
    handle: (request) => routes.fetch(request),
    listen({ isShared = false, ...at }) {
      hasSharedPort = isShared;
      const before = process.listeners("beforeExit");
      const { websocket } = sockets;
      server = routes.listen({ ...at, reusePort: isShared, websocket }).server;
      // Elysia would stop the server at the end of the process. The listener is never removed, and would keep a service
      // that has stopped in memory.
      for (const listener of process.listeners("beforeExit"))
        if (!before.includes(listener)) process.off("beforeExit", listener);
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
      const cancel = clock.after(REQUESTS_STOP_MS, () => {
        isLate = true;
        void server?.stop(true);
      });
      while (server.pendingRequests > 0 && !isLate) await Bun.sleep(STOP_POLL_MS);
      await server.stop(isLate);
      cancel();
    },
  };
}

function mount(services: Services, parts: AppParts, shared: SharedBySurfaces) {
  const { appUrl, appPlaces, streams } = services;
  const { config, resources } = parts;
  const {
    surfaces: { v1, current, mcp, foreign, elsewhere },
    ...door
  } = surfacesOf(services, parts, shared);
  const surfaceOf = (path: string): Surface => {
    if (isUnder(path, "/api/v1")) return v1;
    if (path === MCP_RESOURCE) return mcp;
    const protocol = foreign[PROTOCOLS.findIndex(({ root }) => isUnder(path, root))];
    if (protocol !== undefined) return protocol;
    return isUnder(path, "/api") || OUTSIDE_API.some((root) => isUnder(path, root)) ? current : elsewhere;
  };
  // Without `development: false` the answer would show an uncaught exception with its stack. Without `reusePort: false`
  // two services could share a port without noticing.
  const serve = {
    idleTimeout: CONNECTION_IDLE_SECONDS,
    maxRequestBodySize: services.workspaceLimits.fileBytes + SPARE_BODY_BYTES,
    development: false,
    reusePort: false,
  };
  const {
    pingDatabase = async () => {
      await parts.storage.database.read`select 1`;
    },
  } = parts.overrides;
  // Operations check this themselves; pages and probes are not operations.
  const refuseRewritten = ({ request }: { readonly request: Request }): Response | undefined =>
    isAsSent(request, shared.server()) ? undefined : elsewhere.turnAway(request, BAD_PATH);
  const onRevoked = (tokenId: string): void => streams.closeOf(tokenId);
  const accounts = new Accounts({ ...services, passwords: resources.passwords, onRevoked });
  const people = {
    ...services,
    ...resources,
    ...door,
    accounts,
    surface: elsewhere,
    server: shared.server,
    onRevoked,
    invoke: (...call: Parameters<Invoke>) => invokeAtOwner(...call),
  };
  const sockets = new AcpSockets({
    pipeline: (request) => app.fetch(request),
    server: shared.server,
    streams,
    addressOf: (request) => door.limits.addressOf(request, shared.server()),
    originFault: (headers) => originFault(headers, { appUrl: appUrl(), corsOrigins: config.corsOrigins }),
    refuse: (request, fault) => surfaceOf(acpProtocol.root).turnAway(request, fault),
    log: services.log,
    version: services.facts.version,
  });
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
      plain
        .use(healthRoutes({ ...services, pingDatabase }))
        .use(pageRoutes(appUrl))
        .use(signInRoutes(people))
        .use(oauthRoutes(people)),
    )
    // Any spelling of a path is fine here: it can reach only the console, or the app itself.
    .use(consoleRoutes(appUrl))
    .get("/apps/:label", ({ request }) => openApp(request))
    .get("/apps/:label/*", ({ request }) => openApp(request))
    .use(operationRoutes(current, [publicOperations, scalarOperations, ...CURRENT_OPERATIONS], services))
    .use(operationRoutes(v1, V1_OPERATIONS, services))
    .use(foreignRoutes(foreign, services, (...call) => invoke(...call)))
    .get(acpProtocol.root, ({ request }) => sockets.accept(request))
    .use(
      mcpRoutes(mcp, {
        services,
        invoke: (id, caller, input) => invoke(id, callerFrom(caller, "mcp"), input),
        refusal: (fault, requestId) => mcp.refusalOf(fault, requestId),
        describe: fieldDescription,
        allowed: () => ({ appUrl: appUrl(), corsOrigins: config.corsOrigins }),
      }),
    )
    // Must be last: each group of operations has its own handler, and this one is for requests without a route.
    .onError(async ({ code, error, request }) => {
      const path = rawPath(request.url);
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
      return answerUnrouted(surface, request, { offered, internal: parts.internal });
    });
  /** The methods for which Elysia has a route to the path; it answers HEAD by the route of GET. */
  const methodsOf = (path: string): readonly string[] =>
    ROUTED_METHODS.filter((method) => {
      const routed = method === "HEAD" ? "GET" : method;
      return app.router.static[path]?.[routed] !== undefined || app.router.http.find(routed, path) !== null;
    });
  const turnAway = (request: Request): Response =>
    drainingHealth(request, rawPath(request.url)) ?? surfaceOf(rawPath(request.url)).turnAway(request, SHUTTING_DOWN);
  const invoke: Invoke = (id, caller, input) =>
    ([v1, mcp, ...foreign].find((surface) => surface.operations.has(id)) ?? current).operations.invoke(
      id,
      caller,
      input,
    );
  const { forwarding } = parts;
  const invokeAtOwner: Invoke =
    forwarding === null
      ? invoke
      : (id, { principal, requestId, address }, input) =>
          forwarding.invoke({ id, caller: { principal, requestId, address }, input });
  return { routes: app, sockets, turnAway, methodsOf, invoke, invokeAtOwner };
}

const shownJob: ProtocolServices["shownJob"] = (job) => ({
  ...jobFields(job),
  version: job.version,
  updated_at: job.updatedAt,
});

/** The protocols of other people's clients. */
function foreignRoutes(surfaces: readonly Surface[], services: Services, invoke: Invoke) {
  const routes = new Elysia({ name: "protocols" });
  const readers = new RunReaders();
  const recent = new RecentRequests(services);
  for (const [at, { groups, inner = [] }] of PROTOCOLS.entries()) {
    const surface = surfaces[at]!;
    const refusal: ProtocolServices["refusal"] = (fault, requestId) => surface.refusalOf(fault, requestId);
    const given: ProtocolServices = { ...services, readers, recent, invoke, shownJob, refusal };
    for (const group of inner) surface.operations.add(group, given);
    routes.use(operationRoutes(surface, groups, given));
  }
  return routes;
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
/** Paths whose answers pages of any origin may read. */
const OPEN_PATHS = new RegExp(
  `^(?:${OPERATIONS.flatMap(({ operation: { scope, path } }) =>
    scope === null ? [RegExp.escape(path).replaceAll(/\\\{.*?\\\}/g, "[^/]+")] : [],
  ).join("|")})$`,
);

function isUnder(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}

const hostOf = (request: Request): string => request.headers.get("host") ?? "";

/** The page of an app of a workspace (WSP-14), or a refusal. No operation: any path below its address is the app's. */
function servedApp(surface: Surface, services: Services, request: Request): Promise<Response> {
  return surface.servePublic(request, async () => {
    if (request.method !== "GET" && request.method !== "HEAD")
      return refuse({ kind: "method_not_allowed", allow: ["GET", "HEAD"] });
    const target = services.appPlaces.targetOf(hostOf(request), rawPath(request.url));
    return target === null ? notFound("app") : appPage(services, target, request);
  });
}
