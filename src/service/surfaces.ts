/** The surfaces: the dialect of each, which tokens it accepts, and whether its requests count against rate limits. */
import { LongBodies } from "../http/body/long-bodies.ts";
import { type Dialect, plainDialect } from "../http/answer/dialect.ts";
import { Admission, type AdmissionParts } from "../http/admission/admission.ts";
import { Authentication } from "../http/admission/authentication.ts";
import { ClientAddresses } from "../http/admission/client-address.ts";
import { CrossOrigin } from "../http/answer/cross-origin.ts";
import { ProtectiveLimit } from "../http/admission/protective-limit.ts";
import { RateHeaders } from "../http/answer/rate-headers.ts";
import { RateLimits } from "../http/admission/rate-limits.ts";
import { currentDialect } from "../current/dialect.ts";
import { PROTOCOLS } from "../dialects/protocols.ts";
import { mcpDialect } from "../mcp/dialect.ts";
import { v1Dialect } from "../v1/dialect.ts";
import { API_VERSION, knownVersion } from "../http/contract/deprecation.ts";
import { API_RESOURCE, MCP_RESOURCE } from "../http/contract/paths.ts";
import { Surface } from "../http/request/surface.ts";
import type { SurfaceParts } from "../http/request/surface-parts.ts";
import type { Services } from "../operations/services.ts";
import type { AppParts, SharedBySurfaces } from "./assembly-parts.ts";
import { rateBudgetsOf } from "../settings/limits.ts";

interface Surfaces {
  readonly v1: Surface;
  readonly current: Surface;
  readonly mcp: Surface;
  /** Other people's protocols, in the order of `PROTOCOLS`. */
  readonly foreign: readonly Surface[];
  /** Pages and unknown paths. */
  readonly elsewhere: Surface;
}

export function surfacesOf(
  services: Services,
  { config, storage, resources, forwarding, overrides }: AppParts,
  shared: SharedBySurfaces,
): { readonly surfaces: Surfaces; readonly authentication: Authentication; readonly limits: RateLimits } {
  const { system, clock, appUrl } = services;
  const { bulk = storage.database.bulk, budgets = rateBudgetsOf(config) } = overrides;
  const meter = resources.meters ?? undefined;
  const tracing = resources.tracing ?? undefined;
  const addresses = new ClientAddresses(config.trustedProxies);
  const limits = new RateLimits({ system, clock, addresses, budgets });
  const authentication = new Authentication({ ...services, limits });
  const longBodies = new LongBodies(bulk);
  const crossOrigin = new CrossOrigin(config.corsOrigins);
  const protection = new ProtectiveLimit(clock, config.v1RequestsPerMinute);
  const surface = (
    dialect: Dialect,
    by: Pick<AdmissionParts, "isCounting" | "takesSessions" | "resource">,
    more: Partial<SurfaceParts> = {},
  ): Surface =>
    new Surface(dialect, {
      ...shared,
      system,
      sealing: services.sealing,
      log: services.log,
      meter,
      tracing,
      forwarding: forwarding ?? undefined,
      clock,
      rateHeaders: new RateHeaders(clock),
      admission: new Admission({ ...services, authentication, limits, protection, ...by }),
      addresses,
      crossOrigin,
      longBodies,
      bulk,
      isStrict: false,
      ...more,
    });
  const rateHeaders = new RateHeaders(clock, { "api-version": API_VERSION });
  // v1 is for programs, and accepts only tokens (AUTH-6).
  const v1 = surface(v1Dialect, { isCounting: config.rateLimitV1, takesSessions: false, resource: null });
  const words = { rateHeaders, version: knownVersion, isStrict: true };
  const current = surface(
    currentDialect(appUrl),
    { isCounting: true, takesSessions: true, resource: API_RESOURCE },
    words,
  );
  // Its messages are MCP's, and its tools follow the current surface.
  const mcp = surface(
    mcpDialect(currentDialect(appUrl), appUrl),
    { isCounting: true, takesSessions: false, resource: MCP_RESOURCE },
    words,
  );
  const foreign = PROTOCOLS.map(({ dialect }) =>
    surface(dialect(currentDialect(appUrl)), { isCounting: true, takesSessions: false, resource: API_RESOURCE }),
  );
  const elsewhere = surface(plainDialect, { isCounting: false, takesSessions: false, resource: null });
  return { surfaces: { v1, current, mcp, foreign, elsewhere }, authentication, limits };
}
