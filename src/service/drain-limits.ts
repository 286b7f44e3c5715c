/**
 * How long the steps of a drain may take. Together with those of other parts (`test/service/drain-limits.test.ts` adds
 * them up) they are over before the drain is cut off, so that a slow step costs the next ones nothing.
 *
 *   effects ─▶ clients held ─▶ actors ─▶ linger ─▶ requests under way ─▶ calls of other replicas ─▶ connections
 */

/** The whole drain is cut off after this. The service managers in `deploy/` wait 30 s. */
export const DRAIN_LIMIT_MS = 25_000;
/** The effects of a replica that leaves, while its clients are served still. What does not end is left behind. */
export const EFFECTS_LEAVE_MS = 2_000;
/** The actors' last commits. */
export const ACTORS_STOP_MS = 7_000;
/** A replica that has left goes on handing requests on for so long, until the balancer has noticed (`/readyz`). */
export const LINGER_MS = 1_500;
/** Requests that are under way. */
export const REQUESTS_STOP_MS = 5_000;
