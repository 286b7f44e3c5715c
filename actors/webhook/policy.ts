/** The numbers of webhook delivery (HOOK-6, HOOK-8, HOOK-9). All code and documents take them from here. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The waits before the second, third and fourth attempt; the first is made at once. */
const USUAL_WAITS_MS = [1 * SECOND_MS, 2 * SECOND_MS, 4 * SECOND_MS];
/** How a destination that is away for long is tried further. */
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

/** What a receiver asks for can only make a wait longer, and by no more than this. */
const RETRY_AFTER_LIMIT_MS = 60 * SECOND_MS;

/** The wait after so many failures of one delivery; null when it is given up. */
export function waitAfter(failures: number, profile: RetryProfile, retryAfterMs: number | null): number | null {
  const wait = WAITS_MS[profile][failures - 1];
  return wait === undefined ? null : Math.max(wait, Math.min(retryAfterMs ?? 0, RETRY_AFTER_LIMIT_MS));
}

/** Attempts of one organization that are under way at once. */
export const IN_FLIGHT_LIMIT = 8;
/** A destination at which everything has failed for so long is not tried any more. */
export const FAILING_LIMIT_MS = 5 * DAY_MS;

/** With the attempts that are ready fewer than this, the next are looked for. */
export const READY_LOW = 12;
/** Attempts that are ready in memory; the others wait in their table. */
export const READY_LIMIT = 32;
/** Attempts found by one look into the table: what is ready or under way anyway, and as many again. */
export const FOUND_LIMIT = READY_LIMIT + READY_LOW + IN_FLIGHT_LIMIT;
/**
 * Records that an organization's deliveries keep in memory: what is ready or under way and one look's find,
 * each with its event. Nobody asks again for an attempt that has ended.
 */
export const KEPT_RECORDS = 128;
/** Retries that fall due within the same span are looked for together. */
export const RETRY_TICK_MS = 100;

/** Events that one commit of a bulk redelivery takes up. */
export const REDELIVERY_PAGE = 100;
/** Bulk redeliveries of one organization at once. */
export const REDELIVERIES = 4;

/** The old signing secret counts for no longer after a rotation (HOOK-8). */
export const GRACE_LIMIT_SECONDS = 7 * 24 * 60 * 60;

/** An event is kept for so long, to be sent again or read (HOOK-9). */
export const EVENT_RETENTION_MS = 30 * DAY_MS;
/** A row of the ledger; no delivery takes nearly so long. */
export const ATTEMPT_RETENTION_MS = 90 * DAY_MS;
