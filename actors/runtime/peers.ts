/**
 * Port to the other replicas of this service. A single replica has no peers and owns all shards. The runtime sends a
 * shard's owner a turn group as data: only members, no functions of replies, because it crosses the network.
 */
import type { Outcome } from "../fault.ts";
import type { Member } from "./members.ts";

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
  ask(organizationId: string, members: readonly Member[]): Promise<Outcome<readonly unknown[]>>;
  /** Like `System.settled`, at the owner of the organization. */
  settled(organizationId: string): Promise<Outcome<null>>;
}
