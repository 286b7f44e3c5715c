/**
 * The effects of webhooks: making an attempt, looking for what is due, going through a range of events.
 * Each ends with one command that settles it. An attempt whose process has ended is reported as
 * interrupted by the next one; the looks are simply made again.
 */
import type { Outcome } from "../fault.ts";
import type { EffectContext, EffectHandler } from "../runtime/effects.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Admission } from "../runtime/shards.ts";
import type { EffectRow } from "../runtime/store.ts";
import type { WebhookQueue } from "./directory.ts";
import { webhookRef } from "./events.ts";
import type { WebhookSender } from "./ports.ts";
import { REDELIVERY_PAGE } from "./policy.ts";
import type { EventRange, WebhookCommand, WebhookReplies } from "./protocol.ts";
import type { SearchIntent } from "./queue.ts";

export interface DeliveringParts {
  readonly sender: WebhookSender;
  readonly queue: WebhookQueue;
  readonly clock: Clock;
  readonly log: { warn(fields: object, message: string): void };
  /** The system's `dispatchGroup`; late-bound, because the system is made with these handlers. */
  readonly group: (
    members: readonly { readonly ref: ReturnType<typeof webhookRef>; readonly command: WebhookCommand }[],
    options: Admission,
  ) => Promise<Outcome<readonly unknown[]>>;
}

/** The first wait before a report is offered again; doubled up to the last. */
const RETRY_FIRST_MS = 50;
const RETRY_LAST_MS = 5_000;

/** The handlers of an organization's webhook effects, by kind. */
export function webhookEffects(parts: DeliveringParts): Readonly<Record<WebhookEffect, EffectHandler>> {
  const search: EffectHandler["run"] = (effect, context) => find(parts, effect, context);
  const redeliver: EffectHandler["run"] = (effect, context) => goThrough(parts, effect, context);
  const line = new StartLine();
  return {
    deliver_webhook: {
      run: (effect, context) => deliver(parts, line, effect, context),
      recover: (effect, context) => interrupted(parts, effect, context),
    },
    find_webhooks: { run: search, recover: search },
    redeliver_webhooks: { run: redeliver, recover: redeliver },
  };
}
type WebhookEffect = "deliver_webhook" | "find_webhooks" | "redeliver_webhooks";

const attemptOf = ({ intent }: EffectRow): string => String(intent["attemptId"]);

/** Keeps the order of an organization's attempts: none starts before those that began to be prepared before it. */
class StartLine {
  private readonly last = new Map<string, Promise<unknown>>();

  async inTurn<T>(organizationId: string, preparing: Promise<T>): Promise<T> {
    const before = this.last.get(organizationId);
    const turn = before === undefined ? preparing : before.then(() => preparing);
    this.last.set(organizationId, turn);
    try {
      return await turn;
    } finally {
      if (this.last.get(organizationId) === turn) this.last.delete(organizationId);
    }
  }
}

async function deliver(
  parts: DeliveringParts,
  line: StartLine,
  effect: EffectRow,
  context: EffectContext,
): Promise<void> {
  const attemptId = attemptOf(effect);
  const preparing = ask(parts, effect, context, { kind: "prepare_attempt", attemptId });
  const reply = await line.inTurn(effect.organizationId, preparing);
  if (reply === null || !context.mayAct()) return;
  const prepared = reply.value as WebhookReplies["prepare_attempt"];
  const result = prepared === null ? SKIPPED : await parts.sender.send(prepared, context.signal);
  if (result === null) return;
  await ask(parts, effect, context, { kind: "attempt_ended", attemptId, effectId: effect.id, result });
}
const SKIPPED = { kind: "skipped" } as const;

async function interrupted(parts: DeliveringParts, effect: EffectRow, context: EffectContext): Promise<void> {
  const command = { kind: "attempt_ended", attemptId: attemptOf(effect), effectId: effect.id } as const;
  await ask(parts, effect, context, { ...command, result: { kind: "interrupted" } });
}

async function find(parts: DeliveringParts, effect: EffectRow, context: EffectContext): Promise<void> {
  const intent = effect.intent as unknown as SearchIntent;
  const found = await looked(parts, context, () => parts.queue.waiting(effect.organizationId, intent));
  if (found === null) return;
  const { attemptIds, nextDueAt } = found;
  const isAll = attemptIds.length < intent.limit;
  const command = { kind: "attempts_found", effectId: effect.id, until: intent.until } as const;
  await ask(parts, effect, context, { ...command, attemptIds, isAll, nextDueAt });
}

async function goThrough(parts: DeliveringParts, effect: EffectRow, context: EffectContext): Promise<void> {
  const range = effect.intent as unknown as EventRange;
  const events = await looked(parts, context, () =>
    parts.queue.eventsIn(effect.organizationId, range, REDELIVERY_PAGE),
  );
  if (events === null) return;
  const last = events.at(-1);
  const rest = last === undefined || events.length < REDELIVERY_PAGE ? null : { ...range, after: last.sequence };
  await ask(parts, effect, context, { kind: "redeliver_page", effectId: effect.id, events, rest });
}

/** What the table has, asked for until it answers; null when the epoch is over. */
async function looked<T>(parts: DeliveringParts, context: EffectContext, look: () => Promise<T>): Promise<T | null> {
  for (let waitMs = RETRY_FIRST_MS; !context.isOver(); waitMs = Math.min(2 * waitMs, RETRY_LAST_MS)) {
    try {
      return await look();
    } catch (err) {
      parts.log.warn({ err }, "the table of deliveries could not be read; it is tried again");
    }
    await new Promise<void>((resolve) => parts.clock.after(waitMs, resolve));
  }
  return null;
}

/** The reply, asked for until there is one; null when the epoch is over, and with it this effect. */
async function ask(
  { group, clock }: DeliveringParts,
  effect: EffectRow,
  context: EffectContext,
  command: WebhookCommand,
): Promise<{ readonly value: unknown } | null> {
  const ref = webhookRef(effect.organizationId);
  for (let waitMs = RETRY_FIRST_MS; ; waitMs = Math.min(2 * waitMs, RETRY_LAST_MS)) {
    const outcome = await group([{ ref, command }], { epoch: context.epoch });
    if (outcome.ok) return { value: outcome.value[0] };
    if (context.isOver()) return null;
    await new Promise<void>((resolve) => clock.after(waitMs, resolve));
    if (context.isOver()) return null;
  }
}
