/** How an event gets its number, and a delivery its first attempt (HOOK-2, HOOK-3). */
import type { Tx } from "../runtime/actor.ts";
import { carrying } from "../runtime/tracing.ts";
import { isoTime } from "../schema.ts";
import type { NewsEvent } from "./events.ts";
import type { EventHead } from "./protocol.ts";
import {
  type Attempt,
  attemptTable,
  type Feed,
  redactedHost,
  type WebhookDestination,
  type WebhookEvent,
  webhookEventTable,
} from "./schema.ts";

/** Stores the event under the next number. */
export function numberEvent(
  tx: Tx,
  feed: Feed,
  news: NewsEvent,
): { readonly feed: Feed; readonly event: WebhookEvent } {
  const sequence = feed.sequence + 1;
  const numberedEvent = { id: tx.id("evt"), sequence, ...news, changes: [...news.changes] };
  const event = tx.create(webhookEventTable, carrying(numberedEvent, tx.carrier));
  return { feed: { ...feed, sequence }, event };
}

/** Plans a delivery: its first attempt, which is due now. */
export function firstAttempt(
  tx: Tx,
  { id, type, source, sequence }: EventHead,
  { url, push }: Pick<WebhookDestination, "url"> & Pick<Attempt, "push">,
  trigger: Attempt["trigger"],
): Attempt {
  return tx.create(attemptTable, {
    id: tx.id("dlv"),
    eventId: id,
    eventType: type,
    source,
    sequence,
    attempt: 1,
    failures: 0,
    ...UNDECIDED,
    destinationHost: redactedHost(url),
    deliveryKey: tx.id("dlk"),
    trigger,
    ...(push === undefined ? {} : { push }),
    dueAt: isoTime(tx.now),
  });
}

/** The attempt after one that did not succeed. */
export function nextAttempt(
  tx: Tx,
  { eventId, eventType, source, sequence, deliveryKey, trigger, push, attempt }: Attempt,
  { failures, dueAt, url }: Pick<Attempt, "failures" | "dueAt"> & { readonly url: string },
): Attempt {
  return tx.create(attemptTable, {
    id: tx.id("dlv"),
    eventId,
    eventType,
    source,
    sequence,
    attempt: attempt + 1,
    failures,
    ...UNDECIDED,
    destinationHost: redactedHost(url),
    deliveryKey,
    trigger,
    ...(push === undefined ? {} : { push }),
    dueAt,
  });
}

const UNDECIDED = { status: "pending", httpStatus: null, error: null, durationMs: null, nextAttemptAt: null } as const;
