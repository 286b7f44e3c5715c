/**
 * The effects of webhooks: making attempts, finding due attempts, going through a range of events. Each ends with a
 * command that settles it. Attempts whose process has ended are reported as interrupted by the next process; searches
 * are simply repeated.
 */
import { type EffectContext, type EffectHandler, whenEntitled } from "../runtime/outputs/effects.ts";
import { Backoff } from "../runtime/backoff.ts";
import type { Chance, Clock } from "../runtime/ports.ts";
import type { EffectRow } from "../runtime/store.ts";
import type { WebhookQueue } from "./directory.ts";
import { webhookRef } from "./events.ts";
import { REDELIVERY_PAGE } from "./policy.ts";
import type {
  AttemptEnd,
  AttemptHead,
  AttemptResult,
  EventRange,
  Prepared,
  PreparedPush,
  WebhookCommand,
  WebhookReplies,
} from "./protocol.ts";
import type { DeliveryIntent, SearchIntent } from "./queue.ts";
import { Reports, type ReportsParts } from "./reports.ts";

/** Port: sends an attempt. */
export interface WebhookSender {
  /**
   * Sends the event, signed, in one HTTP exchange; or to an address of a job, its state. Does not reject; null if the
   * signal aborted it before it ended.
   */
  send(
    prepared: Prepared | PreparedPush,
    signal: AbortSignal,
  ): Promise<Exclude<AttemptResult, { readonly kind: "interrupted" }> | null>;
}

export interface DeliveringParts extends ReportsParts {
  readonly sender: WebhookSender;
  readonly queue: WebhookQueue;
  readonly clock: Clock;
  readonly chance: Pick<Chance, "fraction">;
  readonly log: { warn(fields: object, message: string): void };
}

/** Pauses before a report or a read of the table is retried. */
const ATTEMPT_REPORT_RETRY = { firstMs: 50, lastMs: 5_000 };

/** The handlers of an organization's webhook effects, by kind. */
export function webhookEffects(parts: DeliveringParts): Readonly<Record<WebhookEffect, EffectHandler>> {
  const search: EffectHandler["run"] = (effect, context) => findDueAttempts(parts, effect, context);
  const redeliver: EffectHandler["run"] = (effect, context) => goThrough(parts, effect, context);
  const courier: Courier = { parts, line: new StartLine(), reports: new Reports(parts) };
  return {
    deliver_webhooks: {
      run: (effect, context) => deliver(courier, effect, context),
      recover: (effect, context) => reportInterrupted(courier, effect, context),
    },
    find_webhooks: { run: search, recover: search },
    redeliver_webhooks: { run: redeliver, recover: redeliver },
  };
}
type WebhookEffect = "deliver_webhooks" | "find_webhooks" | "redeliver_webhooks";

interface Courier {
  readonly parts: DeliveringParts;
  readonly line: StartLine;
  readonly reports: Reports;
}

const deliveryAttempts = ({ intent }: EffectRow): readonly AttemptHead[] =>
  (intent as unknown as DeliveryIntent).attempts;

/** Keeps an organization's attempts in order: none starts before those that began to be prepared before it. */
class StartLine {
  private readonly last = new Map<string, Promise<unknown>>();

  async inTurn<T>(organizationId: string, preparing: Promise<T>): Promise<T> {
    const before = this.last.get(organizationId);
    // One that fails is recovered by itself: it delays no other, and its own failure is always taken.
    const turn = before === undefined ? preparing : Promise.allSettled([before, preparing]).then(() => preparing);
    this.last.set(organizationId, turn);
    try {
      return await turn;
    } finally {
      if (this.last.get(organizationId) === turn) this.last.delete(organizationId);
    }
  }
}

async function deliver(courier: Courier, effect: EffectRow, context: EffectContext): Promise<void> {
  const { parts, line } = courier;
  const attempts = deliveryAttempts(effect);
  const preparing = dispatchUntilReply(parts, effect, context, { kind: "prepare_attempts", attempts });
  const reply = await line.inTurn(effect.organizationId, preparing);
  if (reply === null || !(await whenEntitled(context, parts))) return;
  const prepared = reply.value as WebhookReplies["prepare_attempts"];
  await Promise.all(
    attempts.map(async ({ id }, i) => {
      const one = prepared[i] ?? null;
      const result = one === null ? SKIPPED : await sentOnce(parts, one, context.signal);
      const sentTo = one === null ? null : "push" in one ? one.push.url : one.destination.url;
      if (result !== null) await reportUntilTaken(courier, effect, context, { attemptId: id, sentTo, result });
    }),
  );
}
const SKIPPED = { kind: "skipped" } as const;

/**
 * A sender that throws has a bug, or a secret that does not open. It counts as a failure of the attempt: as an
 * interruption it would be repeated, and throw again, for ever.
 */
async function sentOnce(
  { sender, log }: DeliveringParts,
  prepared: Prepared | PreparedPush,
  signal: AbortSignal,
): ReturnType<WebhookSender["send"]> {
  try {
    return await sender.send(prepared, signal);
  } catch (err) {
    log.warn({ err, attempt: prepared.attempt.id }, "a webhook could not be sent: a bug");
    return UNSENT;
  }
}
/** How an attempt ended that was not made. */
export const UNSENT = {
  kind: "failed",
  error: "http_error",
  httpStatus: null,
  durationMs: 0,
  isTransient: true,
  retryAfterMs: null,
} as const;

async function reportInterrupted(courier: Courier, effect: EffectRow, context: EffectContext): Promise<void> {
  const result = { kind: "interrupted" } as const;
  const ended = deliveryAttempts(effect).map(({ id }) => ({ attemptId: id, sentTo: null, result }));
  await Promise.all(ended.map((end) => reportUntilTaken(courier, effect, context, end)));
}

/** Reports the end until the actor has taken it, or the epoch is over. */
async function reportUntilTaken(
  { parts, reports }: Courier,
  { id: effectId, organizationId }: EffectRow,
  context: EffectContext,
  end: Omit<AttemptEnd, "effectId">,
): Promise<void> {
  const backoff = new Backoff(parts, ATTEMPT_REPORT_RETRY);
  for (;;) {
    if (await reports.tell(organizationId, context.epoch, { effectId, ...end })) return;
    if (context.isOver()) return;
    await backoff.pause();
    if (context.isOver()) return;
  }
}

async function findDueAttempts(parts: DeliveringParts, effect: EffectRow, context: EffectContext): Promise<void> {
  const intent = effect.intent as unknown as SearchIntent;
  const found = await readTable(parts, context, () => parts.queue.waiting(effect.organizationId, intent));
  if (found === null) return;
  const { attemptIds, nextDueAt } = found;
  const isAll = attemptIds.length < intent.limit;
  const command = { kind: "attempts_found", effectId: effect.id, until: intent.until } as const;
  await dispatchUntilReply(parts, effect, context, { ...command, attemptIds, isAll, nextDueAt });
}

async function goThrough(parts: DeliveringParts, effect: EffectRow, context: EffectContext): Promise<void> {
  const range = effect.intent as unknown as EventRange;
  const events = await readTable(parts, context, () =>
    parts.queue.eventsIn(effect.organizationId, range, REDELIVERY_PAGE),
  );
  if (events === null) return;
  const last = events.at(-1);
  const rest = last === undefined || events.length < REDELIVERY_PAGE ? null : { ...range, after: last.sequence };
  await dispatchUntilReply(parts, effect, context, { kind: "redeliver_page", effectId: effect.id, events, rest });
}

/** Reads the table until it answers; null when the epoch is over. */
async function readTable<T>(parts: DeliveringParts, context: EffectContext, look: () => Promise<T>): Promise<T | null> {
  const backoff = new Backoff(parts, ATTEMPT_REPORT_RETRY);
  while (!context.isOver()) {
    try {
      return await look();
    } catch (err) {
      parts.log.warn({ err }, "the table of deliveries could not be read; it is tried again");
    }
    await backoff.pause();
  }
  return null;
}

/** Dispatches the command until there is a reply; null when the epoch is over, and with it this effect. */
async function dispatchUntilReply(
  parts: DeliveringParts,
  effect: EffectRow,
  context: EffectContext,
  command: WebhookCommand,
): Promise<{ readonly value: unknown } | null> {
  const ref = webhookRef(effect.organizationId);
  const backoff = new Backoff(parts, ATTEMPT_REPORT_RETRY);
  for (;;) {
    const outcome = await parts.group([{ ref, command }], { epoch: context.epoch });
    if (outcome.ok) return { value: outcome.value[0] };
    if (context.isOver()) return null;
    await backoff.pause();
    if (context.isOver()) return null;
  }
}
