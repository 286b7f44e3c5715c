/**
 * Loads records into actors: one load at a time for each record, and one query for each organization, table and tick,
 * however many actors request records.
 */
import { assert } from "../../assert.ts";
import type { RecordFields, RecordKey } from "../actor.ts";
import type { LiveActor } from "./live-actor.ts";
import { recordKey } from "./draft.ts";
import type { ActorStore, RecordRef } from "../store.ts";

interface WaitingLoad {
  readonly ref: RecordRef;
  readonly resolve: (record: RecordFields | null) => void;
  readonly reject: (cause: unknown) => void;
}

export class Loader {
  private readonly store: ActorStore;
  private readonly underWay = new Map<LiveActor, Map<string, Promise<void>>>();
  /** The requests of this tick, by organization, so that none waits for another's records. */
  private batches = new Map<string, WaitingLoad[]>();

  constructor(store: ActorStore) {
    this.store = store;
  }

  /** Resolves when all `keys` are in the actor's set. Rejects when the database cannot be reached. */
  async into(actor: LiveActor, keys: readonly RecordKey[]): Promise<void> {
    await Promise.all(keys.map((key) => this.one(actor, key)));
  }

  private one(actor: LiveActor, key: RecordKey): Promise<void> {
    const name = recordKey(key.table, key.id);
    let loads = this.underWay.get(actor);
    if (loads === undefined) this.underWay.set(actor, (loads = new Map()));
    const present = loads.get(name);
    if (present !== undefined) return present;
    const load = this.read({ ...key, organizationId: actor.ref.organizationId })
      .then((record) => actor.loaded(name, record))
      .finally(() => {
        loads.delete(name);
        if (loads.size === 0) this.underWay.delete(actor);
      });
    loads.set(name, load);
    return load;
  }

  private read(ref: RecordRef): Promise<RecordFields | null> {
    return new Promise((resolve, reject) => {
      const waiting: WaitingLoad = { ref, resolve, reject };
      const batch = this.batches.get(ref.organizationId);
      if (batch !== undefined) return void batch.push(waiting);
      if (this.batches.size === 0) queueMicrotask(() => this.sendAll());
      this.batches.set(ref.organizationId, [waiting]);
    });
  }

  private sendAll(): void {
    const { batches } = this;
    this.batches = new Map();
    for (const batch of batches.values()) void this.send(batch);
  }

  private async send(batch: readonly WaitingLoad[]): Promise<void> {
    try {
      const records = await this.store.read(batch.map((w) => w.ref));
      assert(records.length === batch.length, "each record that is asked for has an answer");
      batch.forEach((w, i) => w.resolve(records[i] ?? null));
    } catch (cause) {
      for (const w of batch) w.reject(cause);
    }
  }
}
