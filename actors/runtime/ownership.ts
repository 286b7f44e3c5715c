/**
 * This replica's hold on its shards: joins, renews, claims, raises epochs, and takes up what is
 * undone on a shard before it serves it.
 *
 *   none ──claim──▶ recovering ──undone taken up──▶ serving
 *                       ▲                              │ a commit's outcome is unknown
 *                       └────── epoch raised ◀── stalled
 *   fenced or not ours any more ──▶ none
 *
 * Raising an epoch waits for whatever statement still holds the old one, so after it the tables are
 * final for the old epoch, and what is loaded then is the truth.
 */
import type { Alarms } from "./alarms.ts";
import { ALARM_SCAN_MS } from "./alarms.ts";
import type { Cells } from "./cells.ts";
import type { Clock } from "./clock.ts";
import type { Delivery } from "./delivery.ts";
import type { Effects } from "./effects.ts";
import type { FlushHost } from "./flush.ts";
import { type Lease, LEASE_RENEW_MS, type Placement, type ShardGrant, shardOf } from "./placement.ts";
import type { Place, Shards } from "./shards.ts";
import type { ActorStore, EffectRow, MessageRow } from "./store.ts";
import type { RuntimeLog } from "./system.ts";

/** Between two tries to reach the authority. */
const RETRY_MS = 250;
/** Readers wait so long for a lost shard to come back: two claims. Then they have to go to its owner. */
export const LOST_READERS_MS = 2 * LEASE_RENEW_MS;
/** Between two tries to recover one effect. */
const RECOVER_RETRY_MS = 5_000;

interface OwnershipParts {
  readonly shards: Shards;
  readonly cells: Cells;
  readonly lease: Lease;
  readonly effects: Effects;
  readonly alarms: Alarms;
  readonly store: ActorStore;
  readonly placement: Placement;
  readonly clock: Clock;
  readonly log: RuntimeLog;
  readonly onLost: (reason: string) => void;
}

export class Ownership implements FlushHost {
  private readonly parts: OwnershipParts;
  private readonly delivery: Delivery;
  /** Shards whose last commit's outcome is unknown: not served until their epoch has risen. */
  private readonly stalled = new Set<number>();
  private raising = false;
  private claiming = false;
  private stopped = false;
  private readonly cancels: (() => void)[] = [];
  private cancelPause: () => void = () => {};

  constructor(parts: OwnershipParts, delivery: Delivery) {
    this.parts = parts;
    this.delivery = delivery;
  }

  get isReady(): boolean {
    return !this.stopped && this.parts.lease.isSafe() && this.parts.shards.count > 0 && this.stalled.size === 0;
  }

  async start(): Promise<void> {
    const { lease, placement, alarms, shards } = this.parts;
    if (!(await lease.renew(placement))) throw new Error("this replica was declared dead before it began");
    this.every(LEASE_RENEW_MS, () => this.renew());
    this.every(ALARM_SCAN_MS, () => alarms.scan(shards.all()));
    try {
      await this.claim();
    } catch (cause) {
      this.halt();
      throw cause;
    }
  }

  async stop(): Promise<void> {
    this.halt();
    this.forsake(new Set(this.parts.shards.all()));
    this.parts.lease.end();
    await this.parts.placement.leave();
  }

  epochOf(shard: number): number | null {
    return this.stalled.has(shard) ? null : this.parts.shards.epochOf(shard);
  }

  onUnknown(shards: ReadonlySet<number>, cause: unknown): void {
    this.parts.log.error({ err: cause, shards: [...shards] }, "the outcome of a commit is unknown: raising epochs");
    this.abandon(shards);
    for (const shard of shards) this.stalled.add(shard);
    void this.raise();
  }

  onFenced(shards: ReadonlySet<number>): void {
    this.parts.log.warn({ shards: [...shards] }, "shards belong to another epoch: dropped");
    this.abandon(shards);
    this.endReadersLater(shards);
  }

  /** A shard that does not come back is another owner's, and so are its readers. */
  private endReadersLater(lost: ReadonlySet<number>): void {
    this.parts.clock.after(LOST_READERS_MS, () => {
      const isGone = (shard: number): boolean => this.parts.shards.epochOf(shard) === null && !this.stalled.has(shard);
      this.parts.cells.endReaders(new Set([...lost].filter(isGone)));
    });
  }

  /** Gives these shards up for good. */
  private forsake(shards: ReadonlySet<number>): void {
    this.abandon(shards);
    this.parts.cells.endReaders(shards);
  }

  /** Nothing in memory of these shards counts any more. */
  private abandon(shards: ReadonlySet<number>): void {
    for (const shard of shards) this.parts.shards.lose(shard);
    this.parts.cells.drop(shards);
    this.parts.effects.abortShards(shards);
    this.parts.alarms.drop(shards);
  }

  private async raise(): Promise<void> {
    if (this.raising) return;
    this.raising = true;
    while (this.stalled.size > 0 && !this.stopped) {
      const shards = [...this.stalled];
      try {
        const grants = await this.parts.placement.raise(shards);
        if (this.stopped) return;
        for (const shard of shards) this.stalled.delete(shard);
        await this.takeUp(grants);
        if (grants.length < shards.length) this.endReadersLater(new Set(shards));
      } catch (err) {
        this.parts.log.warn({ err }, "the database cannot be reached: epochs not raised yet");
        for (const shard of shards) this.stalled.add(shard);
        await this.pause();
      }
    }
    this.raising = false;
  }

  /** Serves newly granted shards after taking up what is undone on them; all of it or, on a throw, none. */
  private async takeUp(grants: readonly ShardGrant[]): Promise<void> {
    const { shards } = this.parts;
    // An answer may have been overtaken: an epoch only ever rises.
    const isFresh = (g: ShardGrant): boolean => !this.stalled.has(g.shard) && g.epoch > (shards.epochOf(g.shard) ?? 0);
    const fresh = this.stopped ? [] : grants.filter(isFresh);
    if (fresh.length === 0) return;
    // Of a shard that was lost and regained meanwhile, nothing of the former epoch counts. And readers
    // look again: what was stored while nobody here owned the shard is final only now.
    this.abandon(new Set(fresh.map((g) => g.shard)));
    for (const { shard, epoch } of fresh) shards.grant(shard, epoch);
    try {
      await this.finishUndone(fresh);
    } catch (cause) {
      this.abandon(new Set(fresh.filter((g) => shards.epochOf(g.shard) === g.epoch).map((g) => g.shard)));
      throw cause;
    }
    for (const { shard, epoch } of fresh) shards.open(shard, epoch);
  }

  private async finishUndone(fresh: readonly ShardGrant[]): Promise<void> {
    const undone = await this.parts.store.undone(fresh.map((g) => g.shard));
    const epochs = new Map(fresh.map((g) => [g.shard, g.epoch]));
    await Promise.all(
      groupByShard(undone.messages).map(([shard, rows]) =>
        this.delivery.recover(rows, { shard, epoch: epochs.get(shard)! }),
      ),
    );
    await Promise.all(
      undone.effects.map((effect) => {
        const shard = shardOf(effect.organizationId);
        return this.recoverEffect(effect, { shard, epoch: epochs.get(shard)! });
      }),
    );
    await this.parts.alarms.scan([...epochs.keys()]);
  }

  private async recoverEffect(effect: EffectRow, place: Place): Promise<void> {
    // What has no epoch any more would never be told to stop.
    if (this.parts.shards.epochOf(place.shard) !== place.epoch) return;
    if (await this.parts.effects.recover(effect, place)) return;
    this.parts.clock.after(RECOVER_RETRY_MS, () => void this.recoverEffect(effect, place));
  }

  /** Extends the lease. What a claim brings is taken up beside it: that may last longer than the lease. */
  private async renew(): Promise<void> {
    const { lease, placement, shards, onLost } = this.parts;
    if (await lease.renew(placement)) {
      void this.claim().catch((err: unknown) => this.parts.log.warn({ err }, "shards could not be taken up"));
      return;
    }
    if (this.stopped) return;
    this.halt();
    this.forsake(new Set([...shards.all(), ...this.stalled]));
    onLost("the lease ran out and another replica took the shards");
  }

  /** Takes up what this replica owns without serving it, and drops what it serves without owning it. */
  private async claim(): Promise<void> {
    if (this.claiming || this.stalled.size > 0 || this.stopped) return;
    this.claiming = true;
    try {
      const { placement, shards } = this.parts;
      const before = shards.all();
      const grants = await placement.claim();
      const owned = new Set(grants.map((g) => g.shard));
      const lost = new Set(before.filter((shard) => !owned.has(shard)));
      if (lost.size > 0) this.onFenced(lost);
      await this.takeUp(grants);
    } finally {
      this.claiming = false;
    }
  }

  private halt(): void {
    this.stopped = true;
    for (const cancel of this.cancels) cancel();
    this.cancelPause();
  }

  private every(periodMs: number, run: () => Promise<void>): void {
    const slot = this.cancels.push(() => {}) - 1;
    const next = (): void => {
      this.cancels[slot] = this.parts.clock.after(periodMs, () => {
        run()
          .catch((err: unknown) => this.parts.log.warn({ err }, "the database cannot be reached"))
          .finally(() => {
            if (!this.stopped) next();
          });
      });
    };
    next();
  }

  private pause(): Promise<void> {
    return new Promise((resolve) => {
      this.cancelPause = this.parts.clock.after(RETRY_MS, resolve);
    });
  }
}

function groupByShard(messages: readonly MessageRow[]): [number, MessageRow[]][] {
  const groups = new Map<number, MessageRow[]>();
  for (const message of messages) {
    const shard = shardOf(message.organizationId);
    const group = groups.get(shard);
    if (group === undefined) groups.set(shard, [message]);
    else group.push(message);
  }
  return [...groups];
}
