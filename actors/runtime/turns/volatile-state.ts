/**
 * The volatile state of a live actor: values that its turns remember and no commit stores, because storing them would
 * cost a commit in each turn. It can be lost at any time (a crash, a turn group that was not stored, the bound below),
 * so an actor must be correct without it.
 */
/** Names a table of volatile values. `T` is the type of its values. */
export interface VolatileTable<T> {
  readonly name: string;
  readonly value?: T;
}
export const volatileTable = <T>(name: string): VolatileTable<T> => ({ name });

/** Values in one volatile table of an actor; beyond it the oldest are evicted. */
export const VOLATILE_VALUES = 10_000;

/** A value that a turn group remembers, before it is applied. */
export interface VolatileWrite {
  readonly table: VolatileTable<unknown>;
  readonly key: string;
  readonly value: unknown;
}

export class VolatileState {
  // Few kinds have volatile state.
  private tables: Map<VolatileTable<unknown>, Map<string, unknown>> | null = null;

  get<T>(table: VolatileTable<T>, key: string): T | null {
    return (this.tables?.get(table)?.get(key) as T | undefined) ?? null;
  }

  set({ table, key, value }: VolatileWrite): void {
    this.tables ??= new Map();
    let values = this.tables.get(table);
    if (values === undefined) this.tables.set(table, (values = new Map()));
    values.set(key, value);
    if (values.size <= VOLATILE_VALUES) return;
    const oldest = values.keys().next();
    if (!oldest.done) values.delete(oldest.value);
  }

  /** All values of one table, by key. */
  all<T>(table: VolatileTable<T>): ReadonlyMap<string, T> {
    return (this.tables?.get(table) as Map<string, T> | undefined) ?? new Map();
  }
}
