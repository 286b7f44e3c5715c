/**
 * Port: the other replicas of this service, as the runtime needs them. A replica that is alone has none, and
 * owns all shards. What the runtime asks of a shard's owner is a turn group as data: only members, no functions
 * of replies, because it travels.
 */
import type { Outcome } from "../fault.ts";
import type { Member } from "./members.ts";

export interface Peers {
  /**
   * Resolves when no request of a client is being worked on for these shards in this process. Those that come
   * meanwhile wait; they go on, here or at the new owner, after the returned function has run. Never rejects.
   */
  holdClients(shards: ReadonlySet<number>): Promise<() => void>;
  /** Tells the other replicas to look at the placement: shards are free, or a replica has joined. */
  announce(): void;
  /** A shard is served here now: its clients that wait go on, here and at the other replicas. */
  opened(): void;
  /** Runs the group at the owner of the organization, once; refuses `unavailable` where it certainly did not run. */
  ask(organizationId: string, members: readonly Member[]): Promise<Outcome<readonly unknown[]>>;
  /** As `System.settled`, at the owner of the organization. */
  settled(organizationId: string): Promise<Outcome<null>>;
}
