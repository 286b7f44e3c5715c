/** The numbers of webhook delivery (HOOK-6, HOOK-8, HOOK-9). All code and documents take them from here. */
import { DAY_MS } from "../units.ts";

/** The receiver wants nothing more, permanently. */
export const GONE_STATUS = 410;

/** Addresses that one job tells its states. */
export const PUSHES_OF_JOB = 8;

/** Attempts of one organization that are in flight at once, for its destination; and as many for addresses of its jobs. */
export const IN_FLIGHT_LIMIT = 8;
/**
 * Of these places, those that addresses of jobs never have together if their hosts did not answer (`queue.ts`): half.
 */
export const IN_FLIGHT_RESERVE = IN_FLIGHT_LIMIT / 2;
/** Hosts that did not answer and are remembered. */
export const SILENT_HOSTS = 64;
/** A destination at which everything has failed for this long is disabled. */
export const FAILING_LIMIT_MS = 5 * DAY_MS;

/** When fewer attempts than this are ready, the next are searched for. */
export const READY_LOW = 12;
/** Ready attempts in memory; the others wait in their table. */
export const READY_LIMIT = 32;
/**
 * Ready attempts that a host keeps in memory while it has no place; all of these hosts together keep `READY_LOW`, so that
 * the next ones are searched for.
 */
export const READY_OF_HOST = READY_LOW / 2;
/** Attempts that one search finds: the number that is ready or in flight anyway, and as many again. */
export const FOUND_LIMIT = READY_LIMIT + READY_LOW + IN_FLIGHT_LIMIT;
/**
 * Records that an organization's deliveries keep in memory: for its destination and for the addresses of its jobs the
 * ready attempts, those in flight and the results of one search, each with its event. Ended attempts are not read again.
 */
export const KEPT_DELIVERY_RECORDS = 256;
/** Retries that are due within the same interval are searched for together. */
export const RETRY_TICK_MS = 100;

/** Events in one commit of a bulk redelivery. */
export const REDELIVERY_PAGE = 100;
/** Bulk redeliveries of one organization at once. */
export const REDELIVERIES = 4;

/** The longest time for which the old signing secret stays valid after a rotation (HOOK-8). */
export const GRACE_LIMIT_SECONDS = 7 * 24 * 60 * 60;

/** How long an event is kept for redelivery and reading (HOOK-9). */
export const EVENT_RETENTION_MS = 30 * DAY_MS;
/** How long a row of the ledger is kept; no delivery takes nearly as long. */
export const ATTEMPT_RETENTION_MS = 90 * DAY_MS;
