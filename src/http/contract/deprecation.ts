/**
 * The versions of the current surface's contract, by date (VER-1), and how an operation announces its deprecation
 * (VER-3): `Deprecation` (RFC 9745), `Sunset` (RFC 8594), and `Link`s to an explanation and to the replacement. The data
 * is in the operation's table; the policy is the interface's.
 */
import { type Fault, ok, type Outcome, refuse } from "../../../actors/fault.ts";

/** Times are ISO 8601 in UTC. */
export interface Deprecation {
  /** When the replacement was published, or the end was announced. */
  readonly announcedAt: string;
  /** Start of the deprecation. */
  readonly deprecatedAt: string;
  /** When the operation will be removed; absent while undecided. */
  readonly sunsetAt?: string;
  /** Path of the replacement. */
  readonly successor?: string;
  /** A migration guide, if there is more to say than the policy does. */
  readonly guide?: string;
}

/** Days between the announcement and the deprecation. */
export const DEPRECATION_NOTICE_DAYS = 180;
/** Days between the announcement and the sunset. */
export const SUNSET_NOTICE_DAYS = 365;
/** Months that an operation stays compatible after its replacement is published. */
export const COMPATIBILITY_MONTHS = 12;
/** Path of the policy. */
export const POLICY_PATH = "/api/deprecation-policy";

/** The headers of every response of the operation. */
export function deprecationHeaders(deprecation: Deprecation): Readonly<Record<string, string>> {
  const { deprecatedAt, sunsetAt, successor, guide = POLICY_PATH } = deprecation;
  const links = [
    `<${guide}>; rel="deprecation"`,
    ...(sunsetAt === undefined ? [] : [`<${guide}>; rel="sunset"`]),
    ...(successor === undefined ? [] : [`<${successor}>; rel="successor-version"`]),
  ];
  return {
    deprecation: `@${Math.floor(Date.parse(deprecatedAt) / 1_000)}`,
    ...(sunsetAt === undefined ? {} : { sunset: new Date(sunsetAt).toUTCString() }),
    link: links.join(", "),
  };
}

export const API_VERSION = "2026-11-01";
/** Supported versions, newest first. */
export const SUPPORTED_VERSIONS: readonly string[] = [API_VERSION];

const UNSUPPORTED: Fault = { kind: "unsupported_api_version", supported: SUPPORTED_VERSIONS };

/** Refuses a request for an unknown version. */
export function knownVersion(request: Request): Outcome<null> {
  const version = request.headers.get("api-version");
  return version === null || SUPPORTED_VERSIONS.includes(version) ? ok(null) : refuse(UNSUPPORTED);
}
