/**
 * Group commit. While a flush is in flight, what comes next is the next batch; there is no timer.
 * One batch is one statement and has three outcomes (see `ActorStore.flush`):
 *
 *   answered ─ live shard ──▶ committed      aborted ─ one group ──▶ broken
 *            └ other shard ─▶ fenced                 └ several ────▶ each alone, in order
 *   unknown ──▶ unknown: the epochs must rise before anything of these shards runs again
 *
 * Outcomes are handed over in the order in which the groups came in. A group of an older epoch than
 * its shard's is refused before the statement is built: a process that loses a shard and regains it
 * would otherwise mix two epochs in one batch.
 */
import type { TurnGroup } from "./group.ts";
import type { ActorStore } from "./store.ts";

/** Bounds of one statement: enough to amortise the commit, small enough to parse in a millisecond. */
export const BATCH_GROUPS = 500;
export const BATCH_BYTES = 1024 * 1024;

export interface FlushHost {
  /** The epoch at which this replica owns the shard now, or null. */
  epochOf(shard: number): number | null;
  /** Called before the groups of a batch with an unknown outcome end. */
  onUnknown(shards: ReadonlySet<number>, cause: unknown): void;
  onFenced(shards: ReadonlySet<number>): void;
}

export class FlushLane {
  private queue: TurnGroup[] = [];
  private running = false;
  private idle: (() => void)[] = [];
  /** Statements sent, for the benchmarks. */
  statements = 0;
  private readonly store: ActorStore;
  private readonly host: FlushHost;

  constructor(store: ActorStore, host: FlushHost) {
    this.store = store;
    this.host = host;
  }

  push(group: TurnGroup): void {
    this.queue.push(group);
    if (!this.running) {
      this.running = true;
      queueMicrotask(() => void this.run());
    }
  }

  /** Resolves when everything that was pushed before has ended. */
  async settled(): Promise<void> {
    if (!this.running) return;
    await new Promise<void>((resolve) => {
      const last = this.queue.at(-1);
      if (last === undefined) this.idle.push(resolve);
      else last.follow(() => resolve());
    });
  }

  private async run(): Promise<void> {
    while (this.queue.length > 0) {
      const batch = this.takeBatch();
      if (batch.length > 0) await this.commit(batch);
      const idle = this.idle;
      this.idle = [];
      for (const resolve of idle) resolve();
    }
    this.running = false;
  }

  /** The next groups that may still be sent; the others end here. */
  private takeBatch(): TurnGroup[] {
    const batch: TurnGroup[] = [];
    let bytes = 0;
    let taken = 0;
    while (taken < this.queue.length && batch.length < BATCH_GROUPS) {
      const group = this.queue[taken]!;
      if (batch.length > 0 && bytes + group.bytes > BATCH_BYTES) break;
      taken++;
      if (this.refuseStale(group)) continue;
      batch.push(group);
      bytes += group.bytes;
    }
    this.queue.splice(0, taken);
    return batch;
  }

  private refuseStale(group: TurnGroup): boolean {
    if (this.host.epochOf(group.shard) !== group.epoch) group.end({ kind: "fenced" });
    else if (group.isUndercut) group.end({ kind: "undercut" });
    else return false;
    return true;
  }

  private async commit(batch: readonly TurnGroup[]): Promise<void> {
    this.statements++;
    const outcome = await this.store.flush(batch);
    switch (outcome.kind) {
      case "answered":
        return this.release(batch, outcome.live);
      case "aborted": {
        if (batch.length === 1) return batch[0]!.end({ kind: "broken", code: outcome.code, cause: outcome.cause });
        for (const group of batch) if (!this.refuseStale(group)) await this.commit([group]);
        return;
      }
      case "unknown": {
        this.host.onUnknown(new Set(batch.map((g) => g.shard)), outcome.cause);
        for (const group of batch) group.end({ kind: "unknown" });
        return;
      }
    }
  }

  private release(batch: readonly TurnGroup[], live: ReadonlySet<number>): void {
    const fenced = new Set<number>();
    for (const group of batch) if (!live.has(group.shard)) fenced.add(group.shard);
    if (fenced.size > 0) this.host.onFenced(fenced);
    for (const group of batch) group.end({ kind: live.has(group.shard) ? "committed" : "fenced" });
  }
}
