/**
 * How events enter the feed, and how their deliveries begin: automatically, as a test, or as a redelivery (HOOK-3,
 * HOOK-10).
 */
import { invalid, notFound, ok, type Outcome, refuse } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { firstAttempt, numberEvent } from "./numbering.ts";
import { EVENT_RETENTION_MS, REDELIVERIES } from "./policy.ts";
import { queuePushes } from "./pushes.ts";
import type { EventRange, WebhookProtocol } from "./protocol.ts";
import { activeDestination, destinationOf, feedOf, fillFeed, keepFeed, queueAttempt, takeNews } from "./queue.ts";
import {
  type Attempt,
  attemptTable,
  type WebhookDestination,
  type Feed,
  feedTable,
  webhookEventTable,
} from "./schema.ts";

export const deliveryHandlers = {
  take_event(tx, { event: news, push }) {
    const { feed, event, isWanted } = takeNews(tx, news);
    const queued = push === undefined ? feed : queuePushes(tx, feed, event, push.isOver);
    const isSent = isWanted || queued !== feed;
    // Reading the feed hurries the commit.
    if (!isSent) tx.mayWait();
    keepFeed(tx, isSent ? fillFeed(tx, queued) : feed);
    return ok(null);
  },

  send_test: (tx, { event: news }) =>
    whereSending(tx, (destination) => {
      const { feed, event } = numberEvent(tx, feedOf(tx), news);
      const attempt = firstAttempt(tx, event, destination, "test");
      keepFeed(tx, fillFeed(tx, queueAttempt(feed, attempt)));
      return ok(attempt);
    }),

  redeliver(tx, { attemptId }) {
    const former = tx.read(attemptTable, attemptId);
    // The records of the path come first, whether delivery is on or not.
    if (former === null) return notFound(destinationOf(tx) === null ? "messaging_integration" : "delivery");
    if (former.push !== undefined)
      return invalidState("pushed", "A push notification has the state of its task when it is sent: read the task");
    return whereSending(tx, (destination) => {
      const event = tx.read(webhookEventTable, former.eventId);
      if (event === null || tx.now - Date.parse(event.createdAt) > EVENT_RETENTION_MS)
        return refuse({ kind: "event_not_retained" });
      const attempt = firstAttempt(tx, event, destination, "redelivery");
      const feed = sentAgain(feedOf(tx), { after: event.sequence - 1, until: event.sequence });
      keepFeed(tx, fillFeed(tx, queueAttempt(feed, attempt)));
      return ok(attempt);
    });
  },

  redeliver_range: (tx, { range }) =>
    whereSending<EventRange>(tx, () => {
      const feed = feedOf(tx);
      if (feed.redeliveries.length >= REDELIVERIES)
        return invalidState("redelivering", `At most ${REDELIVERIES} redeliveries run at once: wait for one to end`);
      if (range.after >= feed.sequence)
        return invalid("/since_sequence", `since_sequence must not be past the newest event, ${feed.sequence}`);
      const until = Math.min(range.until, feed.sequence);
      const bounded = { ...range, until };
      const rest = range.eventTypes.length === 0 ? sentAgain(feed, bounded) : feed;
      keepFeed(tx, { ...rest, redeliveries: [...feed.redeliveries, redelivery(tx, bounded)] });
      return ok(bounded);
    }),

  redeliver_page(tx, { effectId, events, rest }) {
    tx.settle(effectId);
    let feed = feedOf(tx);
    if (!feed.redeliveries.includes(effectId)) return ok(null);
    const others = feed.redeliveries.filter((id) => id !== effectId);
    const destination = activeDestination(tx);
    feed = { ...feed, redeliveries: others };
    if (destination !== null) {
      for (const event of events) feed = queueAttempt(feed, firstAttempt(tx, event, destination, "redelivery"));
      if (rest !== null) feed = { ...feed, redeliveries: [...others, redelivery(tx, rest)] };
    }
    keepFeed(tx, fillFeed(tx, feed));
    return ok(null);
  },

  read_feed: (tx) => ok({ sequence: tx.read(feedTable, tx.self.id)?.sequence ?? 0 }),
} satisfies Partial<Handlers<WebhookProtocol>>;

/** The feed when events are sent again: nothing is undelivered any more where all of it is among them. */
function sentAgain(feed: Feed, { after, until }: Pick<EventRange, "after" | "until">): Feed {
  const { undelivered = null } = feed;
  const isAll = undelivered !== null && undelivered.sinceSequence > after && undelivered.untilSequence <= until;
  return isAll ? { ...feed, undelivered: null } : feed;
}

/** Goes through the range page by page. Each page is one effect, so that no event is sent twice. */
const redelivery = (tx: Tx, range: EventRange): string =>
  tx.effect(tx.self, "redeliver_webhooks", { ...range, eventTypes: [...range.eventTypes] });

function whereSending<T = Attempt>(tx: Tx, run: (destination: WebhookDestination) => Outcome<T>): Outcome<T> {
  const destination = activeDestination(tx);
  if (destination !== null) return run(destination);
  if (destinationOf(tx) === null) return notFound("messaging_integration");
  return invalidState("disabled", "Delivery is switched off: enable it first");
}

const invalidState = (status: string, message: string): Outcome<never> =>
  refuse({ kind: "invalid_state", status, allowedActions: [], message });
