/**
 * Ownership of shards. One replica owns a shard at one epoch; the epoch is the fencing token of every write. A replica
 * holds a lease.
 *
 * - LE-1: a replica stops serving before others may take its shards (Gray and Cheriton, "Leases", SOSP 1989). For the
 *   others, its lease expires by the database's clock; for itself by its own monotonic clock, after 0.8 of the term
 *   counted from before the renewal was sent.
 */
import type { Clock } from "../ports.ts";
import type { Outcome } from "../../fault.ts";
import type { GroupMember } from "../turns/members.ts";

/** 128 virtual shards: enough to spread over dozens of replicas, few enough to claim in one statement. */
export const SHARD_COUNT = 128;
/** A replica that is silent for this long has lost its shards. */
export const LEASE_TERM_MS = 10_000;
export const LEASE_RENEW_MS = LEASE_TERM_MS / 4;
/** The part of the term in which a replica serves. */
const SAFE_MS = LEASE_TERM_MS * 0.8;

/** FNV-1a over the id's UTF-16 units: it can never change, because rows store the result. */
export function shardOf(organizationId: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < organizationId.length; i++) {
    hash ^= organizationId.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  return (hash >>> 0) % SHARD_COUNT;
}

export interface ShardGrant {
  readonly shard: number;
  readonly epoch: number;
}

/** The shards that a replica owns, and how many are its even part: of all replicas with a lease, rounded up. */
export interface OwnedPart {
  readonly grants: readonly ShardGrant[];
  readonly most: number;
}

/** The authority over replicas and shards. Every method throws when it cannot be reached. */
export interface Placement {
  /** Begins the lease's term anew, by the authority's clock. False: this replica is declared dead for ever. */
  renew(): Promise<boolean>;
  /**
   * Takes shards without a living owner, at a raised epoch, until this replica owns `most` (omitted: all of them), and
   * returns all that it owns.
   */
  claim(most?: number): Promise<readonly ShardGrant[]>;
  /** Like `claim`, until this replica owns its even part. One round trip, because clients wait for the result. */
  claimPart(): Promise<OwnedPart>;
  /**
   * Raises the epoch of shards that this replica owns; waits for statements that still hold the old one. This replica
   * no longer owns a shard that is missing from the result.
   */
  raise(shards: readonly number[]): Promise<readonly ShardGrant[]>;
  /**
   * Gives up those of these shards that this replica still owns at these epochs; waits for statements that hold them.
   * An epoch that has risen meanwhile keeps its shard here, however late this arrives.
   */
  release(grants: readonly ShardGrant[]): Promise<void>;
  /** Gives up all shards and ends the lease. */
  leave(): Promise<void>;
}

/**
 * Port to the other replicas of this service. A single replica has no peers and owns all shards. The runtime sends a
 * shard's owner a turn group as data: only members, no functions of replies, because it crosses the network.
 */
export interface Peers {
  /**
   * Resolves when this process works on no client's request for these shards. Requests that arrive meanwhile wait; they
   * continue, here or at the new owner, after the returned function has run. Never rejects.
   */
  holdClients(shards: ReadonlySet<number>): Promise<() => void>;
  /** Tells the other replicas to check the placement: shards are free, or a replica has joined. */
  announce(): void;
  /** This replica now serves a shard: clients that wait for it continue, here and at the other replicas. */
  opened(): void;
  /** Runs the group at the owner of the organization, once; refuses `unavailable` if it certainly did not run. */
  ask(organizationId: string, members: readonly GroupMember[]): Promise<Outcome<readonly unknown[]>>;
  /** Like `System.settled`, at the owner of the organization. */
  settled(organizationId: string): Promise<Outcome<null>>;
}

/**
 * This replica's view of its own lease. The monotonic clock stands still while a machine is suspended, and the wall
 * clock does not: if either says that the time is over, the replica does not serve. A wall clock that was merely set
 * forward costs one renewal.
 */
export class Lease {
  private safeUntil = Number.NEGATIVE_INFINITY;
  private safeUntilByWall = Number.NEGATIVE_INFINITY;
  private readonly clock: Clock;
  /** Called once for each renewal that only the wall clock has ended: the next one should be made now. */
  onDoubt: () => void = () => {};

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Whether this replica may serve. */
  isSafe(): boolean {
    if (this.clock.monotonic() >= this.safeUntil) return false;
    if (this.clock.now() < this.safeUntilByWall) return true;
    this.end();
    this.onDoubt();
    return false;
  }

  /** Renews through the authority; false when it declared this replica dead. */
  async renew(placement: Placement): Promise<boolean> {
    const [before, beforeByWall] = [this.clock.monotonic(), this.clock.now()];
    const alive = await placement.renew();
    if (alive) {
      this.safeUntil = before + SAFE_MS;
      this.safeUntilByWall = beforeByWall + SAFE_MS;
    } else this.end();
    return alive;
  }

  end(): void {
    this.safeUntil = Number.NEGATIVE_INFINITY;
  }
}
