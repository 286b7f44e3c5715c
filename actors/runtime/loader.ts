/**
 * Loads records into cells: one load for each record at a time, and one query for each table and
 * tick, however many cells ask.
 */
import type { RecordFields, RecordKey } from "./actor.ts";
import type { Cell } from "./cell.ts";
import { recordKey } from "./draft.ts";
import type { ActorStore, RecordRef } from "./store.ts";

interface Waiting {
  readonly ref: RecordRef;
  readonly resolve: (record: RecordFields | null) => void;
  readonly reject: (cause: unknown) => void;
}

export class Loader {
  private readonly store: ActorStore;
  private readonly underWay = new Map<Cell, Map<string, Promise<void>>>();
  private batch: Waiting[] = [];

  constructor(store: ActorStore) {
    this.store = store;
  }

  /** Resolves when all of `keys` are in the cell's set. Rejects when the database cannot be reached. */
  async into(cell: Cell, keys: readonly RecordKey[]): Promise<void> {
    await Promise.all(keys.map((key) => this.one(cell, key)));
  }

  private one(cell: Cell, key: RecordKey): Promise<void> {
    const name = recordKey(key.table, key.id);
    let loads = this.underWay.get(cell);
    if (loads === undefined) this.underWay.set(cell, (loads = new Map()));
    const present = loads.get(name);
    if (present !== undefined) return present;
    const load = this.read({ ...key, organizationId: cell.ref.organizationId })
      .then((record) => cell.loaded(name, record))
      .finally(() => {
        loads.delete(name);
        if (loads.size === 0) this.underWay.delete(cell);
      });
    loads.set(name, load);
    return load;
  }

  private read(ref: RecordRef): Promise<RecordFields | null> {
    return new Promise((resolve, reject) => {
      this.batch.push({ ref, resolve, reject });
      if (this.batch.length === 1) queueMicrotask(() => void this.send());
    });
  }

  private async send(): Promise<void> {
    const batch = this.batch;
    this.batch = [];
    try {
      const records = await this.store.read(batch.map((w) => w.ref));
      batch.forEach((w, i) => w.resolve(records[i] ?? null));
    } catch (cause) {
      for (const w of batch) w.reject(cause);
    }
  }
}
