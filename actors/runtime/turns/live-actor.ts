/**
 * One live actor in memory: its working set of records, and the turn group that it waits for. It is a cache with a
 * queue. It can be evicted at any time when nothing of it is pending. It is evicted at once when a commit has failed,
 * because its records are then ahead of the stored ones.
 *
 * - LA-1: groups change a record in their order, and each raises its version by one.
 * - LA-2: a record whose change waits for its commit, or that a waiting group needs, stays in the set.
 */
import { assert } from "../../assert.ts";
import type { BoundedMap } from "../../bounded-map.ts";
import { type ActorRef, type AnyDefinition, type RecordFields, refKey } from "../actor.ts";
import type { Outcome } from "../../fault.ts";
import type { ShardGrant } from "../placement/placement.ts";
import { Mailbox } from "./mailbox.ts";
import { VolatileState } from "./volatile-state.ts";
import type { Replay } from "../streams/replay.ts";
import type { CommitResult, TextMark } from "../store.ts";

/** Default bound of the records that one actor keeps; unused clean ones are evicted first. */
export const WORKING_SET_RECORDS = 1_000;

/** A turn group whose commit is in flight, as its actors see it. */
export interface PendingGroup {
  /** Later groups have higher numbers. */
  readonly order: number;
  follow(run: (result: CommitResult) => void): void;
}

export interface Slot {
  record: RecordFields | null;
  /** Whether it was read since the working set last looked for a record to evict. */
  isUsed: boolean;
  /** The last uncommitted turn group that changed it; a dirty record is never evicted. */
  pending: PendingGroup | null;
  /** It has left the set: another slot may have the record since. */
  isGone: boolean;
}

/** A record as a turn has read it. */
export interface ReadRecord {
  readonly slot: Slot;
  readonly record: RecordFields | null;
}

/** A reply that answers the same question again (`kept-reply.ts`). */
export interface KeptReply {
  readonly outcome: Outcome<unknown>;
  readonly grant: ShardGrant;
  readonly reads: readonly ReadRecord[];
  /** Wall clock in ms: it holds from the first until before the second. */
  readonly fromMs: number;
  readonly untilMs: number;
}

export class LiveActor {
  readonly ref: ActorRef;
  readonly key: string;
  readonly shard: number;
  readonly epoch: number;
  readonly definition: AnyDefinition;
  readonly mailbox: Mailbox;
  readonly volatile = new VolatileState();
  /** The last uncommitted group that wrote through this actor; publications to its readers wait for it. */
  lastPending: PendingGroup | null = null;
  /** An evicted actor must be looked up again. */
  isEvicted = false;
  usedAt = 0;
  /** When it last moved to the young end of the live actors. */
  movedAt = 0;
  /** Replies of its turns by the name of their question; null: none are kept (`kept-reply.ts`). */
  kept: BoundedMap<KeptReply> | null = null;
  /** The live text of its stream after the last turn; its readers may not have it yet. */
  live: TextMark | null = null;
  /** The stream that `LiveActors.streamOf` found last. */
  replay: Replay | null = null;
  private readonly slots = new Map<string, Slot>();
  /** Records that groups wait for, with the number of groups: pinned until those have had their turns. */
  private pins: Map<string, number> | null = null;

  constructor(ref: ActorRef, definition: AnyDefinition, grant: { shard: number; epoch: number }) {
    this.ref = ref;
    this.key = refKey(ref);
    this.definition = definition;
    this.mailbox = new Mailbox(definition.mailbox);
    this.shard = grant.shard;
    this.epoch = grant.epoch;
  }

  /** Whether nothing of it is in memory. */
  get isBlank(): boolean {
    return this.slots.size === 0;
  }

  /** The record; null if it does not exist, undefined if it has not been loaded. */
  get(key: string): RecordFields | null | undefined {
    return this.find(key)?.record;
  }

  /** The record with the group that it waits for; undefined if it has not been loaded. */
  find(key: string): Slot | undefined {
    const slot = this.slots.get(key);
    if (slot !== undefined) slot.isUsed = true;
    return slot;
  }

  /**
   * Adds a loaded record, unless the set has it already: that one is at least as new. A missing record may be created
   * later.
   */
  loaded(key: string, record: RecordFields | null): void {
    const slot = this.slots.get(key);
    if (slot === undefined) this.slots.set(key, { record, isUsed: false, pending: null, isGone: false });
    else slot.record ??= record;
  }

  /** Keeps the record in the set, even before it is loaded, until `unpin` was called as often. */
  pin(key: string): void {
    this.pins ??= new Map();
    this.pins.set(key, (this.pins.get(key) ?? 0) + 1);
  }

  unpin(key: string): void {
    const left = (this.pins?.get(key) ?? 0) - 1;
    assert(left >= 0, "a record is unpinned as often as pinned (LA-2)");
    if (left > 0) this.pins?.set(key, left);
    else this.pins?.delete(key);
    if (this.pins?.size === 0) this.pins = null;
  }

  /** Applies an uncommitted change of the group; `committed` must follow. */
  changed(key: string, record: RecordFields, group: PendingGroup): void {
    const slot = this.slots.get(key);
    const before = slot?.record ?? null;
    assert(before === null || record.version === before.version + 1, "each group raises a version by one (LA-1)");
    assert(
      (slot?.pending ?? null) === null || slot!.pending!.order < group.order,
      "groups change a record in order (LA-1)",
    );
    if (slot === undefined) this.slots.set(key, { record, isUsed: false, pending: group, isGone: false });
    else {
      slot.record = record;
      slot.pending = group;
    }
  }

  /** The group's change is durable. Groups of one actor commit in order, so no earlier one is pending. */
  committed(key: string, group: PendingGroup): void {
    const slot = this.slots.get(key);
    if (slot?.pending === group) slot.pending = null;
  }

  /** Reduces the working set to its bound. Recently used records get a second chance. */
  trim(): void {
    const bound = this.definition.workingSet ?? WORKING_SET_RECORDS;
    if (this.slots.size <= bound) return;
    for (const [key, slot] of this.slots) {
      if (this.slots.size <= bound) return;
      if (slot.pending !== null || this.pins?.has(key) === true) continue;
      this.slots.delete(key);
      if (!slot.isUsed) {
        slot.isGone = true;
        continue;
      }
      slot.isUsed = false;
      this.slots.set(key, slot);
    }
  }

  get isQuiet(): boolean {
    return this.lastPending === null && this.mailbox.isEmpty;
  }
}
