/**
 * A store that notes what is sent to it, around any other: the epoch of every event, and batches
 * that name two epochs for one shard.
 */
import type { ActorStore, ShardWrites } from "../../actors/runtime/store.ts";
import { delegatingStore } from "./delegating-store.ts";

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

/** Passes everything on to `store`. */
export const watchedStore = (store: ActorStore, notes: EpochNotes): ActorStore =>
  delegatingStore(store, {
    flush(batch) {
      notes.note(batch);
      return store.flush(batch);
    },
  });
