/**
 * Ownership of this replica's shards: joins, renews, claims, raises epochs, and takes up undone work on a shard before
 * it serves it (`take-up.ts`).
 *
 *   none ──claim──▶ recovering ──undone work taken up──▶ serving
 *                       ▲                              │ a commit's outcome is unknown
 *                       └────── epoch raised ◀── stalled
 *   fenced or lost ──▶ none
 *
 * - OW-1: after a commit whose outcome is unknown, nothing of its shards is served until their epochs have risen. That
 *   waits for every statement that still holds the old epoch, so the tables are then final for it.
 * - OW-2: what is in memory of a shard goes with its epoch: actors, effects, alarms, and what quotas have counted.
 */
import { assert } from "../../assert.ts";
import { ALARM_SCAN_MS, type Alarms } from "../outputs/alarms.ts";
import type { LiveActors } from "../turns/live-actors.ts";
import { Backoff } from "../backoff.ts";
import { type Claimer, Claims } from "./claims.ts";
import type { Chance, Clock, RuntimeLog } from "../ports.ts";
import type { Effects } from "../outputs/effects.ts";
import type { FlushHost } from "../commit/flush.ts";
import type { HandOver } from "./hand-over.ts";
import {
  type Lease,
  LEASE_RENEW_MS,
  type Peers,
  type Placement,
  SHARD_COUNT,
  type ShardGrant,
  shardOf,
} from "./placement.ts";
import type { Shards } from "./shards.ts";
import type { TakeUp } from "./take-up.ts";
import type { ActorStore } from "../store.ts";
import type { WriteGuard } from "../turns/write-admission.ts";

const UNREACHABLE = "the database cannot be reached";
/** Pauses between attempts to reach the placement. */
const PLACEMENT_RETRY = { firstMs: 250, lastMs: 1_000 };
/** How long readers wait for a lost shard to come back: two claims. Then they must go to its owner. */
export const LOST_READERS_MS = 2 * LEASE_RENEW_MS;

interface OwnershipParts {
  readonly shards: Shards;
  readonly actors: LiveActors;
  readonly lease: Lease;
  readonly effects: Effects;
  readonly alarms: Alarms;
  readonly takeUp: TakeUp;
  readonly placement: Placement;
  readonly clock: Clock;
  readonly chance: Pick<Chance, "fraction">;
  readonly log: RuntimeLog;
  readonly onLost: (reason: string) => void;
  /** Hands shards over to another replica; null if there is only one replica. */
  readonly handOver: HandOver | null;
  readonly guard?: WriteGuard;
  readonly peers?: Pick<Peers, "opened" | "announce">;
  readonly store: Pick<ActorStore, "erased" | "undoneShards">;
}

export class Ownership implements FlushHost {
  private readonly parts: OwnershipParts;
  /** Shards with an unknown commit outcome: not served until their epoch has risen. */
  private readonly stalled = new Set<number>();
  private raising = false;
  private readonly claims: Claims;
  private stopped = false;
  private readonly cancels: (() => void)[] = [];
  private readonly halted = new AbortController();

  constructor(parts: OwnershipParts) {
    this.parts = parts;
    const claimer: Claimer = {
      mayClaim: () => this.stalled.size === 0 && !this.stopped,
      claim: () => this.claim(),
      onFailure: (err) => parts.log.warn({ err }, "shards could not be taken up"),
      halted: this.halted.signal,
    };
    this.claims = new Claims(claimer, parts, PLACEMENT_RETRY);
  }

  get isReady(): boolean {
    const { lease, shards, handOver } = this.parts;
    // One of several replicas serves what it owns and forwards the rest.
    const hasWork = shards.count > 0 || handOver !== null;
    return !this.stopped && lease.isSafe() && hasWork && this.stalled.size === 0;
  }

  async start(): Promise<void> {
    const { lease, placement, alarms } = this.parts;
    if (!(await lease.renew(placement))) throw new Error("this replica was declared dead before it began");
    this.every(LEASE_RENEW_MS, () => this.renew());
    lease.onDoubt = () => void this.renew().catch((err: unknown) => this.parts.log.warn({ err }, UNREACHABLE));
    this.every(ALARM_SCAN_MS, () => alarms.scan());
    try {
      await this.claims.run();
    } catch (cause) {
      this.halt();
      throw cause;
    }
  }

  async stop(): Promise<void> {
    this.halt();
    this.forsake(new Set(this.parts.shards.all()));
    this.parts.lease.end();
    // Shards from a claim that ends later would be unowned until the others' next claim.
    await this.claims.running;
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

  onBug(cause: unknown): void {
    this.parts.log.error({ err: cause }, "a callback after a commit threw: a bug");
  }

  /** Nothing can be committed any more: gives up everything, so that nothing hangs, and ends the process. */
  onLaneFailed(cause: unknown): void {
    this.parts.log.error({ err: cause }, "the flush has failed: a bug");
    this.giveUp("the flush has failed");
  }

  private giveUp(reason: string): void {
    if (this.stopped) return;
    this.halt();
    this.forsake(new Set([...this.parts.shards.all(), ...this.stalled]));
    this.parts.onLost(reason);
  }

  /** If a shard does not come back, it has another owner, and its readers must go there. */
  private endReadersLater(lost: ReadonlySet<number>): void {
    this.parts.clock.after(LOST_READERS_MS, () => {
      const isGone = (shard: number): boolean => this.parts.shards.epochOf(shard) === null && !this.stalled.has(shard);
      this.parts.actors.endReaders(new Set([...lost].filter(isGone)));
    });
  }

  /** Gives up these shards for good. */
  private forsake(shards: ReadonlySet<number>): void {
    this.abandon(shards);
    this.parts.actors.endReaders(shards);
  }

  /** Drops everything in memory of these shards. */
  private abandon(shards: ReadonlySet<number>): void {
    for (const shard of shards) this.parts.shards.lose(shard);
    this.parts.actors.drop(shards);
    this.parts.effects.abortShards(shards);
    this.parts.alarms.drop(shards);
    if (this.parts.handOver !== null) this.parts.guard?.forget(shards);
  }

  private async raise(): Promise<void> {
    if (this.raising) return;
    this.raising = true;
    const backoff = new Backoff(this.parts, PLACEMENT_RETRY);
    while (this.stalled.size > 0 && !this.stopped) {
      const shards = [...this.stalled];
      try {
        const grants = await this.parts.placement.raise(shards);
        if (this.stopped) return;
        for (const shard of shards) this.stalled.delete(shard);
        // They were given away, but the answer was lost, so the others do not know it yet.
        if (grants.length < shards.length) this.parts.peers?.announce();
        await this.takeUp(grants);
        if (grants.length < shards.length) this.endReadersLater(new Set(shards));
      } catch (err) {
        this.parts.log.warn({ err }, "the database cannot be reached: epochs not raised yet");
        for (const shard of shards) this.stalled.add(shard);
        await backoff.pause(this.halted.signal);
      }
    }
    this.raising = false;
    if (!this.stopped) this.claims.goOn();
  }

  /** Serves newly granted shards after taking up their undone work: all of them or, if it throws, none. */
  private async takeUp(grants: readonly ShardGrant[]): Promise<void> {
    const { shards, store } = this.parts;
    // A later answer may have overtaken this one; an epoch only ever rises.
    const isFresh = (g: ShardGrant): boolean => !this.stalled.has(g.shard) && g.epoch > (shards.epochOf(g.shard) ?? 0);
    const raised = this.stopped ? [] : grants.filter(isFresh);
    if (raised.length === 0) return;
    // If a shard was lost and regained meanwhile, nothing of the former epoch is valid. Readers look again, too: what
    // was stored while this replica did not own the shard is final only now.
    const numbers = raised.map((g) => g.shard);
    this.abandon(new Set(numbers));
    // Read before anything can commit at the new epochs: the undone work cannot grow after that.
    const [undone, erased] = await Promise.all([store.undoneShards(numbers), store.erased(numbers)]);
    const fresh = this.stopped ? [] : raised.filter(isFresh);
    if (fresh.length === 0) return;
    // An answer with an earlier epoch may have been taken up meanwhile.
    this.abandon(new Set(fresh.map((g) => g.shard).filter((shard) => shards.epochOf(shard) !== null)));
    // Nothing undone of an erased organization may run.
    const erasedOf = Map.groupBy(erased, shardOf);
    for (const { shard, epoch } of fresh) {
      assert(!this.stalled.has(shard), "a stalled shard is not granted (OW-1)");
      shards.grant(shard, epoch, erasedOf.get(shard));
    }
    // Each shard opens separately, so undone work on one delays no clients of the others.
    await this.parts.takeUp.begin(fresh, undone, ({ shard, epoch }) => {
      shards.open(shard, epoch);
      this.parts.peers?.opened();
    });
    // The shards are served by now; the next regular scan makes up for a failed one.
    await this.parts.alarms
      .scan(fresh.map((g) => g.shard))
      .catch((err: unknown) =>
        this.parts.log.warn({ err }, "the alarms of shards that were taken up cannot be read yet"),
      );
  }

  /** Extends the lease. Taking up claimed shards runs beside it, because it may last longer than the lease. */
  private async renew(): Promise<void> {
    if (this.stopped) return;
    const { lease, placement } = this.parts;
    if (await lease.renew(placement)) {
      if (this.claims.running === null) this.claims.ask();
      return;
    }
    this.giveUp("the lease ran out and another replica took the shards");
  }

  /** Checks the placement now, not at the next renewal: another replica has announced a change. */
  look(): void {
    this.claims.ask();
  }

  /**
   * Takes up shards that this replica owns without serving them, drops shards that it serves without owning them, and
   * gives away shards beyond its part.
   */
  private async claim(): Promise<void> {
    const { placement, shards, handOver } = this.parts;
    const before = shards.all();
    const { grants, most } =
      handOver === null ? { grants: await placement.claim(), most: SHARD_COUNT } : await placement.claimPart();
    const owned = new Set(grants.map((g) => g.shard));
    const lost = new Set(before.filter((shard) => !owned.has(shard)));
    if (lost.size > 0) this.onFenced(lost);
    await this.takeUp(grants);
    if (handOver !== null && grants.length > most) await this.giveAway(grants.slice(most), handOver);
  }

  private async giveAway(surplus: readonly ShardGrant[], handOver: HandOver): Promise<void> {
    const { shards, log } = this.parts;
    const given = surplus.filter(({ shard, epoch }) => this.epochOf(shard) === epoch);
    if (given.length === 0 || this.stopped) return;
    log.debug({ shards: given.length }, "handing shards over to another replica");
    const isStillGiven = ({ shard, epoch }: ShardGrant): boolean => (shards.epochOf(shard) ?? 0) <= epoch;
    try {
      // A shard whose epoch has risen meanwhile is not released.
      await handOver(given, () => this.forsake(new Set(given.filter(isStillGiven).map((g) => g.shard))));
    } catch (cause) {
      // Raising the epochs shows whether they are still ours.
      this.onUnknown(new Set(given.map((g) => g.shard)), cause);
    }
  }

  private halt(): void {
    this.stopped = true;
    for (const cancel of this.cancels) cancel();
    this.halted.abort();
  }

  private every(periodMs: number, run: () => Promise<void>): void {
    const slot = this.cancels.push(() => {}) - 1;
    const next = (): void => {
      this.cancels[slot] = this.parts.clock.after(periodMs, () => {
        run()
          .catch((err: unknown) => this.parts.log.warn({ err }, UNREACHABLE))
          .finally(() => {
            if (!this.stopped) next();
          });
      });
    };
    next();
  }
}
