/**
 * How long the steps of a drain may take. Together with limits in other parts they stay below the limit of the whole
 * drain (`test/service/drain-limits.test.ts` adds them up), so that a slow step takes no time from the next ones.
 *
 *   effects ─▶ clients held ─▶ actors ─▶ linger ─▶ requests in flight ─▶ calls of other replicas ─▶ connections
 */

/** The whole drain is cut off after this. The service managers in `deploy/` wait 30 s. */
export const DRAIN_LIMIT_MS = 25_000;
/** Effects of a leaving replica, which still serves its clients. Unfinished ones are left to the next owner. */
export const EFFECTS_LEAVE_MS = 2_000;
/** The actors' last commits. */
export const ACTORS_STOP_MS = 7_000;
/** A replica that has left keeps forwarding requests for this long, until the load balancer notices (`/readyz`). */
export const LINGER_MS = 1_500;
/** Requests in flight. */
export const REQUESTS_STOP_MS = 5_000;
