/**
 * Effects: I/O that a commit intends. The row of an effect is there until a turn settles it, so a
 * crash never forgets one. A handler starts it after the commit, or takes it up again (`recover`)
 * when its former process or epoch is gone; either dispatches what it finds under the epoch at which
 * it runs, and findings of an older epoch are refused.
 */
import type { EffectRow } from "./store.ts";
import type { ShardGrant } from "./placement.ts";
import { carrierOf, type Tracing } from "./tracing.ts";

export interface EffectContext {
  readonly signal: AbortSignal;
  readonly epoch: number;
  /** Whether the epoch is over or the process ends: the next owner recovers the effect. Not so when a turn aborted it. */
  isOver(): boolean;
  /**
   * Whether this replica may still act: false when the epoch is over, and while the lease has lapsed, for
   * then another replica may have the effect by now. To be asked right before whatever cannot be undone.
   */
  mayAct(): boolean;
}

export interface EffectHandler {
  /**
   * A group that wants the effect is on its way to the store. What is dispatched here, under this epoch,
   * joins its batch: so the beginning of an effect can be in the commit that intends it. Nothing may be done
   * to the world: `run` follows where the group is stored, and nothing at all where it is not.
   */
  intended?(effect: EffectRow, epoch: number): void;
  /** Ends when the effect is over and settled, or when the signal has aborted it. Must not reject: a rejection is a bug and is logged. */
  run(effect: EffectRow, context: EffectContext): Promise<void>;
  /** The effect was under way when its owner ended: decides by a turn what becomes of it. One that rejects is tried again. */
  recover(effect: EffectRow, context: EffectContext): Promise<void>;
}

interface Running {
  readonly grant: ShardGrant;
  readonly abort: AbortController;
  readonly ended: PromiseWithResolvers<void>;
  isOver: boolean;
}

export class Effects {
  private readonly handlers: Readonly<Record<string, EffectHandler>>;
  private readonly serves: (grant: ShardGrant) => boolean;
  private readonly onBug: (cause: unknown, effect: EffectRow) => void;
  private readonly running = new Map<string, Running>();
  private idle: (() => void)[] = [];
  /** Shards whose effects are the next owner's. */
  private readonly leaving = new Set<number>();
  private isClosed = false;
  private readonly tracing: Tracing | null;

  constructor(
    handlers: Readonly<Record<string, EffectHandler>>,
    serves: (grant: ShardGrant) => boolean,
    onBug: (cause: unknown, effect: EffectRow) => void,
    tracing: Tracing | null = null,
  ) {
    this.tracing = tracing;
    this.handlers = handlers;
    this.serves = serves;
    this.onBug = onBug;
  }

  get count(): number {
    return this.running.size;
  }

  /** Tells the handler of an effect whose group is on its way. */
  intend(effect: EffectRow, { epoch }: ShardGrant): void {
    if (!this.isClosed) this.handlers[effect.kind]?.intended?.(effect, epoch);
  }

  /** One that was found in the tables before its commit was answered is being recovered, and does not start as well. */
  start(effect: EffectRow, grant: ShardGrant): void {
    const known = this.running.get(effect.id);
    if (known !== undefined && !known.isOver) return;
    void this.drive(effect, grant, "run");
  }

  /** False when it failed and is to be tried again. */
  recover(effect: EffectRow, grant: ShardGrant): Promise<boolean> {
    return this.drive(effect, grant, "recover");
  }

  /** A turn has settled or interrupted it: whatever still runs of it stops. */
  abort(effectId: string): void {
    this.running.get(effectId)?.abort.abort();
  }

  /** The shards are gone, or their epoch is: nothing that still runs for them counts. */
  abortShards(shards: ReadonlySet<number>): void {
    for (const shard of shards) this.leaving.delete(shard);
    this.end(shards);
  }

  /** Another replica is to have these: what runs is aborted, and nothing starts until they are gone. */
  leaveShards(shards: ReadonlySet<number>): void {
    for (const shard of shards) this.leaving.add(shard);
    this.end(shards);
  }

  /** Aborts what runs and starts nothing any more: the rows are the next owner's. */
  close(): void {
    this.isClosed = true;
    for (const running of this.running.values()) end(running);
  }

  /** Ends all while commands are taken still: before a stop, so that clients do not wait for what takes a while. */
  async stop(): Promise<void> {
    this.close();
    await this.drained();
  }

  /** Resolves when no effect runs. */
  async drained(): Promise<void> {
    if (this.running.size > 0) await new Promise<void>((resolve) => this.idle.push(resolve));
  }

  /** Resolves when none of these shards' effects of this moment runs. */
  async drainedOf(shards: ReadonlySet<number>): Promise<void> {
    const all = [...this.running.values()].filter(({ grant }) => shards.has(grant.shard));
    await Promise.all(all.map(({ ended }) => ended.promise));
  }

  private end(shards: ReadonlySet<number>): void {
    for (const running of this.running.values()) if (shards.has(running.grant.shard)) end(running);
  }

  private async drive(effect: EffectRow, grant: ShardGrant, how: "run" | "recover"): Promise<boolean> {
    if (this.isClosed || this.leaving.has(grant.shard)) return true;
    const handler = this.handlers[effect.kind];
    if (handler === undefined) {
      this.onBug(new Error(`no handler for effects of kind ${effect.kind}`), effect);
      return true;
    }
    const running: Running = { grant, abort: new AbortController(), ended: Promise.withResolvers(), isOver: false };
    this.running.set(effect.id, running);
    const work = () =>
      handler[how](effect, {
        signal: running.abort.signal,
        epoch: grant.epoch,
        isOver: () => running.isOver,
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
