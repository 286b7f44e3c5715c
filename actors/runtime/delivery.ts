/**
 * Brings committed messages and due alarms to their actors. The row goes in the receiver's commit,
 * so each takes effect exactly once: an epoch delivers a row from memory or, after a take-over, from
 * the table, never from both. A receiver that refuses (its state has moved on) has answered; one that
 * cannot be reached now is tried again while the epoch lasts, and by the next owner after it.
 */
import { isPassing, type Outcome } from "../fault.ts";
import type { Clock } from "./clock.ts";
import { shardOf } from "./placement.ts";
import type { Place, Shards, DispatchOptions } from "./shards.ts";
import type { AlarmRow, MessageRow } from "./store.ts";
import type { RuntimeLog } from "./system.ts";
import type { MemberStep } from "./turns.ts";

/** First wait before a message is offered again; doubled up to the last. */
const RETRY_FIRST_MS = 50;
const RETRY_LAST_MS = 5_000;

interface DeliveryParts {
  readonly run: (steps: readonly MemberStep[], options: DispatchOptions) => Promise<Outcome<readonly unknown[]>>;
  readonly clock: Clock;
  readonly shards: Shards;
  readonly log: RuntimeLog;
}

export class Delivery {
  private readonly parts: DeliveryParts;

  constructor(parts: DeliveryParts) {
    this.parts = parts;
  }

  /** Delivers a message that has been committed at this place; goes on in the background. */
  send(message: MessageRow, place: Place): void {
    void this.deliver(message, place, RETRY_FIRST_MS);
  }

  /** Delivers what the former owner left, in order; resolves when each has been offered once. */
  async recover(messages: readonly MessageRow[], place: Place): Promise<void> {
    for (const message of messages) await this.deliver(message, place, RETRY_FIRST_MS);
  }

  /** Fires an alarm while it stands; false when nobody could take it now. */
  async fire(alarm: AlarmRow, stands: () => boolean): Promise<boolean> {
    const epoch = this.parts.shards.epochOf(shardOf(alarm.organizationId));
    if (epoch === null) return false;
    const ref = { kind: alarm.actorKind, organizationId: alarm.organizationId, id: alarm.actorId };
    try {
      const outcome = await this.parts.run([{ ref, command: alarm.command }], { epoch, clears: alarm, stands });
      return outcome.ok || !isPassing(outcome.fault);
    } catch (err) {
      this.parts.log.error({ err, actor: alarm.actorId, alarm: alarm.name }, "an alarm's turn failed");
      return true;
    }
  }

  private async deliver(message: MessageRow, place: Place, retryMs: number): Promise<void> {
    const { run, shards, clock, log } = this.parts;
    const ref = { kind: message.actorKind, organizationId: message.organizationId, id: message.actorId };
    const options = { epoch: place.epoch, consumes: message.id };
    try {
      const outcome = await run([{ ref, command: message.command }], options);
      if (outcome.ok) return;
      if (!isPassing(outcome.fault)) {
        log.warn({ actor: ref.id, command: message.command.kind, fault: outcome.fault.kind }, "a message was refused");
        return;
      }
    } catch (err) {
      // A bug in the receiver's turn. The row stays, so the next start offers it again, to better code.
      log.error({ err, actor: ref.id, command: message.command.kind }, "a message's turn failed");
      return;
    }
    if (shards.epochOf(place.shard) !== place.epoch) return;
    clock.after(retryMs, () => void this.deliver(message, place, Math.min(2 * retryMs, RETRY_LAST_MS)));
  }
}
