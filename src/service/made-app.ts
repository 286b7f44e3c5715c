/**
 * Builds the application of this process from the started parts, before the process owns any shard, so that it is ready
 * for the first request.
 */
import { adminDoor, newAdminKey } from "../admin/door.ts";
import type { AdminParts } from "../admin/subjects.ts";
import type { Egress } from "../egress/egress.ts";
import type { ModelPort } from "../../actors/job/ports.ts";
import { HeldBytes } from "../runner/held-bytes.ts";
import { actorSecretReader } from "../wiring/secret-reader.ts";
import { CachedMcpCatalogue } from "../wiring/mcp-catalogue.ts";
import type { Meters } from "../metrics/meters.ts";
import type { Tracing } from "../../actors/runtime/tracing.ts";
import type { GitVersion } from "../repositories/git.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { buildOf } from "../settings/build.ts";
import { actorSettingsOf, appUrlOf, type Config } from "../settings/config.ts";
import { DEFAULT_MAX_STREAMS } from "../settings/groups/limits.ts";
import type { OpenIdProvider } from "../sign-in/openid/provider.ts";
import { Passwords } from "../sign-in/passwords.ts";
import { argumentChecks } from "../wiring/argument-checks.ts";
import { systemClock } from "../wiring/clock.ts";
import { dataQueries } from "../wiring/data-queries.ts";
import { sandboxPreviews } from "../wiring/previews.ts";
import { catalogueWithShell } from "../wiring/tool-catalogue.ts";
import { toolImports } from "../wiring/tool-imports.ts";
import { webhookTools } from "../wiring/webhooks.ts";
import type { Logger } from "../log/log.ts";
import { type App, createApp } from "./app.ts";
import { openFilesLimit, streamsWithin } from "./open-files.ts";
import type { Runtime } from "./runtime.ts";
import type { Storage } from "./storage.ts";
import type { Supervision } from "./supervision.ts";

const MIB = 1024 * 1024;

export interface AppMaterial {
  readonly config: Config;
  readonly log: Logger;
  readonly supervision: Supervision | null;
  readonly storage: Storage;
  readonly models: ModelPort;
  readonly runtime: Runtime;
  readonly egress: Egress;
  readonly sandbox: Sandbox;
  readonly fileSandbox: Sandbox;
  readonly provider: OpenIdProvider | null;
  readonly git: GitVersion | null;
  readonly hasShell: boolean;
  readonly meters: Meters | null;
  readonly tracing: Tracing | null;
}

export interface MadeApp {
  readonly app: App;
  /** The key of the administration command. */
  readonly key: string;
}

export function makeApp(material: AppMaterial): MadeApp {
  const {
    config,
    log,
    supervision,
    storage,
    models,
    runtime,
    egress,
    sandbox,
    fileSandbox,
    provider,
    git,
    hasShell,
    meters,
    tracing,
  } = material;
  const key = supervision?.order.adminKey ?? newAdminKey();
  const admin: AdminParts = {
    ...runtime,
    config,
    databaseUrl: storage.url,
    now: () => systemClock.now(),
    appUrl: () => appUrlOf(config, app.port),
    opened: () => ({ bodies: app.bodies.usage, streams: app.streams.count, waiting: app.turns.waiting }),
    onRevoked: (tokenId) => app.streams.closeOf(tokenId),
    onSuspended: (organizationId, isSuspended) => app.streams.suspend(organizationId, isSuspended),
  };
  const app: App = createApp({
    ...runtime,
    port: config.port,
    forwarding: runtime.replica?.group.forwarding,
    sealing: storage.sealing,
    passwords: new Passwords(),
    bulk: storage.database.bulk,
    webhookTools: webhookTools(egress),
    egress,
    provider,
    build: buildOf(config),
    models,
    log,
    ...(meters === null ? {} : { meter: meters }),
    ...(tracing === null ? {} : { tracing }),
    clock: systemClock,
    pingDatabase: async () => {
      await storage.database.read`select 1`;
    },
    appUrl: (port) => appUrlOf(config, port),
    maxStreams: streamsOf(config, log),
    bodyBytes: config.bodyMemoryMib * MIB,
    jobLimits: actorSettingsOf(config).jobLimits,
    corsOrigins: config.corsOrigins,
    workspaceLimits: actorSettingsOf(config).workspaceLimits,
    contents: storage.files,
    argumentChecks: argumentChecks(fileSandbox),
    toolImports: toolImports(egress, fileSandbox),
    mcpCatalogue: new CachedMcpCatalogue({
      egress,
      sandbox,
      held: new HeldBytes(),
      secrets: actorSecretReader(runtime.system, storage.sealing),
      clock: systemClock,
    }),
    previews: sandboxPreviews({ sandbox: fileSandbox, contents: storage.files }),
    queries: dataQueries({ sandbox: fileSandbox, system: runtime.system, contents: storage.files }),
    git,
    ...(hasShell ? { tools: catalogueWithShell(config.shellHosts) } : {}),
    ...(config.appsUrl === undefined ? {} : { appsUrl: config.appsUrl }),
    rates: {
      trustedProxies: config.trustedProxies,
      budgets: new Map(config.rateBudgets.map((entry) => [entry.split("=")[0] ?? "", Number(entry.split("=")[1])])),
      countsV1: config.rateLimitV1,
      v1RequestsPerMinute: config.v1RequestsPerMinute,
    },
    internal: (request) => adminDoor(admin, key, request),
  });
  return { app, key };
}

/** How many streams may be open: the configured number, reduced to the available file descriptors. */
function streamsOf({ maxStreams }: Config, log: Logger): number {
  const openFiles = openFilesLimit();
  const most = streamsWithin(maxStreams, openFiles);
  // With the default setting, the reduction is not worth a warning.
  const level = maxStreams === DEFAULT_MAX_STREAMS ? "debug" : "warn";
  if (most < maxStreams)
    log[level]({ maxStreams, openFiles, most }, "the limit of open files allows fewer streams than MAX_STREAMS");
  return most;
}
