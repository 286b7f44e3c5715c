/**
 * A store that notes what is sent to it, around any other: the epoch of every event, and batches
 * that name two epochs for one shard.
 */
import type { RecordFields } from "../../actors/runtime/actor.ts";
import type {
  ActorStore,
  AlarmRow,
  EffectRow,
  EventPage,
  FlushOutcome,
  MessageRange,
  PageOfEvents,
  PlacedMessage,
  RecordRef,
  ShardWrites,
  UndoneShard,
} from "../../actors/runtime/store.ts";

/** Shared by the stores of all replicas. */
export class EpochNotes {
  /** The epochs under which an event was sent, by stream, seq and write. */
  readonly sent = new Map<string, number[]>();
  mixedBatches = 0;
  statements = 0;

  note(batch: readonly ShardWrites[]): void {
    this.statements++;
    const epochs = new Map<number, number>();
    for (const { shard, epoch, writes } of batch) {
      if ((epochs.get(shard) ?? epoch) !== epoch) this.mixedBatches++;
      epochs.set(shard, epoch);
      for (const { stream, seq, data } of writes.events) {
        const key = `${stream}/${seq}/${String(data["by"])}`;
        const known = this.sent.get(key);
        if (known === undefined) this.sent.set(key, [epoch]);
        else known.push(epoch);
      }
    }
  }
}

export class WatchedStore implements ActorStore {
  private readonly store: ActorStore;
  private readonly notes: EpochNotes;

  constructor(store: ActorStore, notes: EpochNotes) {
    this.store = store;
    this.notes = notes;
  }

  flush(batch: readonly ShardWrites[]): Promise<FlushOutcome> {
    this.notes.note(batch);
    return this.store.flush(batch);
  }

  read(refs: readonly RecordRef[]): Promise<readonly (RecordFields | null)[]> {
    return this.store.read(refs);
  }

  events(organizationId: string, stream: string, page: PageOfEvents): Promise<EventPage> {
    return this.store.events(organizationId, stream, page);
  }

  erased(shards: readonly number[]): Promise<readonly string[]> {
    return this.store.erased(shards);
  }

  undoneShards(shards: readonly number[]): Promise<readonly UndoneShard[]> {
    return this.store.undoneShards(shards);
  }

  undoneMessages(shard: number, range: MessageRange, limit: number): Promise<readonly PlacedMessage[]> {
    return this.store.undoneMessages(shard, range, limit);
  }

  undoneEffects(shard: number, after: string, limit: number): Promise<readonly EffectRow[]> {
    return this.store.undoneEffects(shard, after, limit);
  }

  alarms(shards: readonly number[], untilMs: number, limit: number): Promise<readonly AlarmRow[]> {
    return this.store.alarms(shards, untilMs, limit);
  }
}
