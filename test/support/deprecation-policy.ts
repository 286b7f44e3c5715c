/** The policy that a deprecation is announced by (VER-3), as a check. */
import { DAY_MS } from "../../actors/units.ts";
import {
  COMPATIBILITY_MONTHS,
  type Deprecation,
  DEPRECATION_NOTICE_DAYS,
  SUNSET_NOTICE_DAYS,
} from "../../src/http/contract/deprecation.ts";

/** The ways in which a deprecation breaks the policy; empty if it does not. */
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
