/**
 * Which pages of other origins may read an answer (CORS, as the Fetch standard has it). Documents for anybody, and
 * the streams of signed addresses, are for every page; the API is for the origins that the operator names. Tokens
 * travel in a header that a page sets itself, so credentials of the browser are never allowed.
 */
import { RATE_HEADERS } from "./rate-headers.ts";

/** For which pages an answer is: those of any origin, or those of the configured ones. */
export type Audience = "any_origin" | "configured_origins";

/** Response headers that a page may read besides those that it always may. */
const EXPOSED = [
  "Api-Version",
  "Content-Range",
  "Deprecation",
  "ETag",
  "Idempotency-Status",
  "Link",
  "Location",
  "Retry-After",
  "Sunset",
  "X-Request-Id",
  ...Object.keys(RATE_HEADERS),
].join(", ");
/** Request headers that a page may set. */
const SETTABLE = [
  "Api-Version",
  "Authorization",
  "Content-Range",
  "Content-Type",
  "Idempotency-Key",
  "If-Match",
  "If-None-Match",
  "If-Range",
  "Last-Event-ID",
  "Range",
  "X-Request-Id",
].join(", ");
/** Browsers remember the answer to a preflight for at most two hours; an hour lets a changed setting count soon. */
const PREFLIGHT_SECONDS = 3_600;

type Headers = Readonly<Record<string, string>>;
const ANY: Headers = { "access-control-allow-origin": "*", "access-control-expose-headers": EXPOSED };

export class CrossOrigin {
  private readonly origins: ReadonlySet<string>;

  constructor(origins: readonly string[]) {
    // As browsers send them: in lower case, without the port that the scheme has by default.
    this.origins = new Set(origins.map((origin) => new URL(origin).origin));
  }

  /** What an answer to a page of this origin says; null for nothing. */
  headersFor(origin: string | null, audience: Audience): Headers | null {
    if (audience === "any_origin") return origin === null ? null : ANY;
    if (origin === null || !this.origins.has(origin)) return null;
    return { "access-control-allow-origin": origin, "access-control-expose-headers": EXPOSED };
  }

  /** Whether answers of the API differ by the origin that asks: caches must know. */
  get varies(): boolean {
    return this.origins.size > 0;
  }

  /** The same for a preflight, which asks before the request itself. */
  preflight(origin: string | null, audience: Audience, methods: readonly string[]): Headers | null {
    const allowed = this.headersFor(origin, audience);
    return allowed === null
      ? null
      : {
          "access-control-allow-origin": allowed["access-control-allow-origin"] ?? "",
          "access-control-allow-methods": methods.join(", "),
          "access-control-allow-headers": SETTABLE,
          "access-control-max-age": String(PREFLIGHT_SECONDS),
        };
  }
}
