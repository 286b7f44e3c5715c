/** A map that keeps at most `limit` entries and evicts the least recently used one. */
export class BoundedMap<V> {
  private readonly entries = new Map<string, V>();
  private readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  get size(): number {
    return this.entries.size;
  }

  keys(): Iterable<string> {
    return this.entries.keys();
  }

  values(): Iterable<V> {
    return this.entries.values();
  }

  delete(key: string): void {
    this.entries.delete(key);
  }

  get(key: string): V | undefined {
    const value = this.entries.get(key);
    // Below half of the limit no entry is near eviction, so the order does not matter yet.
    if (value !== undefined && this.entries.size > this.limit / 2) {
      this.entries.delete(key);
      this.entries.set(key, value);
    }
    return value;
  }

  set(key: string, value: V): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size <= this.limit) return;
    const oldest = this.entries.keys().next();
    if (!oldest.done) this.entries.delete(oldest.value);
  }
}
