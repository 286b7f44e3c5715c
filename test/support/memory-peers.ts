/** Replicas of one world that reach each other without HTTP (port: `actors/runtime/placement/placement.ts`). */
import { type Outcome, refuse } from "../../actors/fault.ts";
import type { GroupMember } from "../../actors/runtime/turns/members.ts";
import type { Peers } from "../../actors/runtime/placement/placement.ts";
import { SHARD_UNAVAILABLE } from "../../actors/runtime/placement/shards.ts";
import type { LedgerReplica } from "./ledger-replica.ts";

export class MemoryPeers implements Peers {
  /** Everybody, this one too. */
  readonly all: LedgerReplica[];
  /** What happened to clients, in order. */
  readonly said: string[] = [];
  /** Runs when clients are held. */
  onHold: () => void = () => {};
  /** Groups that were asked of an owner. */
  asked = 0;

  constructor(all: LedgerReplica[]) {
    this.all = all;
  }

  holdClients(shards: ReadonlySet<number>): Promise<() => void> {
    this.said.push(`held ${shards.size}`);
    this.onHold();
    return Promise.resolve(() => void this.said.push("let go"));
  }

  announce(): void {
    for (const { system } of this.all) system.lookAtPlacement();
  }

  opened(): void {}

  ask(organizationId: string, members: readonly GroupMember[]): Promise<Outcome<readonly unknown[]>> {
    this.asked++;
    const owner = this.ownerOf(organizationId);
    return owner === undefined ? Promise.resolve(refuse(SHARD_UNAVAILABLE)) : owner.system.dispatchGroup(members);
  }

  settled(organizationId: string): Promise<Outcome<null>> {
    return this.ownerOf(organizationId)?.system.settled(organizationId) ?? Promise.resolve(refuse(SHARD_UNAVAILABLE));
  }

  private ownerOf(organizationId: string): LedgerReplica | undefined {
    return this.all.find(({ system }) => system.serves(organizationId));
  }
}
