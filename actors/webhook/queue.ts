/**
 * Schedules the attempts (HOOK-6). The table of attempts is the queue. The feed holds only the next attempts, so
 * neither memory nor a commit grows with the backlog.
 *
 *   planned ─▶ ready (32) ─▶ in flight (8) ─▶ ended
 *      │          ▲
 *      │          │ found, earliest due first, then by number
 *      └─▶ only in the table: more than 32 are due, or it is a retry that is not due yet
 *
 * While the table may have more due attempts (`hasMore`), new ones go there too, so nothing overtakes. An alarm
 * searches again when the first retry is due. If delivery is switched off, a search takes every waiting attempt of the
 * organization's destination and marks it as skipped. Attempts to tell the addresses of a job its state (`pushes.ts`)
 * go on.
 */
import { assert } from "../assert.ts";
import type { NewRecord, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { type NewsEvent, takes } from "./events.ts";
import { firstAttempt, numberEvent } from "./numbering.ts";
import { FOUND_LIMIT, IN_FLIGHT_LIMIT, READY_LIMIT, READY_LOW, RETRY_TICK_MS } from "./policy.ts";
import type { AttemptHead } from "./protocol.ts";
import {
  type Attempt,
  attemptTable,
  type WebhookDestination,
  destinationTable,
  type Feed,
  feedTable,
  type WebhookEvent,
} from "./schema.ts";

/** The intent of an effect that makes attempts: those that one turn has started. */
export interface DeliveryIntent {
  readonly attempts: readonly AttemptHead[];
}

/** The intent of a search in the table. */
export interface SearchIntent {
  /** Attempts due by this time, ISO 8601; null: all that wait for the organization's destination. */
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
export function keepFeed(tx: Tx, feed: Feed): Feed {
  const { inFlight, ready } = feed;
  assert(inFlight.length <= IN_FLIGHT_LIMIT, "so many attempts are in flight at most");
  const ids = [...inFlight.map(({ attemptId }) => attemptId), ...ready];
  assert(new Set(ids).size === ids.length, "an attempt is ready or in flight, once");
  assert(feed.sequence >= feedOf(tx).sequence, "numbers of events only rise");
  return tx.update(feedTable, feed);
}

export const destinationOf = (tx: Tx): WebhookDestination | null => tx.read(destinationTable, tx.self.id);
/** The destination, if delivery is on. */
export function activeDestination(tx: Tx): WebhookDestination | null {
  const destination = destinationOf(tx);
  return destination?.enabled === true ? destination : null;
}

/** The feed after planning an attempt that is due now. */
export function queueAttempt(feed: Feed, attempt: Attempt): Feed {
  if (!feed.hasMore && feed.ready.length < READY_LIMIT) return { ...feed, ready: [...feed.ready, attempt.id] };
  return withMore(feed);
}

/** Numbers the event, and plans its delivery if the organization's destination takes it. */
export function takeNews(
  tx: Tx,
  news: NewsEvent,
): { readonly feed: Feed; readonly event: WebhookEvent; readonly isWanted: boolean } {
  const { feed, event } = numberEvent(tx, feedOf(tx), news);
  const destination = activeDestination(tx);
  if (destination === null || !takes(destination.eventTypes, event)) return { feed, event, isWanted: false };
  return { feed: queueAttempt(feed, firstAttempt(tx, event, destination, "automatic")), event, isWanted: true };
}

/** The feed whose table has more due attempts. */
export const withMore = (feed: Feed): Feed => ({ ...feed, hasMore: true, isSearchStale: feed.search !== null });

/** The feed whose table has attempts that are to be skipped. */
export const withSkips = (feed: Feed): Feed => ({ ...feed, hasSkips: true, isSearchStale: feed.search !== null });

/** The feed with a search at this time. */
export function withSearchAt(tx: Tx, feed: Feed, dueAt: string | null): Feed {
  if (dueAt === null) return feed;
  const wakeAtMs = Math.ceil(Date.parse(dueAt) / RETRY_TICK_MS) * RETRY_TICK_MS;
  if (feed.wakeAt !== null && Date.parse(feed.wakeAt) <= wakeAtMs) return feed;
  tx.setAlarm("retries", wakeAtMs, { kind: "attempts_due" });
  return { ...feed, wakeAt: isoTime(wakeAtMs) };
}

/** Starts attempts while there is room, and searches for more if few are ready. */
export function fillFeed(tx: Tx, feed: Feed): Feed {
  const isActive = activeDestination(tx) !== null;
  const next = startAttempts(tx, isActive ? feed : withoutOff(tx, feed));
  const skips = !isActive && next.hasSkips === true;
  if (next.search !== null || next.ready.length > READY_LOW || !(skips || next.hasMore)) return next;
  const intent: SearchIntent = { until: skips ? null : isoTime(tx.now), limit: FOUND_LIMIT };
  return { ...next, search: tx.effect(tx.self, "find_webhooks", { ...intent }), isSearchStale: false };
}

/** The feed without ready attempts for the organization's destination, because delivery to it is off. */
function withoutOff(tx: Tx, feed: Feed): Feed {
  const ready = feed.ready.filter((id) => tx.read(attemptTable, id)?.push !== undefined);
  return ready.length === feed.ready.length ? feed : { ...withSkips(feed), ready };
}

function startAttempts(tx: Tx, feed: Feed): Feed {
  const attempts: AttemptHead[] = [];
  let taken = 0;
  while (feed.inFlight.length + attempts.length < IN_FLIGHT_LIMIT && taken < feed.ready.length) {
    const attempt = tx.read(attemptTable, feed.ready[taken++]!);
    // An attempt from the table may have ended during the search.
    if (attempt?.status === "pending") attempts.push({ id: attempt.id, eventId: attempt.eventId });
  }
  if (taken === 0) return feed;
  const ready = feed.ready.slice(taken);
  if (attempts.length === 0) return { ...feed, ready };
  const effectId = tx.effect(tx.self, "deliver_webhooks", { attempts } satisfies DeliveryIntent);
  return { ...feed, inFlight: [...feed.inFlight, ...attempts.map(({ id }) => ({ attemptId: id, effectId }))], ready };
}
