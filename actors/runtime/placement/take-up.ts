/**
 * Takes up work that a shard's former owner left undone: messages first, in the order of their commits, then effects.
 * It reads pages, so memory holds few rows at a time. Each shard is served when all of its messages have been offered,
 * or after `TAKE_UP_MS`; the rest is then taken up beside new work. Clients do not wait for effects: a recovery reads a
 * whole transcript and commits, and clients may come before it in any case.
 *
 *   granted ─▶ reading pages ─ messages offered, or TAKE_UP_MS ─▶ served ─▶ effects recovered
 *
 * Each message is offered once before new ones. One whose receiver cannot take it, or whose turn throws, stays in the
 * table, and is offered again beside new ones, in rounds: it holds back nothing, and memory holds one page of messages.
 * A parked message waits for the next owner. Failed effects of a shard are recovered again together, after a pause.
 *
 * - TU-1: what is undone is finite. Nothing of an older epoch can commit once the epoch has risen, so the position of the
 *   last message, read after that and before the first commit of this grant, is a fixed bound.
 * - TU-2: pages show no message of this grant. A position is drawn at the insert, so a page of commits in progress could
 *   pass over one that commits late, and it would be lost.
 * - TU-3: each message has its turn after earlier ones: commits of this grant keep their messages until the pages are
 *   through.
 * - TU-4: a round offers at most `LEFT_ROUND` messages that were left, and the next one goes on behind them, so none
 *   starves. Once a receiver cannot take a message, its later ones are passed over until the rounds begin again at the
 *   first that was left: they keep their order, and cost other receivers nothing. A receiver that refused once waits for
 *   that too; while other receivers accept messages, the rounds are a quarter of a second apart.
 */
import { assert } from "../../assert.ts";
import { FairSlots } from "../../fair-slots.ts";
import { within } from "./hand-over.ts";
import { Backoff } from "../backoff.ts";
import type { Chance, Clock, RuntimeLog } from "../ports.ts";
import { refKey } from "../actor.ts";
import type { Delivery, DeliveryEnd } from "../outputs/delivery.ts";
import type { Effects } from "../outputs/effects.ts";
import type { ShardGrant } from "./placement.ts";
import type { Shards } from "./shards.ts";
import type { ActorStore, EffectRow, MessageRange, MessageRow, PlacedMessage, UndoneShard } from "../store.ts";

/**
 * A shard is served after this time at the latest, however many undone messages it has: its clients wait meanwhile,
 * even after an orderly hand-over.
 */
export const TAKE_UP_MS = 100;
/** Rows of one page, and offered messages of one shard that are not answered yet. */
export const UNDONE_PAGE = 250;
/** Effects of one shard that are recovered at once. */
const RECOVERIES = 16;
/** A recovery that takes longer goes on without its slot: those that hang must not hold back the others. */
export const RECOVERY_SLOT_MS = 10_000;
/** The pause before failed recoveries are retried. */
const RECOVER_RETRY_MS = 5_000;
/** Pauses before a page is read again. */
const READ_RETRY = { firstMs: 250, lastMs: 2_000 };
/** Pauses before rounds of messages that were left in the table. They begin again with the first when one is delivered. */
const LEFT_RETRY = { firstMs: 250, lastMs: 5_000 };
/** Messages of one shard that one round offers again. */
export const LEFT_ROUND = 250;

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
interface TakeUpProgress {
  readonly grant: ShardGrant;
  /** Messages of this grant's commits meanwhile, in their order; null: the pages are through (TU-3). */
  kept: MessageRow[] | null;
  /** Effects that began under this grant. */
  readonly begun: Set<string>;
}

/** Effects of one shard under one grant that are recovered after a pause. */
interface FailedEffects {
  readonly grant: ShardGrant;
  ids: Set<string>;
}

/** Messages that were offered. */
interface OfferedMessages {
  /** Resolves when each has been offered once. */
  readonly once: Promise<unknown>;
  /** When all are answered: the position of the first that was left in the table; null: none was. */
  readonly firstLeft: Promise<number | null>;
}

/** One way through the messages that were left, in as many rounds as it takes. */
interface LeftPass {
  /** The position of the last message that it has offered or passed over. */
  after: number;
  /** The position of the first that it has left again; null: none so far. */
  firstLeft: number | null;
  /** The receivers that could not take a message. */
  readonly closed: Set<string>;
  isThrough: boolean;
}

export class TakeUp {
  private readonly parts: TakeUpParts;
  /** Shards whose pages are being read. */
  private readonly reading = new Map<number, TakeUpProgress>();
  /** Failed effects, by shard. */
  private readonly failed = new Map<number, FailedEffects>();

  constructor(parts: TakeUpParts) {
    this.parts = parts;
  }

  /** A commit has written the message: it is delivered now, or after the pages. */
  send(message: MessageRow, grant: ShardGrant): void {
    const kept = this.progressOf(grant)?.kept ?? null;
    if (kept === null) this.parts.delivery.send(message, grant);
    else kept.push(message);
  }

  /** A commit has begun the effect: it starts now, and the pages skip it. */
  start(effect: EffectRow, grant: ShardGrant): void {
    this.progressOf(grant)?.begun.add(effect.id);
    this.parts.effects.start(effect, grant);
  }

  /**
   * Calls `onReady` for each grant when its shard may be served: at once if nothing is undone. Resolves when all shards
   * may be served. `undone` was read when the epochs had risen, and before the shards were granted (TU-1).
   */
  async begin(
    grants: readonly ShardGrant[],
    undone: readonly UndoneShard[],
    onReady: (grant: ShardGrant) => void,
  ): Promise<void> {
    const lastMessages = new Map(undone.map(({ shard, lastMessage }) => [shard, lastMessage]));
    const waiting = new Set(grants.filter(({ shard }) => lastMessages.has(shard)));
    const ready = (grant: ShardGrant): void => {
      if (waiting.delete(grant)) onReady(grant);
    };
    const all = [...waiting].map((grant) =>
      this.offered(grant, lastMessages.get(grant.shard) ?? 0).then(() => ready(grant)),
    );
    for (const grant of grants) if (!lastMessages.has(grant.shard)) onReady(grant);
    if (all.length === 0) return;
    await within(this.parts.clock, TAKE_UP_MS, Promise.all(all));
    for (const grant of waiting) ready(grant);
  }

  /** Takes up the shard's work; resolves when its messages have been offered. */
  private async offered(grant: ShardGrant, lastMessage: number): Promise<void> {
    const progress: TakeUpProgress = { grant, kept: [], begun: new Set() };
    this.reading.set(grant.shard, progress);
    await this.messages(progress, lastMessage);
    void this.recover(progress);
  }

  private async recover(progress: TakeUpProgress): Promise<void> {
    const { grant } = progress;
    try {
      await this.effects(progress, null);
    } finally {
      if (this.reading.get(grant.shard) === progress) this.reading.delete(grant.shard);
    }
  }

  /** Offers all messages up to `upTo`, and then those that were kept; resolves when each has been offered once. */
  private async messages(progress: TakeUpProgress, upTo: number): Promise<void> {
    const offered = await this.offerPages(progress, { after: 0, upTo });
    if (offered === null) return;
    const { grant, kept } = progress;
    progress.kept = null;
    for (const message of kept ?? []) this.parts.delivery.send(message, grant);
    void this.offerLeft(progress, offered, upTo);
    await offered.once;
  }

  /** Offers each message of the range that is not parked, in order; null when the grant is over. */
  private async offerPages(
    progress: TakeUpProgress,
    { after: first, upTo }: MessageRange,
  ): Promise<OfferedMessages | null> {
    const { store, delivery } = this.parts;
    const { grant } = progress;
    const unanswered = new FairSlots({ slots: UNDONE_PAGE, each: UNDONE_PAGE });
    const offered = new Set<Promise<void>>();
    let firstLeft: number | null = null;
    for (let after = first; after < upTo;) {
      const range = { after, upTo };
      const page = await this.patiently(grant, () => store.undoneMessages(grant.shard, range, UNDONE_PAGE));
      if (page === null) return null;
      for (const message of page) {
        assert(message.position > after && message.position <= upTo, "a page has what it was asked for, in order");
        after = message.position;
        if (delivery.isParked(message, grant)) continue;
        const pass = await unanswered.enter(ALL);
        if (!this.isCurrent(grant)) return null;
        const { once, end } = delivery.offer(message, grant);
        offered.add(once);
        void once.then(() => offered.delete(once));
        void end.then((how) => {
          if (how !== "over") firstLeft = Math.min(firstLeft ?? Infinity, message.position);
          pass?.end();
        });
      }
      if (page.length < UNDONE_PAGE) break;
    }
    return { once: Promise.all(offered), firstLeft: unanswered.rest().then(() => firstLeft) };
  }

  /** Offers the messages again that were left in the table, while the grant lasts (TU-4). */
  private async offerLeft({ grant }: TakeUpProgress, { firstLeft }: OfferedMessages, upTo: number): Promise<void> {
    const backoff = new Backoff(this.parts, LEFT_RETRY);
    for (let first = await firstLeft; first !== null;) {
      const pass: LeftPass = { after: first - 1, firstLeft: null, closed: new Set(), isThrough: false };
      while (!pass.isThrough) {
        await backoff.pause();
        if (!this.isCurrent(grant)) return;
        const isDelivered = await this.offerRound(grant, pass, upTo);
        if (isDelivered === null) return;
        if (isDelivered) backoff.reset();
      }
      first = pass.firstLeft;
    }
  }

  /** Offers the next messages of the pass; resolves to whether one was delivered, or to null when the grant is over. */
  private async offerRound(grant: ShardGrant, pass: LeftPass, upTo: number): Promise<boolean | null> {
    const { store, delivery } = this.parts;
    let isDelivered = false;
    for (let room = LEFT_ROUND; room > 0 && !pass.isThrough;) {
      const range = { after: pass.after, upTo };
      const page = await this.patiently(grant, () => store.undoneMessages(grant.shard, range, LEFT_ROUND));
      if (page === null) return null;
      const unparked = page.filter((message) => !delivery.isParked(message, grant));
      const beyond = unparked.filter((message) => !pass.closed.has(receiverOf(message)))[room]?.position ?? Infinity;
      const offered = unparked.filter(({ position }) => position < beyond);
      const ofReceivers = [...Map.groupBy(offered, receiverOf)];
      const ends = await Promise.all(ofReceivers.map(([, messages]) => this.offerInOrder(messages, grant, pass)));
      room -= ends.flat().length;
      isDelivered ||= ends.flat().includes("over");
      pass.after = page.findLast(({ position }) => position < beyond)?.position ?? upTo;
      pass.isThrough = page.length < LEFT_ROUND && beyond === Infinity;
    }
    return isDelivered;
  }

  /** Offers messages of one receiver, one after the other, until it cannot take one; how each offer ended. */
  private async offerInOrder(
    messages: readonly PlacedMessage[],
    grant: ShardGrant,
    pass: LeftPass,
  ): Promise<readonly DeliveryEnd[]> {
    const ends: DeliveryEnd[] = [];
    for (const message of messages) {
      const receiver = receiverOf(message);
      const isOffered = !pass.closed.has(receiver);
      const end = isOffered ? await this.parts.delivery.offer(message, grant).end : "refused";
      if (isOffered) ends.push(end);
      if (end === "refused") pass.closed.add(receiver);
      if (end !== "over") pass.firstLeft = Math.min(pass.firstLeft ?? Infinity, message.position);
    }
    return ends;
  }

  /** Begins to recover the `wanted` effects of the table, or all of them (null). Those that fail are tried again. */
  private async effects(
    { grant, begun }: { readonly grant: ShardGrant; readonly begun: ReadonlySet<string> },
    wanted: ReadonlySet<string> | null,
  ): Promise<void> {
    const { store, effects } = this.parts;
    const recoveries = new FairSlots({ slots: RECOVERIES, each: RECOVERIES });
    let unseen = wanted?.size ?? Infinity;
    let after = "";
    while (unseen > 0) {
      const page = await this.patiently(grant, () => store.undoneEffects(grant.shard, after, UNDONE_PAGE));
      const last = page?.at(-1);
      if (page === null || last === undefined) break;
      for (const effect of page) {
        if (begun.has(effect.id) || wanted?.has(effect.id) === false) continue;
        unseen--;
        const pass = await recoveries.enter(ALL);
        // Without a current epoch nothing would stop the recovery.
        if (!this.isCurrent(grant)) return pass?.end();
        // Its commit was answered while a slot was awaited: it runs already (EF-1).
        if (begun.has(effect.id)) {
          pass?.end();
          continue;
        }
        const recovery = effects.recover(effect, grant).then((isDone) => {
          if (!isDone) this.recoverFailed(effect, grant);
        });
        void within(this.parts.clock, RECOVERY_SLOT_MS, recovery).then(() => pass?.end());
      }
      if (page.length < UNDONE_PAGE) return;
      after = last.id;
    }
  }

  /** Recovers an effect after a pause whose handler or recovery has failed, unless a turn settles it meanwhile. */
  recoverFailed({ id }: EffectRow, grant: ShardGrant): void {
    if (!this.isCurrent(grant)) return;
    const known = this.failed.get(grant.shard);
    if (known?.grant.epoch === grant.epoch) {
      known.ids.add(id);
      return;
    }
    const failed: FailedEffects = { grant, ids: new Set([id]) };
    this.failed.set(grant.shard, failed);
    void this.recoverAgain(failed);
  }

  /** Recovers failed effects of a shard, all with one read of its table, while the epoch lasts. */
  private async recoverAgain(failed: FailedEffects): Promise<void> {
    const { grant } = failed;
    const backoff = new Backoff(this.parts, { firstMs: RECOVER_RETRY_MS, lastMs: RECOVER_RETRY_MS });
    while (failed.ids.size > 0) {
      await backoff.pause();
      if (!this.isCurrent(grant)) break;
      const { ids } = failed;
      failed.ids = new Set();
      await this.effects({ grant, begun: NONE_BEGUN }, ids);
    }
    if (this.failed.get(grant.shard) === failed) this.failed.delete(grant.shard);
  }

  /** Retries the read until the database answers; null when the grant is over. */
  private async patiently<T>(grant: ShardGrant, read: () => Promise<T>): Promise<T | null> {
    const backoff = new Backoff(this.parts, READ_RETRY);
    while (this.isCurrent(grant)) {
      try {
        const found = await read();
        return this.isCurrent(grant) ? found : null;
      } catch (err) {
        this.parts.log.warn({ err, shard: grant.shard }, "the unfinished work of a shard cannot be read yet");
      }
      await backoff.pause();
    }
    return null;
  }

  private progressOf(grant: ShardGrant): TakeUpProgress | null {
    const progress = this.reading.get(grant.shard);
    return progress?.grant.epoch === grant.epoch ? progress : null;
  }

  private isCurrent({ shard, epoch }: ShardGrant): boolean {
    return !this.parts.shards.draining && this.parts.shards.epochOf(shard) === epoch;
  }
}

const receiverOf = ({ organizationId, actorKind: kind, actorId: id }: MessageRow): string =>
  refKey({ kind, organizationId, id });
const NONE_BEGUN: ReadonlySet<string> = new Set();
/** All rows of a shard share the slots, in their order. */
const ALL = "";
