/** The ground of the store's contract: a fixture, rows, and a replica that owns all shards. */
import type { RecordFields } from "../../actors/runtime/actor.ts";
import { type Placement, shardOf } from "../../actors/runtime/placement/placement.ts";
import {
  type ActorStore,
  type AlarmRow,
  type EventWrite,
  type FlushOutcome,
  noWrites,
  type ShardWrites,
  type Writes,
} from "../../actors/runtime/store.ts";

/** A flush that is held in the middle of its statement, and so holds the epochs of its shards. */
export interface Stall {
  /** Resolves when the flush has come to where it stands. */
  readonly reached: Promise<void>;
  release(): Promise<void>;
  /** Ends the connection of the statement instead, as the death of a backend does. */
  kill(): Promise<void>;
}

export interface StoreFixture {
  readonly store: ActorStore;
  /** A replica that has joined. */
  replica(id: string): Promise<Placement>;
  /** Makes the next flush stand still when it writes this event, which is not to be there. */
  stall(organizationId: string, stream: string, seq: number): Promise<Stall>;
  /** Marks the organization as erased. */
  erase(organizationId: string): Promise<void>;
  close(): Promise<void>;
}

export const ORG = "org_a";
/** Another organization, on another shard. */
export const OTHER = "org_b";
export const AT = "2026-01-01T00:00:00.000Z";
export const address = { organizationId: ORG, actorKind: "ledger", actorId: "l1" };

export const recordOf = (id: string, version: number, more: object = {}, organizationId = ORG): RecordFields => ({
  id,
  organizationId,
  version,
  createdAt: AT,
  updatedAt: AT,
  ...more,
});
export const eventOf = (seq: number, data: EventWrite["data"] = {}, organizationId = ORG): EventWrite => ({
  organizationId,
  stream: "l1",
  seq,
  type: "added",
  at: AT,
  data,
});
export const alarmOf = (name: string, dueAtMs: number): AlarmRow => ({
  ...address,
  name,
  dueAtMs,
  command: { kind: "wake" },
});
export const keyOf = (name: string) => ({ organizationId: ORG, actorId: "l1", name });

/** A store of the fixture, all of whose shards one replica owns. */
export class StoreScene {
  readonly fixture: StoreFixture;
  readonly placement: Placement;
  readonly epochs: Map<number, number>;

  private constructor(fixture: StoreFixture, placement: Placement, epochs: Map<number, number>) {
    this.fixture = fixture;
    this.placement = placement;
    this.epochs = epochs;
  }

  static async open(open: () => Promise<StoreFixture>): Promise<StoreScene> {
    const fixture = await open();
    const placement = await fixture.replica("r1");
    const epochs = new Map((await placement.claim()).map((g) => [g.shard, g.epoch]));
    return new StoreScene(fixture, placement, epochs);
  }

  readonly group = (writes: Partial<Writes>, organizationId = ORG): ShardWrites => {
    const shard = shardOf(organizationId);
    return { shard, epoch: this.epochs.get(shard)!, writes: { ...noWrites(), ...writes } };
  };

  readonly flush = (...groups: ShardWrites[]): Promise<FlushOutcome> => this.fixture.store.flush(groups);
}
