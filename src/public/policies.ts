/**
 * The rate-limit policy and the deprecation policy (DOC-5): the numbers are the constants that the service enforces.
 */
import { RATE_BUDGET, RATE_WINDOW_MS } from "../../actors/traffic/policy.ts";
import {
  API_VERSION,
  COMPATIBILITY_MONTHS,
  DEPRECATION_NOTICE_DAYS,
  SUNSET_NOTICE_DAYS,
  SUPPORTED_VERSIONS,
} from "../http/contract/deprecation.ts";
import type { Shown } from "../http/contract/operation.ts";
import { RATE_HEADERS } from "../http/answer/rate-headers.ts";
import type { Services } from "../operations/services.ts";
import type { DeprecationPolicy, RateLimitPolicy } from "./schema.ts";

export const RATE_LIMITS_PATH = "/api/rate-limits";
export const DEPRECATIONS_PATH = "/api/deprecation-policy";
export const WINDOW_SECONDS = RATE_WINDOW_MS / 1_000;

export const rateLimitPolicy = ({
  facts: { budget, countsV1, v1RequestsPerMinute },
}: Services): Shown<typeof RateLimitPolicy> => ({
  default: { limit: budget, window_seconds: WINDOW_SECONDS, burst: budget, algorithm: "fixed-window" },
  identity_order: ["bearer_token", "session_cookie", "remote_address"],
  headers: Object.entries(RATE_HEADERS).map(([name, meaning]) => ({ name, meaning })),
  public_endpoints: { counted: true, limit: RATE_BUDGET, identity: "remote_address" },
  v1: {
    counted: countsV1,
    protective_limit: countsV1 || v1RequestsPerMinute === 0 ? null : v1RequestsPerMinute,
  },
  status: 429,
  higher_limits: "The operator can give an organization a higher limit; the headers show the limit in force.",
});

export const deprecationPolicy = ({ facts: { operations } }: Services): Shown<typeof DeprecationPolicy> => ({
  versioning: {
    scheme: "date",
    header: "Api-Version",
    current: API_VERSION,
    supported: [...SUPPORTED_VERSIONS],
    breaking_changes:
      "A breaking change gets a new version and a guide to it. New fields and new operations break nothing.",
    v1: "The surface under /api/v1 is addressed by its path and takes no Api-Version. The same notice periods apply to it.",
  },
  compatibility_months: COMPATIBILITY_MONTHS,
  deprecation_notice_days: DEPRECATION_NOTICE_DAYS,
  sunset_notice_days: SUNSET_NOTICE_DAYS,
  headers: [
    { name: "Deprecation", meaning: "`@` and the Unix time of the deprecation (RFC 9745)" },
    { name: "Sunset", meaning: "The date of the removal, once it is decided (RFC 8594)" },
    {
      name: "Link",
      meaning: "Links to the explanation (`deprecation`, `sunset`) and to the replacement (`successor-version`)",
    },
  ],
  deprecations: Object.entries(operations).flatMap(([operation, { method, path, deprecation }]) =>
    deprecation === undefined
      ? []
      : [
          {
            operation,
            method,
            path,
            announced_at: deprecation.announcedAt,
            deprecated_at: deprecation.deprecatedAt,
            sunset_at: deprecation.sunsetAt ?? null,
            successor: deprecation.successor ?? null,
            guide: deprecation.guide ?? null,
          },
        ],
  ),
});
