/**
 * The placement's model in memory (port: `actors/runtime/placement/placement.ts`). The database's clock is the
 * clock that the model was made with; a replica may run on another one.
 */
import {
  LEASE_TERM_MS,
  type OwnedPart,
  type Placement,
  SHARD_COUNT,
  type ShardGrant,
} from "../../actors/runtime/placement/placement.ts";
import type { MemoryDatabase, ReplicaRow } from "./memory-database.ts";

export class Unreachable extends Error {
  override readonly name = "Unreachable";
}

export class MemoryPlacement implements Placement {
  /** While true, the authority cannot be reached: every method throws. */
  isCut = false;
  /** Renewals that reached the authority. */
  renewals = 0;
  private readonly database: MemoryDatabase;
  readonly id: string;

  constructor(database: MemoryDatabase, id: string) {
    this.database = database;
    this.id = id;
  }

  /** Registers the replica with a lease of one term. */
  join(): void {
    this.database.replicas.set(this.id, { leaseUntil: this.database.clock.now() + LEASE_TERM_MS, dead: false });
  }

  async renew(): Promise<boolean> {
    await this.reach("renew");
    this.renewals++;
    const self = this.self();
    if (self.dead) return false;
    self.leaseUntil = this.database.clock.now() + LEASE_TERM_MS;
    return true;
  }

  async claim(most = SHARD_COUNT): Promise<readonly ShardGrant[]> {
    return (await this.claimUpTo(() => most)).grants;
  }

  claimPart(): Promise<OwnedPart> {
    return this.claimUpTo(() => {
      const { replicas, clock } = this.database;
      const living = [...replicas.values()].filter(({ dead, leaseUntil }) => !dead && leaseUntil > clock.now()).length;
      return Math.ceil(SHARD_COUNT / Math.max(1, living));
    });
  }

  private async claimUpTo(most: () => number): Promise<OwnedPart> {
    await this.reach("claim");
    const { replicas, shards, clock } = this.database;
    for (const [id, replica] of replicas) if (id !== this.id && replica.leaseUntil < clock.now()) replica.dead = true;
    const free = shards.flatMap(({ owner }, shard) => (this.isAlive(owner) ? [] : [shard]));
    for (const shard of free) {
      const row = shards[shard]!;
      for (let held = this.holding([shard]); held !== null; held = this.holding([shard])) await held;
      // Somebody else may have taken it while this waited.
      if (this.self().dead || this.isAlive(row.owner) || this.owned().length >= most()) continue;
      row.owner = this.id;
      row.epoch++;
    }
    const part = { grants: this.owned(), most: most() };
    await this.database.reply("claim");
    return part;
  }

  async raise(raised: readonly number[]): Promise<readonly ShardGrant[]> {
    await this.reach("raise");
    for (let held = this.holding(raised); held !== null; held = this.holding(raised)) await held;
    for (const shard of raised) {
      const row = this.database.shards[shard]!;
      if (row.owner === this.id) row.epoch++;
    }
    return this.owned().filter(({ shard }) => raised.includes(shard));
  }

  async release(grants: readonly ShardGrant[]): Promise<void> {
    await this.reach("release");
    await this.free(grants);
  }

  async leave(): Promise<void> {
    await this.reach("leave");
    await this.free(this.owned());
    this.self().dead = true;
  }

  private async free(grants: readonly ShardGrant[]): Promise<void> {
    const shards = grants.map(({ shard }) => shard);
    for (let held = this.holding(shards); held !== null; held = this.holding(shards)) await held;
    for (const { shard, epoch } of grants) {
      const row = this.database.shards[shard]!;
      if (row.owner === this.id && row.epoch === epoch) row.owner = null;
    }
  }

  private async reach(operation: string): Promise<void> {
    await this.database.pace(operation);
    if (this.isCut) throw new Unreachable(`${operation}: the authority cannot be reached`);
  }

  /**
   * A statement that holds one of these epochs. Callers wait in a loop of their own, so that nothing
   * can begin between the last look and what they change.
   */
  private holding(shards: readonly number[]): Promise<void> | null {
    return this.database.holding(shards);
  }

  private self(): ReplicaRow {
    const self = this.database.replicas.get(this.id);
    if (self === undefined) throw new Error(`${this.id} has not joined`);
    return self;
  }

  private isAlive(owner: string | null): boolean {
    return owner !== null && this.database.replicas.get(owner)?.dead === false;
  }

  private owned(): ShardGrant[] {
    const grants: ShardGrant[] = [];
    for (let shard = 0; shard < SHARD_COUNT; shard++) {
      const { owner, epoch } = this.database.shards[shard]!;
      if (owner === this.id) grants.push({ shard, epoch });
    }
    return grants;
  }
}
