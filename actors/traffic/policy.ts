/** The numbers of an organization's traffic: rate limits, keys. All code and documents take them from here. */

/** Windows are fixed: `floor(time / 60 s)` (RATE-1). */
export const RATE_WINDOW_MS = 60_000;
/**
 * The part of a budget that one commit reserves ahead is less than this. A crash may lose that much (RATE-1). The
 * smaller it is, the more commits are needed.
 */
export const RESERVED_SHARE = 0.02;
/** The largest reservation. With one commit for this many requests, a larger one would save nothing. */
export const RESERVATION_LIMIT = 60;

/** Requests that an identity may send in a window; a higher number can be configured for an organization. */
export const RATE_BUDGET = 3_000;

/** How many other identities of the organization a reservation checks for need: bounds its cost. */
export const NEIGHBOURS = 128;

/** An identity's limit in a window. */
export interface RateLimit {
  /** Requests; all of them may come at once. */
  readonly budget: number;
  /** How many of them one commit reserves. */
  readonly reservation: number;
}

/** The limit for this many requests in a window. */
export const rateLimit = (budget: number): RateLimit => ({
  budget,
  reservation: Math.min(RESERVATION_LIMIT, Math.max(1, Math.ceil(budget * RESERVED_SHARE) - 1)),
});

/**
 * A session of an MCP client can be opened for this long after its beginning: longer than any client keeps one (MCP-1).
 */
export const CLIENT_SESSION_MS = 30 * 24 * 60 * 60_000;
/** Sessions of one person with stored state: that they have ended, or their subscriptions. */
export const CLIENT_SESSIONS_KEPT = 256;
/** Resources to which one session can subscribe (MCP-6). */
export const SESSION_SUBSCRIPTIONS = 64;
/** Resources to which all sessions of one person together can subscribe. */
export const PERSON_SUBSCRIPTIONS = 256;

/** How long an idempotency key is remembered (IDEM-1). */
export const IDEMPOTENCY_KEY_MS = 24 * 60 * 60_000;
/** How long a request that commits more than once may take; then its key is free again. */
export const RUNNING_KEY_MS = 60_000;
