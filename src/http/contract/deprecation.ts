/**
 * What is said of an operation that is to go (VER-3): `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and
 * the `Link`s to what explains and what replaces it. It stands beside the operation, in its table; the
 * policy is the interface's.
 */

/** Times are ISO 8601 in UTC. */
export interface Deprecation {
  /** When its replacement was published, or its end was announced. */
  readonly announcedAt: string;
  /** From when on it is deprecated. */
  readonly deprecatedAt: string;
  /** When it will be gone; absent while that is not decided. */
  readonly sunsetAt?: string;
  /** The path of what replaces it. */
  readonly successor?: string;
  /** What tells how to move, where there is more to tell than the policy does. */
  readonly guide?: string;
}

const DAY_MS = 86_400_000;
/** Days between the announcement and the deprecation. */
export const DEPRECATION_NOTICE_DAYS = 180;
/** Days between the announcement and the sunset. */
export const SUNSET_NOTICE_DAYS = 365;
/** Months that an operation stays compatible after its replacement is published. */
export const COMPATIBILITY_MONTHS = 12;
/** Where the policy is. */
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

/** What of a deprecation breaks the policy; empty where nothing does. */
export function policyBreaches({ announcedAt, deprecatedAt, sunsetAt }: Deprecation): string[] {
  const announced = Date.parse(announcedAt);
  const days = (until: string): number => (Date.parse(until) - announced) / DAY_MS;
  const compatibleUntil = new Date(announced);
  compatibleUntil.setUTCMonth(compatibleUntil.getUTCMonth() + COMPATIBILITY_MONTHS);
  const checks: readonly (readonly [boolean, string])[] = [
    [
      [announcedAt, deprecatedAt, sunsetAt ?? deprecatedAt].some((time) => Number.isNaN(Date.parse(time))),
      "a time that is none",
    ],
    [days(deprecatedAt) < DEPRECATION_NOTICE_DAYS, `less than ${DEPRECATION_NOTICE_DAYS} days of notice`],
    [
      sunsetAt !== undefined && days(sunsetAt) < SUNSET_NOTICE_DAYS,
      `less than ${SUNSET_NOTICE_DAYS} days of notice before the sunset`,
    ],
    [
      sunsetAt !== undefined && Date.parse(sunsetAt) < compatibleUntil.getTime(),
      `gone before ${COMPATIBILITY_MONTHS} months have passed`,
    ],
    [sunsetAt !== undefined && Date.parse(sunsetAt) < Date.parse(deprecatedAt), "gone before it is deprecated"],
  ];
  return checks.filter(([isBreach]) => isBreach).map(([, complaint]) => complaint);
}
