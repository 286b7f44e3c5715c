/**
 * Push notifications of a job: its client has named addresses that get each new state of this job, until the job has
 * ended. They share the numbers, the attempts and the ledger of webhooks. Each has an address and credentials of its
 * own, and together they have places in flight of their own. So their failures do not count against the organization's
 * destination, and do not delay it.
 *
 *   set ─▶ told each state of the job; only the newest one is tried again ─▶ told the last state ─▶ done
 *      └─▶ removed by its client, or by an answer 410
 */
import { notFound, ok, refuse } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import { firstAttempt, nextAttempt } from "./numbering.ts";
import { retryWaitMs } from "../delivery-retries.ts";
import { GONE_STATUS, PUSHES_OF_JOB } from "./policy.ts";
import type { AttemptResult, PreparedPush, WebhookProtocol } from "./protocol.ts";
import { fillFeed, keepFeed, queueAttempt, takeNews, withAnswer, withSearchAt } from "./queue.ts";
import { type Attempt, attemptTable, type Feed, type JobPush, jobPushTable, type WebhookEvent } from "./schema.ts";

export const pushHandlers = {
  set_push(tx, { jobId, isOver, push: given, event: news }) {
    const former = tx.read(jobPushTable, jobId) ?? tx.create(jobPushTable, { id: jobId, isOver: false, pushes: [] });
    const others = former.pushes.filter(({ id }) => id !== given.id);
    if (others.length >= PUSHES_OF_JOB)
      return refuse({
        kind: "invalid_state",
        status: "full",
        allowedActions: [],
        message: `A task has at most ${PUSHES_OF_JOB} addresses for push notifications: delete one first`,
      });
    const { feed, event } = takeNews(tx, news);
    const push: JobPush = { ...given, eventId: isOver ? event.id : null, isDone: false };
    tx.update(jobPushTable, { ...former, isOver: former.isOver || isOver, pushes: [...others, push] });
    // A client that adds an address after the end gets the end at once: the job may have ended meanwhile.
    keepFeed(tx, fillFeed(tx, isOver ? queuePush(tx, feed, event, jobId, push) : feed));
    return ok(push);
  },

  remove_push(tx, { jobId, pushId, event: news }) {
    const former = tx.read(jobPushTable, jobId);
    const pushes = former?.pushes.filter(({ id }) => id !== pushId) ?? [];
    if (former === null || pushes.length === former.pushes.length) return notFound("push_notification");
    tx.update(jobPushTable, { ...former, pushes });
    keepFeed(tx, fillFeed(tx, takeNews(tx, news).feed));
    return ok(null);
  },

  read_pushes: (tx, { jobId }) => ok(tx.read(jobPushTable, jobId)?.pushes ?? []),

  reseal_pushes(tx, { jobId, resealed }) {
    const former = tx.read(jobPushTable, jobId);
    const fresh = new Map(resealed.map((one) => [one.former, one.sealed]));
    const isKnown = ({ sealed }: JobPush): boolean => sealed !== null && fresh.has(sealed);
    if (former === null || !former.pushes.some(isKnown)) return ok(0);
    const pushes = former.pushes.map((push) => (isKnown(push) ? { ...push, sealed: fresh.get(push.sealed!)! } : push));
    tx.update(jobPushTable, { ...former, pushes });
    return ok(former.pushes.filter(isKnown).length);
  },
} satisfies Partial<Handlers<WebhookProtocol>>;

/** The feed with an attempt for each address of the job whose state the event reports. */
export function queuePushes(tx: Tx, feed: Feed, event: WebhookEvent, isOver: boolean): Feed {
  const jobId = event.resource.id ?? "";
  const former = tx.read(jobPushTable, jobId);
  if (former === null || former.isOver) return feed;
  const pushes = former.pushes.map((push) => ({ ...push, eventId: event.id }));
  tx.update(jobPushTable, { ...former, isOver, pushes });
  return pushes.reduce((queued, push) => queuePush(tx, queued, event, jobId, push), feed);
}

const queuePush = (tx: Tx, feed: Feed, event: WebhookEvent, jobId: string, { id, url }: JobPush): Feed =>
  queueAttempt(feed, firstAttempt(tx, event, { url, push: { jobId, id } }, "push"));

/** The address of an attempt; null: it was removed, or has been told everything. */
function pushOf(tx: Tx, { push: of }: Attempt): JobPush | null {
  const found = of === undefined ? null : tx.read(jobPushTable, of.jobId);
  const push = found?.pushes.find(({ id }) => id === of?.id) ?? null;
  return push === null || push.isDone ? null : push;
}

/** What is sent; null: the address was removed, or a newer state is on its way. */
export function preparePush(tx: Tx, attempt: Attempt, event: WebhookEvent): PreparedPush | null {
  const push = pushOf(tx, attempt);
  if (push === null || attempt.push === undefined || push.eventId !== event.id) return null;
  return { attempt, event, push: { ...push, jobId: attempt.push.jobId } };
}

/** The feed after an attempt to tell an address. */
export function endPush(
  tx: Tx,
  feed: Feed,
  {
    attempt,
    sentTo,
    result,
  }: { readonly attempt: Attempt; readonly sentTo: string | null; readonly result: AttemptResult },
): Feed {
  const push = pushOf(tx, attempt);
  if (result.kind === "delivered") {
    const { httpStatus, durationMs } = result;
    tx.update(attemptTable, { ...attempt, status: "success", httpStatus, durationMs });
    return doneAfter(tx, withAnswer(feed, attempt.destinationHost, true), attempt);
  }
  if (result.kind === "skipped") {
    tx.update(attemptTable, { ...attempt, status: "skipped" });
    return doneAfter(tx, feed, attempt);
  }
  const isInterrupted = result.kind === "interrupted";
  // An attempt that took no time was not made, which is not its host's fault.
  const isMade = !isInterrupted && result.durationMs > 0;
  const left = isMade ? withAnswer(feed, attempt.destinationHost, result.httpStatus !== null) : feed;
  const failures = attempt.failures + (isInterrupted ? 0 : 1);
  const ended: Attempt = isInterrupted
    ? { ...attempt, error: "connection_reset" }
    : { ...attempt, error: result.error, httpStatus: result.httpStatus, durationMs: result.durationMs };
  const waitMs = isInterrupted ? 0 : result.isTransient ? retryWaitMs(failures, "standard", result.retryAfterMs) : null;
  if (push === null || waitMs === null) {
    tx.update(attemptTable, { ...ended, status: "failed" });
    if (!isInterrupted && result.httpStatus === GONE_STATUS && push?.url === sentTo) removePush(tx, attempt);
    return doneAfter(tx, left, attempt);
  }
  const dueAt = isoTime(tx.now + waitMs);
  tx.update(attemptTable, { ...ended, status: "retrying", nextAttemptAt: dueAt });
  const next = nextAttempt(tx, attempt, { failures, dueAt, url: push.url });
  return waitMs === 0 ? queueAttempt(left, next) : withSearchAt(tx, left, "pushes", dueAt);
}

function removePush(tx: Tx, { push: of }: Attempt): void {
  const former = of === undefined ? null : tx.read(jobPushTable, of.jobId);
  if (former === null) return;
  tx.update(jobPushTable, { ...former, pushes: former.pushes.filter(({ id }) => id !== of?.id) });
}

/** After the last state of an ended job the address is done, and its credentials are forgotten. */
function doneAfter(tx: Tx, feed: Feed, { push: of, eventId }: Attempt): Feed {
  const former = of === undefined ? null : tx.read(jobPushTable, of.jobId);
  const isLast =
    former?.isOver === true && former.pushes.some((push) => push.id === of?.id && push.eventId === eventId);
  if (former !== null && isLast) {
    const pushes = former.pushes.map((push) => (push.id === of?.id ? { ...push, sealed: null, isDone: true } : push));
    tx.update(jobPushTable, { ...former, pushes });
  }
  return feed;
}
