/**
 * Group commit. While a flush is in flight, what comes next is the next batch; there is no timer.
 * One batch is one statement and has three outcomes (see `ActorStore.flush`):
 *
 *   answered ─ live shard ──▶ committed      aborted ─ one group ──▶ broken
 *            └ other shard ─▶ fenced                 ├ several ────▶ each alone, in order
 *                                                    └ the server could not ─▶ unavailable
 *   unknown ──▶ unknown: the epochs must rise before anything of these shards runs again
 *
 * Outcomes are handed over in the order in which the groups came in: who runs again after one of them
 * loads from the tables, so whatever came before it must be there. A group of an older epoch than
 * its shard's is refused before the statement is built: a process that loses a shard and regains it
 * would otherwise mix two epochs in one batch.
 */
import type { Ending, TurnGroup } from "./group.ts";
import type { ActorStore, FlushOutcome } from "./store.ts";

/** Bounds of one statement: enough to amortise the commit, small enough to parse in a millisecond. */
export const BATCH_GROUPS = 500;
export const BATCH_BYTES = 1024 * 1024;

/**
 * SQLSTATE classes that say nothing about the rows: a server that is read-only, a deadlock, no space
 * or memory, a lock that was not got. The same batch may well be stored a little later.
 */
const SERVER_COULD_NOT = new Set(["25", "40", "53", "55"]);

export interface FlushHost {
  /** The epoch at which this replica owns the shard now, or null. */
  epochOf(shard: number): number | null;
  /** Called before the groups of a batch with an unknown outcome end. */
  onUnknown(shards: ReadonlySet<number>, cause: unknown): void;
  onFenced(shards: ReadonlySet<number>): void;
}

export class FlushLane {
  private queue: TurnGroup[] = [];
  private joining: (() => void)[] = [];
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
    this.begin();
  }

  /**
   * Calls `run` right before the next batch is taken: what it pushes at once is in that batch. So whoever
   * collects until then makes one group of what comes while another batch is in flight, and nothing waits
   * for longer than it would have.
   */
  joinNext(run: () => void): void {
    this.joining.push(run);
    this.begin();
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

  private begin(): void {
    if (this.running) return;
    this.running = true;
    queueMicrotask(() => void this.run());
  }

  private async run(): Promise<void> {
    while (this.queue.length + this.joining.length > 0) {
      const joining = this.joining;
      this.joining = [];
      for (const join of joining) join();
      const batch = this.takeBatch();
      if (batch.length > 0) await this.commit(batch);
      const idle = this.idle;
      this.idle = [];
      for (const resolve of idle) resolve();
    }
    this.running = false;
  }

  /** The next groups that may still be sent; of the others, those end here that no group of the batch comes before. */
  private takeBatch(): TurnGroup[] {
    const batch: TurnGroup[] = [];
    let bytes = 0;
    let taken = 0;
    while (taken < this.queue.length && batch.length < BATCH_GROUPS) {
      const group = this.queue[taken]!;
      const refusal = this.refusalOf(group);
      if (batch.length > 0 && (refusal !== null || bytes + group.bytes > BATCH_BYTES)) break;
      taken++;
      if (refusal !== null) {
        group.end(refusal);
        continue;
      }
      batch.push(group);
      bytes += group.bytes;
    }
    this.queue.splice(0, taken);
    return batch;
  }

  /** Why a group may not be sent any more, or null. */
  private refusalOf(group: TurnGroup): Ending | null {
    if (this.host.epochOf(group.shard) !== group.epoch) return { kind: "fenced" };
    return group.isUndercut ? { kind: "undercut" } : null;
  }

  private async commit(batch: readonly TurnGroup[]): Promise<void> {
    this.statements++;
    const outcome = await this.flush(batch);
    switch (outcome.kind) {
      case "answered":
        return this.release(batch, outcome.live);
      case "aborted": {
        const ending: Ending = SERVER_COULD_NOT.has(outcome.code.slice(0, 2))
          ? { kind: "unavailable" }
          : { kind: "broken", code: outcome.code, cause: outcome.cause };
        if (batch.length > 1 && ending.kind === "broken") return this.split(batch);
        for (const group of batch) group.end(ending);
        return;
      }
      case "unknown": {
        this.host.onUnknown(new Set(batch.map((g) => g.shard)), outcome.cause);
        for (const group of batch) group.end({ kind: "unknown" });
        return;
      }
    }
  }

  /** A store that throws has a bug: what it did is unknown, and the lane goes on. */
  private async flush(batch: readonly TurnGroup[]): Promise<FlushOutcome> {
    try {
      return await this.store.flush(batch);
    } catch (cause) {
      return { kind: "unknown", cause };
    }
  }

  private async split(batch: readonly TurnGroup[]): Promise<void> {
    for (const group of batch) {
      const refusal = this.refusalOf(group);
      if (refusal === null) await this.commit([group]);
      else group.end(refusal);
    }
  }

  private release(batch: readonly TurnGroup[], live: ReadonlySet<number>): void {
    const fenced = new Set<number>();
    for (const group of batch) if (!live.has(group.shard)) fenced.add(group.shard);
    if (fenced.size > 0) this.host.onFenced(fenced);
    for (const group of batch) group.end({ kind: live.has(group.shard) ? "committed" : "fenced" });
  }
}
