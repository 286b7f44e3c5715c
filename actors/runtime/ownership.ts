/**
 * This replica's hold on its shards: joins, renews, claims, raises epochs, and takes up what is
 * undone on a shard before it serves it (`take-up.ts`).
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
import type { LiveActors } from "./live-actors.ts";
import { Backoff } from "./backoff.ts";
import { type Claimer, ClaimTurns } from "./claim-turns.ts";
import type { Chance, Clock } from "./clock.ts";
import type { Effects } from "./effects.ts";
import type { FlushHost } from "./flush.ts";
import type { HandOver } from "./hand-over.ts";
import type { Peers } from "./peers.ts";
import { type Lease, LEASE_RENEW_MS, type Placement, SHARD_COUNT, type ShardGrant, shardOf } from "./placement.ts";
import type { Shards } from "./shards.ts";
import type { TakeUp } from "./take-up.ts";
import type { ActorStore } from "./store.ts";
import type { WriteGuard } from "./write-guard.ts";
import type { RuntimeLog } from "./log.ts";

/** Between two tries to reach the authority. */
const RETRY = { firstMs: 250, lastMs: 1_000 };
/** Readers wait so long for a lost shard to come back: two claims. Then they have to go to its owner. */
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
  /** Gives shards to another replica; null where there is no other one. */
  readonly handOver: HandOver | null;
  readonly guard?: WriteGuard;
  readonly peers?: Pick<Peers, "opened" | "announce">;
  readonly store: Pick<ActorStore, "erased">;
}

export class Ownership implements FlushHost {
  private readonly parts: OwnershipParts;
  /** Shards whose last commit's outcome is unknown: not served until their epoch has risen. */
  private readonly stalled = new Set<number>();
  private raising = false;
  private readonly claims: ClaimTurns;
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
    this.claims = new ClaimTurns(claimer, parts, RETRY);
  }

  get isReady(): boolean {
    const { lease, shards, handOver } = this.parts;
    // One of several serves what it owns and forwards the rest.
    const hasWork = shards.count > 0 || handOver !== null;
    return !this.stopped && lease.isSafe() && hasWork && this.stalled.size === 0;
  }

  async start(): Promise<void> {
    const { lease, placement, alarms, shards } = this.parts;
    if (!(await lease.renew(placement))) throw new Error("this replica was declared dead before it began");
    this.every(LEASE_RENEW_MS, () => this.renew());
    this.every(ALARM_SCAN_MS, () => alarms.scan(shards.all()));
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
    // What it brings after the end would be nobody's until the others' next claim.
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

  /** Nothing can be committed any more: gives everything up, so that nothing hangs, and ends the process. */
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

  /** A shard that does not come back is another owner's, and so are its readers. */
  private endReadersLater(lost: ReadonlySet<number>): void {
    this.parts.clock.after(LOST_READERS_MS, () => {
      const isGone = (shard: number): boolean => this.parts.shards.epochOf(shard) === null && !this.stalled.has(shard);
      this.parts.actors.endReaders(new Set([...lost].filter(isGone)));
    });
  }

  /** Gives these shards up for good. */
  private forsake(shards: ReadonlySet<number>): void {
    this.abandon(shards);
    this.parts.actors.endReaders(shards);
  }

  /** Nothing in memory of these shards counts any more. */
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
    const backoff = new Backoff(this.parts, RETRY);
    while (this.stalled.size > 0 && !this.stopped) {
      const shards = [...this.stalled];
      try {
        const grants = await this.parts.placement.raise(shards);
        if (this.stopped) return;
        for (const shard of shards) this.stalled.delete(shard);
        // They were given away, and the answer to that was lost: the others do not know it yet.
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
      // Nothing that is undone for an erased organization may run. Each by itself: what is undone on one holds up no
      // clients of the others.
      await this.parts.takeUp.begin(fresh, this.learnErased(fresh), ({ shard, epoch }) => {
        shards.open(shard, epoch);
        this.parts.peers?.opened();
      });
    } catch (cause) {
      this.abandon(new Set(fresh.filter((g) => shards.epochOf(g.shard) === g.epoch).map((g) => g.shard)));
      throw cause;
    }
    // They are served by now: a scan that fails is made up for by the next regular one.
    await this.parts.alarms
      .scan(fresh.map((g) => g.shard))
      .catch((err: unknown) =>
        this.parts.log.warn({ err }, "the alarms of shards that were taken up cannot be read yet"),
      );
  }

  private async learnErased(grants: readonly ShardGrant[]): Promise<void> {
    const erased = Map.groupBy(await this.parts.store.erased(grants.map((g) => g.shard)), shardOf);
    for (const { shard, epoch } of grants) {
      const organizationIds = erased.get(shard);
      if (organizationIds !== undefined) this.parts.shards.erase(shard, epoch, organizationIds);
    }
  }

  /** Extends the lease. What a claim brings is taken up beside it: that may last longer than the lease. */
  private async renew(): Promise<void> {
    const { lease, placement } = this.parts;
    if (await lease.renew(placement)) {
      if (this.claims.running === null) this.claims.ask();
      return;
    }
    this.giveUp("the lease ran out and another replica took the shards");
  }

  /** Looks at the placement now, and not at the next renewal: another replica has said that it has changed. */
  look(): void {
    this.claims.ask();
  }

  /**
   * Takes up what this replica owns without serving it, drops what it serves without owning it, and gives up
   * what is more than its part.
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
    const isOurs = ({ shard, epoch }: ShardGrant): boolean => this.epochOf(shard) === epoch;
    const given = new Set(surplus.filter(isOurs).map((g) => g.shard));
    if (given.size === 0 || this.stopped) return;
    this.parts.log.debug({ shards: given.size }, "handing shards over to another replica");
    try {
      await handOver(given, () => this.forsake(given));
    } catch (cause) {
      // Whether they are still ours says the answer to the raise.
      this.onUnknown(given, cause);
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
          .catch((err: unknown) => this.parts.log.warn({ err }, "the database cannot be reached"))
          .finally(() => {
            if (!this.stopped) next();
          });
      });
    };
    next();
  }
}
