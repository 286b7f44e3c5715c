/**
 * Brings committed messages and due alarms to their actors. The row is deleted in the receiver's commit, so each takes
 * effect exactly once: an epoch delivers a row from memory or, after a take-over, from the table, never from both. A
 * refusal by the receiver (its state has moved on) is an answer. Delivery to an unreachable receiver is retried while
 * the epoch lasts, and then by the next owner.
 *
 * A turn that throws is a bug. The message is offered a few times more, and then parked: it stays a row, blocks
 * nothing, and is counted until the next owner or start offers it again.
 */
import { isPassing, type Outcome } from "../../fault.ts";
import { Backoff } from "../backoff.ts";
import type { Chance, Clock, RuntimeLog } from "../ports.ts";
import { type ShardGrant, shardOf } from "../placement/placement.ts";
import type { Shards } from "../placement/shards.ts";
import type { DispatchOptions, MemberStep } from "../turns/members.ts";
import type { AlarmRow, MessageRow } from "../store.ts";
import { carrierOf, type Tracing, withoutCarrier } from "../tracing.ts";

/** Pauses before a message is offered again. */
const MESSAGE_RETRY = { firstMs: 50, lastMs: 5_000 };
/** Turns of one message that may throw in one epoch; of one that was just sent, the last is 3 s after the first. */
export const MESSAGE_TRIES = 7;

interface DeliveryParts {
  readonly run: (steps: readonly MemberStep[], options: DispatchOptions) => Promise<Outcome<readonly unknown[]>>;
  readonly clock: Clock;
  readonly chance: Pick<Chance, "fraction">;
  readonly shards: Shards;
  readonly log: RuntimeLog;
  /** Null if tracing is off. */
  readonly tracing: Tracing | null;
}

/** A message whose turns have thrown under this grant. */
interface ThrownMessage {
  readonly grant: ShardGrant;
  readonly organizationId: string;
  /** How many of its turns; with the last one it is parked. */
  readonly turns: number;
}

/**
 * The grant under which a message is delivered. A take-up waits for its deliveries; nobody waits for a message that was
 * just sent.
 */
interface Delivered extends ShardGrant {
  readonly mayWait?: true;
}

/**
 * How the delivery of a message from the table ended. One that is not over is left there: its receiver could not take
 * it now, or its turn threw.
 */
export type DeliveryEnd = "over" | "refused" | "thrown";

export class Delivery {
  private readonly parts: DeliveryParts;
  /** Messages whose turns have thrown, by their ids. */
  private readonly thrown = new Map<string, ThrownMessage>();

  constructor(parts: DeliveryParts) {
    this.parts = parts;
  }

  /** Parked messages of the current epochs, of an organization or of all (null). */
  parked(of: string | null): number {
    let count = 0;
    for (const [id, { grant, organizationId, turns }] of this.thrown) {
      if (!this.isCurrent(grant)) this.thrown.delete(id);
      else if (turns >= MESSAGE_TRIES && (of === null || of === organizationId)) count++;
    }
    return count;
  }

  /** Whether the message is parked under this grant. */
  isParked(message: MessageRow, grant: ShardGrant): boolean {
    return this.thrownTurns(message, grant) >= MESSAGE_TRIES;
  }

  private thrownTurns({ id }: MessageRow, { shard, epoch }: ShardGrant): number {
    const known = this.thrown.get(id);
    return known?.grant.shard === shard && known.grant.epoch === epoch ? known.turns : 0;
  }

  /** Delivers, in the background, a message that was committed under this grant. */
  send(message: MessageRow, grant: ShardGrant): void {
    void this.deliver(message, { ...grant, mayWait: true }, () => {});
  }

  /**
   * Delivers a message that was read from the table under this grant. `once` resolves when it has been offered once,
   * `end` when there are no more retries.
   */
  offer(message: MessageRow, grant: ShardGrant): { readonly once: Promise<void>; readonly end: Promise<DeliveryEnd> } {
    const first = Promise.withResolvers<void>();
    return { once: first.promise, end: this.deliver(message, grant, first.resolve) };
  }

  /** Fires an alarm, if it is still set; false if no turn can run now. */
  async fire(alarm: AlarmRow): Promise<boolean> {
    const epoch = this.parts.shards.epochOf(shardOf(alarm.organizationId));
    if (epoch === null) return false;
    const ref = { kind: alarm.actorKind, organizationId: alarm.organizationId, id: alarm.actorId };
    const fire = () => this.parts.run([{ ref, command: alarm.command }], { epoch, clears: alarm });
    try {
      const outcome = await this.asAlarm(`${ref.kind}.${alarm.command.kind}`, fire);
      return outcome.ok || !isPassing(outcome.fault);
    } catch (err) {
      this.parts.log.error({ err, actor: alarm.actorId, alarm: alarm.name }, "an alarm's turn failed");
      return true;
    }
  }

  /** An alarm begins a trace of its own: its cause may be long ago. */
  private async asAlarm<T>(what: string, fire: () => Promise<T>): Promise<T> {
    const { tracing } = this.parts;
    if (tracing === null) return fire();
    const span = tracing.begin(`alarm ${what}`, { parent: null });
    try {
      return await span.within(fire);
    } finally {
      span.end();
    }
  }

  private async deliver(message: MessageRow, grant: Delivered, offered: () => void): Promise<DeliveryEnd> {
    const backoff = new Backoff(this.parts, MESSAGE_RETRY);
    for (;;) {
      const end = await this.attempt(message, grant);
      offered();
      if (end === "over" || !this.isCurrent(grant)) return "over";
      // Without a lease every receiver would refuse: the message keeps its place before the others.
      if (grant.mayWait !== true && this.parts.shards.serves(grant)) return end;
      await backoff.pause();
    }
  }

  private async attempt(message: MessageRow, grant: Delivered): Promise<DeliveryEnd> {
    const { run, log, tracing } = this.parts;
    const ref = { kind: message.actorKind, organizationId: message.organizationId, id: message.actorId };
    const { epoch, mayWait } = grant;
    const options = { epoch, consumes: message.id, ...(mayWait === true ? { mayWait } : {}) };
    const take = () => run([{ ref, command: withoutCarrier(message.command) }], options);
    try {
      const outcome = await (tracing === null ? take() : tracing.within(carrierOf(message.command), take));
      if (!outcome.ok && isPassing(outcome.fault)) return "refused";
      this.thrown.delete(message.id);
      if (outcome.ok) return "over";
      log.warn({ actor: ref.id, command: message.command.kind, fault: outcome.fault.kind }, "a message was refused");
      return "over";
    } catch (err) {
      const turn = this.thrownTurns(message, grant) + 1;
      const fields = { err, actor: ref.id, command: message.command.kind, message: message.id, turn };
      this.thrown.set(message.id, { grant, organizationId: message.organizationId, turns: turn });
      if (turn < MESSAGE_TRIES) {
        log.error(fields, "a message's turn failed");
        return "thrown";
      }
      log.error(fields, "a message's turn failed again: the message is parked until the next start");
      return "over";
    }
  }

  private isCurrent({ shard, epoch }: ShardGrant): boolean {
    return this.parts.shards.epochOf(shard) === epoch;
  }
}
