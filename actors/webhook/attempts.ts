/**
 * The ends of attempts (HOOK-6). The sender reports how they ended. The same commit has the ledger's rows, the next
 * attempts if any follow, and the start of the next deliveries.
 */
import { ok } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { disableDestination } from "./destination.ts";
import { nextAttempt } from "./numbering.ts";
import { retryWaitMs } from "../delivery-retries.ts";
import { FAILING_LIMIT_MS, GONE_STATUS } from "./policy.ts";
import type { AttemptEnd, AttemptHead, AttemptResult, Prepared, PreparedPush, WebhookProtocol } from "./protocol.ts";
import { endPush, preparePush } from "./pushes.ts";
import {
  type Attempt,
  attemptTable,
  type Feed,
  redactedHost,
  type WebhookDestination,
  webhookEventTable,
} from "./schema.ts";
import {
  activeDestination,
  destinationOf,
  feedOf,
  fillFeed,
  flightsOf,
  keepFeed,
  plannedIds,
  queueAttempt,
  searchingLane,
  withLane,
  withMore,
  withoutFlights,
  withSearchAt,
} from "./queue.ts";

export const attemptHandlers = {
  prepare_attempts: (tx, { attempts }) => ok(attempts.map((head) => prepareAttempt(tx, head))),

  attempts_ended(tx, { ends }) {
    let feed = feedOf(tx);
    for (const end of ends) feed = landAttempt(tx, feed, end);
    // An effect ends with the last of its attempts.
    for (const effectId of new Set(ends.map((end) => end.effectId)))
      if (!flightsOf(feed).some((flight) => flight.effectId === effectId)) tx.settle(effectId);
    keepFeed(tx, fillFeed(tx, feed));
    return ok(null);
  },

  attempts_found(tx, { effectId, until, attemptIds, isAll, nextDueAt }) {
    tx.settle(effectId);
    const feed = feedOf(tx);
    const name = searchingLane(feed, effectId);
    if (name === null) return ok(null);
    const planned = new Set(plannedIds(feed));
    const found = attemptIds.filter((id) => !planned.has(id));
    const isToSkip = until === null && activeDestination(tx) === null;
    if (isToSkip) for (const id of found) skipAttempt(tx, id);
    let hasSkips = feed.hasSkips === true;
    const next = withLane(feed, name, (lane) => {
      const isMore = !isAll || lane.isSearchStale;
      const over = { ...lane, search: null, isSearchStale: false };
      if (until !== null) return { ...over, hasMore: isMore, ready: [...lane.ready, ...found] };
      hasSkips = isToSkip ? isMore : hasSkips;
      // Delivery may be on again meanwhile: then the found attempts may not be due.
      return isToSkip ? over : withMore(over);
    });
    keepFeed(tx, fillFeed(tx, withSearchAt(tx, { ...next, hasSkips }, name, nextDueAt)));
    return ok(null);
  },

  attempts_due(tx, { lane: name = "webhooks" }) {
    keepFeed(
      tx,
      fillFeed(
        tx,
        withLane(feedOf(tx), name, (lane) => withMore({ ...lane, wakeAt: null })),
      ),
    );
    return ok(null);
  },
} satisfies Partial<Handlers<WebhookProtocol>>;

function prepareAttempt(tx: Tx, { id, eventId }: AttemptHead): Prepared | PreparedPush | null {
  const planned = tx.read(attemptTable, id);
  const event = tx.read(webhookEventTable, eventId);
  if (planned === null || event === null) return null;
  if (planned.push !== undefined) return preparePush(tx, planned, event);
  const destination = activeDestination(tx);
  if (destination === null) return null;
  return { attempt: withDestinationHost(tx, planned, destination), event, destination };
}

/** A retry may have waited for hours: the ledger names the host that it is sent to, not that of its planning. */
function withDestinationHost(tx: Tx, attempt: Attempt, { url }: WebhookDestination): Attempt {
  const destinationHost = redactedHost(url);
  return attempt.destinationHost === destinationHost
    ? attempt
    : tx.update(attemptTable, { ...attempt, destinationHost });
}

/**
 * The feed after the end of one of its attempts in flight; a report about any other attempt is too late and ignored.
 */
function landAttempt(tx: Tx, feed: Feed, { attemptId, effectId, sentTo, result }: AttemptEnd): Feed {
  const left = withoutFlights(feed, (flight) => flight.attemptId === attemptId && flight.effectId === effectId);
  if (flightsOf(left).length === flightsOf(feed).length) return feed;
  const attempt = tx.read(attemptTable, attemptId);
  if (attempt === null) return left;
  if (attempt.push !== undefined) return endPush(tx, left, { attempt, sentTo, result });
  return endAttempt(tx, left, { attempt, sentTo, result });
}

function skipAttempt(tx: Tx, attemptId: string): void {
  const attempt = tx.read(attemptTable, attemptId);
  if (attempt?.status === "pending") tx.update(attemptTable, { ...attempt, status: "skipped" });
}

interface EndedAttempt extends Pick<AttemptEnd, "sentTo" | "result"> {
  readonly attempt: Attempt;
}

function endAttempt(tx: Tx, feed: Feed, { attempt, sentTo, result }: EndedAttempt): Feed {
  const destination = activeDestination(tx);
  // The answer of a former address says nothing about the current one.
  const isOfPresent = destinationOf(tx)?.url === sentTo;
  switch (result.kind) {
    case "delivered": {
      const { httpStatus, durationMs } = result;
      tx.update(attemptTable, { ...attempt, status: "success", httpStatus, durationMs });
      return isOfPresent ? { ...feed, lastSuccessAt: isoTime(tx.now), failingSince: null } : feed;
    }
    case "skipped":
      tx.update(attemptTable, { ...attempt, status: "skipped" });
      return feed;
    case "interrupted":
      return retryInterrupted(tx, feed, attempt, destination);
    case "failed":
      return failAttempt(tx, feed, { attempt, result, destination, isOfPresent });
  }
}

/**
 * It is unknown whether the receiver has the event: it is sent again at once, and this does not count as a failure of
 * the receiver.
 */
function retryInterrupted(tx: Tx, feed: Feed, attempt: Attempt, destination: WebhookDestination | null): Feed {
  const error = "connection_reset";
  if (destination === null) {
    tx.update(attemptTable, { ...attempt, status: "failed", error });
    return givenUp(feed, attempt);
  }
  const dueAt = isoTime(tx.now);
  tx.update(attemptTable, { ...attempt, status: "retrying", error, nextAttemptAt: dueAt });
  return queueAttempt(feed, nextAttempt(tx, attempt, { failures: attempt.failures, dueAt, url: destination.url }));
}

interface Failure {
  readonly attempt: Attempt;
  readonly result: Extract<AttemptResult, { readonly kind: "failed" }>;
  readonly destination: WebhookDestination | null;
  /** It is the present destination that has failed. */
  readonly isOfPresent: boolean;
}

function failAttempt(tx: Tx, feed: Feed, { attempt, result, destination, isOfPresent }: Failure): Feed {
  const { error, httpStatus, durationMs, isTransient, retryAfterMs } = result;
  const now = isoTime(tx.now);
  const failingSince = feed.failingSince ?? now;
  const failing: Feed = isOfPresent ? { ...feed, lastFailureAt: now, failingSince } : feed;
  const reported: Attempt = { ...attempt, error, httpStatus, durationMs };
  const failures = attempt.failures + 1;
  const reason = isOfPresent ? disablingReason(tx, failingSince, httpStatus) : null;
  const waitMs =
    isTransient && destination !== null && reason === null
      ? retryWaitMs(failures, destination.retryProfile, retryAfterMs)
      : null;
  if (waitMs === null || destination === null) {
    tx.update(attemptTable, { ...reported, status: "failed" });
    const left = givenUp(failing, attempt);
    return reason === null || destination === null ? left : disableDestination(tx, destination, left, reason);
  }
  const dueAt = isoTime(tx.now + waitMs);
  tx.update(attemptTable, { ...reported, status: "retrying", nextAttemptAt: dueAt });
  nextAttempt(tx, attempt, { failures, dueAt, url: destination.url });
  return withSearchAt(tx, failing, "webhooks", dueAt);
}

/** The feed after a delivery that is not retried; a failed test is not counted as undelivered. */
function givenUp(feed: Feed, { trigger, sequence }: Attempt): Feed {
  if (trigger === "test") return feed;
  const former = feed.undelivered ?? { deliveries: 0, sinceSequence: sequence, untilSequence: sequence };
  const undelivered = {
    deliveries: former.deliveries + 1,
    sinceSequence: Math.min(former.sinceSequence, sequence),
    untilSequence: Math.max(former.untilSequence, sequence),
  };
  return { ...feed, undelivered };
}

function disablingReason(tx: Tx, failingSince: string, httpStatus: number | null) {
  if (httpStatus === GONE_STATUS) return "gone";
  return tx.now - Date.parse(failingSince) >= FAILING_LIMIT_MS ? "failing" : null;
}
