/**
 * Takes up work that a shard's former owner left undone: messages first, in the order of their commits, then effects.
 * It reads pages, so memory holds few rows at a time. Each shard is served when all of its messages have been offered,
 * or after `TAKE_UP_MS`; the rest is then taken up beside new work. Clients do not wait for effects: a recovery reads a
 * whole transcript and commits, and clients may come before it in any case.
 *
 *   granted ─▶ reading pages ─ messages offered, or TAKE_UP_MS ─▶ served ─▶ effects recovered
 *
 * Until the last page, messages of new commits are left to the pages, so each message has its turn after earlier ones.
 * A page may show a message whose commit is not answered yet; `delivery.ts` ensures that none has two turns. A failed
 * message or effect is retried beside the others; a parked message blocks nothing.
 */
import { Backoff } from "./backoff.ts";
import type { Chance, Clock } from "./clock.ts";
import type { Delivery } from "./delivery.ts";
import type { Effects } from "./effects.ts";
import type { RuntimeLog } from "./log.ts";
import type { ShardGrant } from "./placement.ts";
import type { Shards } from "./shards.ts";
import type { ActorStore, EffectRow, MessageRow } from "./store.ts";

/**
 * A shard is served after this time at the latest, however many undone messages it has: its clients wait meanwhile,
 * even after an orderly hand-over.
 */
export const TAKE_UP_MS = 100;
/** Rows of one page, and offered messages of one shard that are not answered yet. */
export const UNDONE_PAGE = 250;
/** Effects of one shard that are recovered at once. */
const RECOVERIES = 16;
/** The pause before failed recoveries are retried. */
const RECOVER_RETRY_MS = 5_000;
/** Pauses before a page is read again. */
const READ_RETRY = { firstMs: 250, lastMs: 2_000 };

interface TakeUpParts {
  readonly store: ActorStore;
  readonly delivery: Delivery;
  readonly effects: Effects;
  readonly shards: Shards;
  readonly clock: Clock;
  readonly chance: Pick<Chance, "fraction">;
  readonly log: RuntimeLog;
}

/** One shard under one grant. */
interface Progress {
  readonly grant: ShardGrant;
  /** How many messages new commits of this grant have written meanwhile. */
  written: number;
  /** All messages of the pages have been offered: the next ones are delivered from memory. */
  isLive: boolean;
  /** Effects that began under this grant. */
  readonly begun: Set<string>;
}

export class TakeUp {
  private readonly parts: TakeUpParts;
  /** Shards whose pages are being read. */
  private readonly reading = new Map<number, Progress>();

  constructor(parts: TakeUpParts) {
    this.parts = parts;
  }

  /** A commit has written the message: it is delivered now, or later from the pages. */
  send(message: MessageRow, grant: ShardGrant): void {
    const progress = this.progressOf(grant);
    if (progress === null || progress.isLive) this.parts.delivery.send(message, grant);
    else progress.written++;
  }

  /** A commit has begun the effect: it starts now, and the pages skip it. */
  start(effect: EffectRow, grant: ShardGrant): void {
    this.progressOf(grant)?.begun.add(effect.id);
    this.parts.effects.start(effect, grant);
  }

  /**
   * Calls `onReady` for each grant when its shard may be served: at once if nothing is undone. Resolves when all shards
   * may be served. Nothing is taken up until `before` has resolved. If `before` or the database fails, throws before
   * any shard is ready.
   */
  async begin(
    grants: readonly ShardGrant[],
    before: Promise<void>,
    onReady: (grant: ShardGrant) => void,
  ): Promise<void> {
    const { store, clock } = this.parts;
    const [rows] = await Promise.all([store.undoneShards(grants.map((g) => g.shard)), before]);
    const undone = new Set(rows);
    const waiting = new Set(grants.filter(({ shard }) => undone.has(shard)));
    const ready = (grant: ShardGrant): void => {
      if (waiting.delete(grant)) onReady(grant);
    };
    const all = [...waiting].map((grant) => this.offered(grant).then(() => ready(grant)));
    for (const grant of grants) if (!undone.has(grant.shard)) onReady(grant);
    if (all.length === 0) return;
    await new Promise<void>((resolve) => {
      const cancel = clock.after(TAKE_UP_MS, resolve);
      void Promise.all(all).then(() => {
        cancel();
        resolve();
      });
    });
    for (const grant of waiting) ready(grant);
  }

  /** Takes up the shard's work; resolves when its messages have been offered. */
  private async offered(grant: ShardGrant): Promise<void> {
    const progress: Progress = { grant, written: 0, isLive: false, begun: new Set() };
    this.reading.set(grant.shard, progress);
    await this.messages(progress);
    void this.recover(progress);
  }

  private async recover(progress: Progress): Promise<void> {
    const { grant } = progress;
    try {
      const failed = await this.effects(progress, () => true);
      if (failed.size > 0) void this.again(progress, failed);
    } finally {
      if (this.reading.get(grant.shard) === progress) this.reading.delete(grant.shard);
    }
  }

  /** Offers all messages; resolves when each has been offered once. */
  private async messages(progress: Progress): Promise<void> {
    const { store, delivery } = this.parts;
    const { grant } = progress;
    const unanswered = new Slots(UNDONE_PAGE);
    const offered = new Set<Promise<void>>();
    for (let after = 0; ;) {
      const { written } = progress;
      const page = await this.patiently(grant, () => store.undoneMessages(grant.shard, after, UNDONE_PAGE));
      if (page === null) return;
      const last = page.at(-1);
      // A message that was committed during the read may not be in the page.
      if (last === undefined && written === progress.written) break;
      for (const message of page) {
        await unanswered.take();
        if (!this.isCurrent(grant)) return;
        const { once, over } = delivery.offer(message, grant);
        offered.add(once);
        void once.then(() => offered.delete(once));
        void over.then(() => unanswered.free());
      }
      after = last?.position ?? after;
    }
    progress.isLive = true;
    await Promise.all(offered);
  }

  /** Recovers the `wanted` effects; returns the ids of those that failed. */
  private async effects({ grant, begun }: Progress, wanted: (id: string) => boolean): Promise<ReadonlySet<string>> {
    const { store, effects } = this.parts;
    const failed = new Set<string>();
    const recoveries = new Slots(RECOVERIES);
    const all = new Set<Promise<void>>();
    let after = "";
    for (;;) {
      const page = await this.patiently(grant, () => store.undoneEffects(grant.shard, after, UNDONE_PAGE));
      const last = page?.at(-1);
      if (page === null || last === undefined) break;
      for (const effect of page) {
        if (begun.has(effect.id) || !wanted(effect.id)) continue;
        await recoveries.take();
        // Without a current epoch nothing would stop the recovery.
        if (!this.isCurrent(grant)) return NONE;
        const one = effects.recover(effect, grant).then((isDone) => {
          if (!isDone) failed.add(effect.id);
          recoveries.free();
          all.delete(one);
        });
        all.add(one);
      }
      after = last.id;
    }
    await Promise.all(all);
    return failed;
  }

  /** Retries failed recoveries while the epoch lasts. */
  private async again(progress: Progress, failed: ReadonlySet<string>): Promise<void> {
    const backoff = new Backoff(this.parts, { firstMs: RECOVER_RETRY_MS, lastMs: RECOVER_RETRY_MS });
    for (let left = failed; left.size > 0;) {
      await backoff.pause();
      if (!this.isCurrent(progress.grant)) return;
      const now = left;
      left = await this.effects(progress, (id) => now.has(id));
    }
  }

  /** Retries the read until the database answers; null when the grant is over. */
  private async patiently<T>(grant: ShardGrant, read: () => Promise<T>): Promise<T | null> {
    const backoff = new Backoff(this.parts, READ_RETRY);
    while (this.isCurrent(grant)) {
      try {
        const found = await read();
        return this.isCurrent(grant) ? found : null;
      } catch (err) {
        this.parts.log.warn({ err, shard: grant.shard }, "what is undone on a shard cannot be read yet");
      }
      await backoff.pause();
    }
    return null;
  }

  private progressOf(grant: ShardGrant): Progress | null {
    const progress = this.reading.get(grant.shard);
    return progress?.grant.epoch === grant.epoch ? progress : null;
  }

  private isCurrent({ shard, epoch }: ShardGrant): boolean {
    return !this.parts.shards.draining && this.parts.shards.epochOf(shard) === epoch;
  }
}

const NONE: ReadonlySet<string> = new Set();

/** A number of slots; callers wait in line when none is free. */
class Slots {
  private left: number;
  private readonly waiting: (() => void)[] = [];

  constructor(count: number) {
    this.left = count;
  }

  async take(): Promise<void> {
    if (this.left > 0) this.left--;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  free(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.left++;
    else next();
  }
}
