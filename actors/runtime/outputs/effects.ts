/**
 * Effects: I/O that a commit intends. The row of an effect exists until a turn settles it, so a crash never loses one.
 * A handler starts it after the commit, or recovers it (`recover`) when its former process or epoch is gone. Either
 * dispatches its results under the epoch at which it runs. An effect whose handler failed is recovered as well.
 *
 * - EF-1: an effect has one handler at a time in this process, and results under an older epoch are refused. A handler
 *   that hangs keeps its entry until the epoch ends: a second one beside it could do its work twice. After that
 *   the entry is ignored, and the next grant recovers the effect.
 * - EF-2: nothing starts for a shard that this replica gives away, nor after the end has begun.
 */
import { assert } from "../../assert.ts";
import { Backoff, type BackoffParts } from "../backoff.ts";
import type { EffectRow } from "../store.ts";
import type { ShardGrant } from "../placement/placement.ts";
import { carrierOf, type Tracing } from "../tracing.ts";

export interface EffectContext {
  readonly signal: AbortSignal;
  readonly epoch: number;
  /** Whether the epoch is over or the process ends: the next owner recovers the effect. False if a turn aborted it. */
  isOver(): boolean;
  /** Whether it is over because the next owner goes on, and this one still takes reports for a moment. */
  isHandedOver(): boolean;
  /**
   * Whether this replica may still act: false when the epoch is over, and while the lease has lapsed, because another
   * replica may then run the effect. Before anything that cannot be undone, await `whenEntitled`.
   */
  mayAct(): boolean;
}

export interface EffectHandler {
  /**
   * A group that intends the effect is on its way to the store. Commands dispatched here, under this epoch, join its
   * batch, so the beginning of an effect can be in the commit that intends it. Do nothing to the outside yet: `run`
   * follows only if the group is stored.
   */
  intended?(effect: EffectRow, epoch: number): void;
  /**
   * Resolves when the effect is over and settled, or when the signal has aborted it. Must not reject: a rejection is a
   * bug, which is logged, and the effect is recovered.
   */
  run(effect: EffectRow, context: EffectContext): Promise<void>;
  /** The effect was running when its owner ended: decides in a turn what happens to it. A rejection is retried. */
  recover(effect: EffectRow, context: EffectContext): Promise<void>;
}

/** The interval of checks for a lapsed lease. */
const LEASE_LOOK = { firstMs: 200, lastMs: 200 };

/**
 * Resolves to true when the handler may act on the world, and to false when the effect is over or the signal has
 * aborted. Await it right before anything that cannot be undone: while the lease has lapsed, another replica may do it.
 * A handler that gave up instead would leave its effect to nobody, because the lease may come back at the same epoch.
 */
export async function whenEntitled(
  context: EffectContext,
  parts: BackoffParts,
  signal: AbortSignal = context.signal,
): Promise<boolean> {
  const backoff = new Backoff(parts, LEASE_LOOK);
  while (!context.mayAct()) {
    if (context.isOver() || signal.aborted) return false;
    await backoff.pause(signal);
  }
  return true;
}

/** The handlers by the kinds of effects. */
export type EffectHandlers = Readonly<Record<string, EffectHandler>>;

interface Running {
  readonly grant: ShardGrant;
  readonly abort: AbortController;
  readonly ended: PromiseWithResolvers<void>;
  isOver: boolean;
}

export class Effects {
  /** Called when the handler of a started effect has failed. */
  onFailedRun: (effect: EffectRow, grant: ShardGrant) => void = () => {};
  private handlers: EffectHandlers | null = null;
  private readonly serves: (grant: ShardGrant) => boolean;
  private readonly onBug: (cause: unknown, effect: EffectRow) => void;
  private readonly running = new Map<string, Running>();
  private idle: (() => void)[] = [];
  /** Shards whose effects belong to the next owner. */
  private readonly leaving = new Set<number>();
  private isClosed = false;
  private readonly tracing: Tracing | null;

  constructor(
    serves: (grant: ShardGrant) => boolean,
    onBug: (cause: unknown, effect: EffectRow) => void,
    tracing: Tracing | null = null,
  ) {
    this.tracing = tracing;
    this.serves = serves;
    this.onBug = onBug;
  }

  /** Takes the handlers of all kinds. Until then, effects stay rows, for a process that has handlers. */
  handle(handlers: EffectHandlers): void {
    assert(this.handlers === null, "the handlers of effects are given once");
    this.handlers = handlers;
  }

  get count(): number {
    return this.running.size;
  }

  /** Notifies the handler of an effect whose group is on its way to the store, unless it would not start here (EF-2). */
  intend(effect: EffectRow, { shard, epoch }: ShardGrant): void {
    if (!this.isClosed && !this.leaving.has(shard)) this.handlers?.[effect.kind]?.intended?.(effect, epoch);
  }

  /** Starts the effect, unless it was found in the tables before its commit was answered and is being recovered. */
  start(effect: EffectRow, grant: ShardGrant): void {
    if (this.runs(effect.id)) return;
    void this.drive(effect, grant, "run").then((isDone) => {
      if (!isDone) this.onFailedRun(effect, grant);
    });
  }

  /**
   * Resolves to false if it failed and must be retried. Does nothing if the effect runs: its commit was answered after
   * a recovery had failed.
   */
  recover(effect: EffectRow, grant: ShardGrant): Promise<boolean> {
    return this.runs(effect.id) ? Promise.resolve(true) : this.drive(effect, grant, "recover");
  }

  /** Whether a handler works on it for the current grant. */
  private runs(effectId: string): boolean {
    return this.running.get(effectId)?.isOver === false;
  }

  /** A turn has settled or interrupted it: a running handler stops. */
  abort(effectId: string): void {
    this.running.get(effectId)?.abort.abort();
  }

  /** The shards or their epochs are gone: effects that still run for them are aborted. */
  abortShards(shards: ReadonlySet<number>): void {
    for (const shard of shards) this.leaving.delete(shard);
    this.end(shards);
  }

  /** Another replica will get these shards: running effects are aborted, and none starts until the shards are gone. */
  leaveShards(shards: ReadonlySet<number>): void {
    for (const shard of shards) this.leaving.add(shard);
    this.end(shards);
  }

  /** Aborts running effects and starts no more: the rows belong to the next owner. */
  close(): void {
    this.isClosed = true;
    for (const running of this.running.values()) end(running);
  }

  /** Ends all effects while commands are still accepted, so that clients do not wait for slow effects during a stop. */
  async stop(): Promise<void> {
    this.close();
    await this.drained();
  }

  /** Resolves when no effect is running. */
  async drained(): Promise<void> {
    if (this.running.size > 0) await new Promise<void>((resolve) => this.idle.push(resolve));
  }

  /** Resolves when none of these shards' currently running effects is left. */
  async drainedOf(shards: ReadonlySet<number>): Promise<void> {
    const all = [...this.running.values()].filter(({ grant }) => shards.has(grant.shard));
    await Promise.all(all.map(({ ended }) => ended.promise));
  }

  private end(shards: ReadonlySet<number>): void {
    for (const running of this.running.values()) if (shards.has(running.grant.shard)) end(running);
  }

  private async drive(effect: EffectRow, grant: ShardGrant, how: "run" | "recover"): Promise<boolean> {
    if (this.isClosed || this.handlers === null || this.leaving.has(grant.shard)) return true;
    const handler = this.handlers[effect.kind];
    if (handler === undefined) {
      this.onBug(new Error(`no handler for effects of kind ${effect.kind}`), effect);
      return true;
    }
    const running: Running = { grant, abort: new AbortController(), ended: Promise.withResolvers(), isOver: false };
    assert(!this.runs(effect.id), "an effect has one handler at a time (EF-1)");
    this.running.set(effect.id, running);
    const work = () =>
      handler[how](effect, {
        signal: running.abort.signal,
        epoch: grant.epoch,
        isOver: () => running.isOver,
        isHandedOver: () => running.isOver && (this.isClosed || this.leaving.has(grant.shard)),
        mayAct: () => !running.isOver && this.serves(grant),
      });
    try {
      await (this.tracing === null ? work() : this.tracing.within(carrierOf(effect.intent), work));
      return true;
    } catch (cause) {
      this.onBug(cause, effect);
      return false;
    } finally {
      running.ended.resolve();
      if (this.running.get(effect.id) === running) this.running.delete(effect.id);
      if (this.running.size === 0) {
        for (const resolve of this.idle) resolve();
        this.idle = [];
      }
    }
  }
}

function end(running: Running): void {
  running.isOver = true;
  running.abort.abort();
}
