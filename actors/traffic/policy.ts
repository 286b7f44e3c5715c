/** The numbers of an organization's traffic: rate limits, keys. All code and documents take them from here. */

/** Windows are fixed: `floor(time / 60 s)` (RATE-1). */
export const RATE_WINDOW_MS = 60_000;
/**
 * Of a budget, the part that a commit reserves ahead stays below this: it is what a crash may cost
 * (RATE-1). The smaller, the more commits.
 */
export const RESERVED_SHARE = 0.02;
/** Of a large budget no more than this: with one commit for so many requests, fewer would save nothing. */
export const RESERVATION_LIMIT = 60;

/** Requests that an identity may send in a window; a higher number can be configured for an organization. */
export const RATE_BUDGET = 3_000;

/** Others of the organization that a reservation looks at, whether they need one soon: bounds what it costs. */
export const NEIGHBOURS = 128;

/** What an identity may do in a window. */
export interface RateLimit {
  /** Requests, all at once if it likes. */
  readonly budget: number;
  /** How many of them one commit reserves. */
  readonly reservation: number;
}

/** The limit of so many requests in a window. */
export const rateLimit = (budget: number): RateLimit => ({
  budget,
  reservation: Math.min(RESERVATION_LIMIT, Math.max(1, Math.ceil(budget * RESERVED_SHARE) - 1)),
});

/** A session of an MCP client opens for so long after its beginning: longer than any client keeps one (MCP-1). */
export const CLIENT_SESSION_MS = 30 * 24 * 60 * 60_000;
/** Sessions of one person of which something is kept: that they have ended, or what they are subscribed to. */
export const CLIENT_SESSIONS_KEPT = 256;
/** Resources that one session is subscribed to (MCP-6), */
export const SESSION_SUBSCRIPTIONS = 64;
/** and all sessions of one person. */
export const PERSON_SUBSCRIPTIONS = 256;

/** An idempotency key is remembered for so long (IDEM-1). */
export const IDEMPOTENCY_KEY_MS = 24 * 60 * 60_000;
/** A request that commits more than once has so long to its end; then its key is free again. */
export const RUNNING_KEY_MS = 60_000;
