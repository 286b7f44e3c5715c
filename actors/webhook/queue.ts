/**
 * Which attempt is made when (HOOK-6). The table of attempts is the queue; the feed holds what comes
 * next, so that neither memory nor a commit grows with what waits.
 *
 *   planned ─▶ ready (32) ─▶ in flight (8) ─▶ ended
 *      │          ▲
 *      │          │ found, due first, then by number
 *      └─▶ only in the table: more than 32 are due, or it is a retry that is not due yet
 *
 * While the table may have more that are due (`hasMore`), what is new goes there too, so nothing
 * overtakes. An alarm looks again when the first retry falls due. Where delivery is switched off, the
 * same look takes everything that still waits, and marks it as skipped.
 */
import type { NewRecord, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { FOUND_LIMIT, IN_FLIGHT_LIMIT, READY_LIMIT, READY_LOW, RETRY_TICK_MS } from "./policy.ts";
import type { AttemptHead } from "./protocol.ts";
import { type Attempt, attemptTable, type Destination, destinationTable, type Feed, feedTable } from "./schema.ts";

/** The intent of an effect that makes attempts: those that one turn has started. */
export interface DeliveryIntent {
  readonly attempts: readonly AttemptHead[];
}

/** The intent of a look into the table. */
export interface SearchIntent {
  /** Attempts that are due by then, ISO 8601; null: all that wait. */
  readonly until: string | null;
  readonly limit: number;
}

const EMPTY_FEED: Omit<NewRecord<Feed>, "id"> = {
  sequence: 0,
  inFlight: [],
  ready: [],
  hasMore: false,
  search: null,
  isSearchStale: false,
  wakeAt: null,
  redeliveries: [],
  lastSuccessAt: null,
  lastFailureAt: null,
  failingSince: null,
};

export const feedOf = (tx: Tx): Feed =>
  tx.read(feedTable, tx.self.id) ?? tx.create(feedTable, { id: tx.self.id, ...EMPTY_FEED });
export const keepFeed = (tx: Tx, feed: Feed): Feed => tx.update(feedTable, feed);

export const destinationOf = (tx: Tx): Destination | null => tx.read(destinationTable, tx.self.id);
/** The destination, if anything is sent to it. */
export function activeDestination(tx: Tx): Destination | null {
  const destination = destinationOf(tx);
  return destination?.enabled === true ? destination : null;
}

/** The feed after an attempt that is due now has been planned. */
export function queued(feed: Feed, attempt: Attempt): Feed {
  if (!feed.hasMore && feed.ready.length < READY_LIMIT) return { ...feed, ready: [...feed.ready, attempt.id] };
  return withMore(feed);
}

/** The table has more that are due. */
export const withMore = (feed: Feed): Feed => ({ ...feed, hasMore: true, isSearchStale: feed.search !== null });

/** The feed that will look for what falls due at this time. */
export function awaited(tx: Tx, feed: Feed, dueAt: string | null): Feed {
  if (dueAt === null) return feed;
  const wakeAtMs = Math.ceil(Date.parse(dueAt) / RETRY_TICK_MS) * RETRY_TICK_MS;
  if (feed.wakeAt !== null && Date.parse(feed.wakeAt) <= wakeAtMs) return feed;
  tx.setAlarm(tx.self, "retries", wakeAtMs, { kind: "attempts_due" });
  return { ...feed, wakeAt: isoTime(wakeAtMs) };
}

/** Starts what may start, and looks for more where little is left. */
export function filled(tx: Tx, feed: Feed): Feed {
  const isActive = activeDestination(tx) !== null;
  const next = isActive ? started(tx, feed) : feed.ready.length === 0 ? feed : { ...withMore(feed), ready: [] };
  if (!next.hasMore || next.search !== null || next.ready.length > READY_LOW) return next;
  const intent: SearchIntent = { until: isActive ? isoTime(tx.now) : null, limit: FOUND_LIMIT };
  return { ...next, search: tx.effect(tx.self, "find_webhooks", { ...intent }), isSearchStale: false };
}

function started(tx: Tx, feed: Feed): Feed {
  const attempts: AttemptHead[] = [];
  let taken = 0;
  while (feed.inFlight.length + attempts.length < IN_FLIGHT_LIMIT && taken < feed.ready.length) {
    const attempt = tx.read(attemptTable, feed.ready[taken++]!);
    // Found in the table, it may have ended while it was looked for.
    if (attempt?.status === "pending") attempts.push({ id: attempt.id, eventId: attempt.eventId });
  }
  if (taken === 0) return feed;
  const ready = feed.ready.slice(taken);
  if (attempts.length === 0) return { ...feed, ready };
  const effectId = tx.effect(tx.self, "deliver_webhooks", { attempts } satisfies DeliveryIntent);
  return { ...feed, inFlight: [...feed.inFlight, ...attempts.map(({ id }) => ({ attemptId: id, effectId }))], ready };
}
