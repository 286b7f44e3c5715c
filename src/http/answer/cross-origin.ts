/**
 * Which pages of other origins may read an answer (CORS, as in the Fetch standard). Public documents, and the
 * streams of signed addresses, are for every page; the API is for the origins that the operator names. Tokens travel
 * in a header that the page sets itself, so browser credentials are never allowed.
 */
import { RATE_HEADERS } from "./rate-headers.ts";

/** Which pages may read an answer: those of any origin, or those of the configured ones. */
export type AllowedReaders = "any_origin" | "configured_origins";

/** Response headers that a page may read in addition to the standard ones. */
const EXPOSED = [
  "Api-Version",
  "Content-Range",
  "Deprecation",
  "ETag",
  "Idempotency-Status",
  "Link",
  "Location",
  "Mcp-Session-Id",
  "Retry-After",
  "Sunset",
  // Clients of MCP find the sign-in, and the scopes to ask for, through it.
  "WWW-Authenticate",
  "X-Request-Id",
  // Clients of OpenAI's API repeat a request as it says.
  "X-Should-Retry",
  ...Object.keys(RATE_HEADERS),
].join(", ");
/** Request headers that a page may set. */
const SETTABLE = [
  "A2A-Extensions",
  "A2A-Version",
  "Api-Version",
  "Authorization",
  // Traces of a page that has OpenTelemetry, with the two after it.
  "Baggage",
  "Cache-Control",
  "Content-Range",
  "Content-Type",
  "Idempotency-Key",
  "If-Match",
  "If-None-Match",
  "If-Range",
  "Last-Event-ID",
  "Mcp-Method",
  "Mcp-Name",
  "Mcp-Protocol-Version",
  "Mcp-Session-Id",
  "OpenAI-Beta",
  "OpenAI-Organization",
  "OpenAI-Project",
  // Some clients send it beside `Cache-Control`.
  "Pragma",
  "Range",
  "Repr-Digest",
  "Traceparent",
  "Tracestate",
  "X-Request-Id",
  // OpenAI's own client sends these with every request.
  ...[
    "Arch",
    "Async",
    "Custom-Poll-Interval",
    "Helper-Method",
    "Lang",
    "OS",
    "Package-Version",
    "Poll-Helper",
    "Retry-Count",
    "Runtime",
    "Runtime-Version",
    "Timeout",
  ].map((name) => `X-Stainless-${name}`),
].join(", ");
/** Browsers cache the answer to a preflight for at most two hours; after an hour a changed setting takes effect. */
const PREFLIGHT_SECONDS = 3_600;

type Headers = Readonly<Record<string, string>>;
const ANY: Headers = { "access-control-allow-origin": "*", "access-control-expose-headers": EXPOSED };

export class CrossOrigin {
  private readonly origins: ReadonlySet<string>;

  constructor(origins: readonly string[]) {
    // In the form that browsers send: lower case, without the scheme's default port.
    this.origins = new Set(origins.map((origin) => new URL(origin).origin));
  }

  /** The headers of an answer to a page of this origin; null: none. */
  headersFor(origin: string | null, audience: AllowedReaders): Headers | null {
    if (audience === "any_origin") return origin === null ? null : ANY;
    if (origin === null || !this.origins.has(origin)) return null;
    return { "access-control-allow-origin": origin, "access-control-expose-headers": EXPOSED };
  }

  /** Whether the API's answers depend on the origin, so that caches must know. */
  get varies(): boolean {
    return this.origins.size > 0;
  }

  /** The same for a preflight, which precedes the request itself. */
  preflight(origin: string | null, audience: AllowedReaders, methods: readonly string[]): Headers | null {
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
