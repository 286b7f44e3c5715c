/** The waits between the attempts of a delivery (HOOK-6): of webhooks, and of notices to people. */
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "./units.ts";

/** The waits before the second, third and fourth attempt; the first is made at once. */
const USUAL_WAITS_MS = [1 * SECOND_MS, 2 * SECOND_MS, 4 * SECOND_MS];
/** The further waits for a destination that is unreachable for long. */
const DURABLE_WAITS_MS = [
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

export const RETRY_PROFILES = ["standard", "durable"] as const;
export type RetryProfile = (typeof RETRY_PROFILES)[number];
const WAITS_MS: Readonly<Record<RetryProfile, readonly number[]>> = {
  standard: USUAL_WAITS_MS,
  durable: [...USUAL_WAITS_MS, ...DURABLE_WAITS_MS],
};

/** A receiver's `Retry-After` can only lengthen a wait, and at most to this. */
const RETRY_AFTER_LIMIT_MS = 60 * SECOND_MS;

/** The wait after this many failures of one delivery; null if it is given up. */
export function retryWaitMs(failures: number, profile: RetryProfile, retryAfterMs: number | null): number | null {
  const wait = WAITS_MS[profile][failures - 1];
  return wait === undefined ? null : Math.max(wait, Math.min(retryAfterMs ?? 0, RETRY_AFTER_LIMIT_MS));
}
