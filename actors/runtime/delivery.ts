/**
 * Brings committed messages and due alarms to their actors. The row goes in the receiver's commit,
 * so each takes effect exactly once: an epoch delivers a row from memory or, after a take-over, from
 * the table, never from both. A receiver that refuses (its state has moved on) has answered; one that
 * cannot be reached now is tried again while the epoch lasts, and by the next owner after it.
 *
 * A turn that throws is a bug. Such a message is offered a few times more, and then parked: it stays a
 * row, stands in nobody's way, and is counted until the next owner or start offers it again.
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
/** Turns of one message that may throw in one epoch: the last is 3 s after the first. */
export const MESSAGE_TRIES = 7;

interface DeliveryParts {
  readonly run: (steps: readonly MemberStep[], options: DispatchOptions) => Promise<Outcome<readonly unknown[]>>;
  readonly clock: Clock;
  readonly shards: Shards;
  readonly log: RuntimeLog;
}

export class Delivery {
  private readonly parts: DeliveryParts;
  /** Messages whose turns have thrown too often, and where. */
  private readonly parkedAt = new Map<string, Place>();

  constructor(parts: DeliveryParts) {
    this.parts = parts;
  }

  /** Messages of the present epochs that are parked. */
  get parked(): number {
    for (const [id, place] of this.parkedAt) if (!this.isCurrent(place)) this.parkedAt.delete(id);
    return this.parkedAt.size;
  }

  /** Delivers a message that has been committed at this place; goes on in the background. */
  send(message: MessageRow, place: Place): void {
    void this.deliver(message, place, 1, RETRY_FIRST_MS);
  }

  /** Delivers what the former owner left, in order; resolves when each has been offered once. */
  async recover(messages: readonly MessageRow[], place: Place): Promise<void> {
    for (const message of messages) await this.deliver(message, place, 1, RETRY_FIRST_MS);
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

  /** `turn` counts the turns that have thrown, this one included if it does. */
  private async deliver(message: MessageRow, place: Place, turn: number, retryMs: number): Promise<void> {
    const { run, clock, log } = this.parts;
    let next = turn;
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
      const fields = { err, actor: ref.id, command: message.command.kind, message: message.id, turn };
      if (turn >= MESSAGE_TRIES) {
        this.parkedAt.set(message.id, place);
        log.error(fields, "a message's turn failed again: the message is parked until the next start");
        return;
      }
      log.error(fields, "a message's turn failed");
      next++;
    }
    if (!this.isCurrent(place)) return;
    clock.after(retryMs, () => void this.deliver(message, place, next, Math.min(2 * retryMs, RETRY_LAST_MS)));
  }

  private isCurrent({ shard, epoch }: Place): boolean {
    return this.parts.shards.epochOf(shard) === epoch;
  }
}
