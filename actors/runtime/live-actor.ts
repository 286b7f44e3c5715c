/**
 * One live actor in memory: its working set of records, and the turn group that it waits for. It is a
 * cache with a queue: it can be evicted at any time when nothing of it is pending, and is evicted at
 * once when a commit failed, because its records are then ahead of what is stored.
 */
import type { BoundedMap } from "../bounded-map.ts";
import { type ActorRef, type AnyDefinition, type RecordFields, refKey } from "./actor.ts";
import type { KeptReply } from "./kept-reply.ts";
import { Mailbox } from "./mailbox.ts";
import { VolatileState } from "./volatile-state.ts";
import type { Replay } from "./replay.ts";
import type { CommitResult } from "./commit-result.ts";
import type { TextMark } from "./store.ts";

/** Default bound of the records that one actor keeps; unused clean ones are dropped first. */
export const WORKING_SET_RECORDS = 1_000;

/** A turn group whose commit is under way, as far as its actors know it. */
export interface PendingGroup {
  /** Later groups have higher numbers. */
  readonly order: number;
  follow(run: (result: CommitResult) => void): void;
}

export interface Slot {
  record: RecordFields | null;
  /** Whether it has been asked for since the set last looked for one to let go. */
  isUsed: boolean;
  /** The last turn group that changed it and is not committed; a dirty record never leaves the set. */
  pending: PendingGroup | null;
  /** It has left the set: another slot may have the record since. */
  isGone: boolean;
}

export class LiveActor {
  readonly ref: ActorRef;
  readonly key: string;
  readonly shard: number;
  readonly epoch: number;
  readonly definition: AnyDefinition;
  readonly mailbox: Mailbox;
  readonly volatile = new VolatileState();
  /** The last group that wrote through this actor and is not committed: what is said to its readers waits for it. */
  lastPending: PendingGroup | null = null;
  /** Holders look the actor up again. */
  isEvicted = false;
  usedAt = 0;
  /** When it last moved to the young end of the live actors. */
  movedAt = 0;
  /** Replies of its turns by the name of their question; null: none are kept (`kept-reply.ts`). */
  kept: BoundedMap<KeptReply> | null = null;
  /** The live text of its stream as the last turn has left it, which its readers may not have yet. */
  live: TextMark | null = null;
  /** Its stream as it was last found (`LiveActors.streamOf`). */
  replay: Replay | null = null;
  private readonly slots = new Map<string, Slot>();
  /** Records that groups wait for, and by how many groups: pinned until those have had their turns. */
  private pins: Map<string, number> | null = null;

  constructor(ref: ActorRef, definition: AnyDefinition, grant: { shard: number; epoch: number }) {
    this.ref = ref;
    this.key = refKey(ref);
    this.definition = definition;
    this.mailbox = new Mailbox(definition.mailbox);
    this.shard = grant.shard;
    this.epoch = grant.epoch;
  }

  /** The record, null where there is none, undefined where it has not been loaded. */
  get(key: string): RecordFields | null | undefined {
    return this.find(key)?.record;
  }

  /** The record with the group that it waits for, or undefined where it has not been loaded. */
  find(key: string): Slot | undefined {
    const slot = this.slots.get(key);
    if (slot !== undefined) slot.isUsed = true;
    return slot;
  }

  /** Puts a loaded record in, unless the set has one already: that one is at least as new. What was not there may be born. */
  loaded(key: string, record: RecordFields | null): void {
    const slot = this.slots.get(key);
    if (slot === undefined) this.slots.set(key, { record, isUsed: false, pending: null, isGone: false });
    else slot.record ??= record;
  }

  /** Keeps the record in the set, also one that is yet to be loaded, until as many calls of `unpin`. */
  pin(key: string): void {
    this.pins ??= new Map();
    this.pins.set(key, (this.pins.get(key) ?? 0) + 1);
  }

  unpin(key: string): void {
    const left = (this.pins?.get(key) ?? 0) - 1;
    if (left > 0) this.pins?.set(key, left);
    else this.pins?.delete(key);
    if (this.pins?.size === 0) this.pins = null;
  }

  /** Applies an uncommitted change of the group; `committed` must follow. */
  changed(key: string, record: RecordFields, group: PendingGroup): void {
    const slot = this.slots.get(key);
    if (slot === undefined) this.slots.set(key, { record, isUsed: false, pending: group, isGone: false });
    else {
      slot.record = record;
      slot.pending = group;
    }
  }

  /** The group's change is durable. Groups of one actor commit in order, so none before it is pending. */
  committed(key: string, group: PendingGroup): void {
    const slot = this.slots.get(key);
    if (slot?.pending === group) slot.pending = null;
  }

  /** Brings the working set back to its bound. Recently used records get a second chance. */
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
