/**
 * One live actor in memory: its working set of records, and the turn group that it waits for. A
 * cell is only a cache with a queue: it can be dropped at any time when nothing of it is pending,
 * and is dropped at once when a commit of its shard failed, because its records then run ahead of
 * what is stored.
 */
import type { ActorRef, AnyDefinition, RecordFields } from "./actor.ts";
import type { TurnGroup } from "./group.ts";
import { Mailbox } from "./mailbox.ts";
import { Mind } from "./mind.ts";
import type { Replay } from "./replay.ts";
import type { TextMark } from "./store.ts";

/** Records kept for an actor that owns many, where its kind says nothing else; clean ones that are not used any more go first. */
export const WORKING_SET_RECORDS = 1_000;

interface Slot {
  record: RecordFields | null;
  /** Whether it has been asked for since the set last looked for one to let go. */
  isUsed: boolean;
  /** The last turn group that changed it and is not committed; a dirty record never leaves the set. */
  pending: TurnGroup | null;
}

export class Cell {
  readonly ref: ActorRef;
  readonly shard: number;
  readonly epoch: number;
  readonly definition: AnyDefinition;
  readonly mailbox: Mailbox;
  readonly mind = new Mind();
  /** The last group that wrote through this cell and is not committed: what is said to its readers waits for it. */
  lastPending: TurnGroup | null = null;
  /** Broken or dropped: whoever holds it looks its actor up again. */
  dead = false;
  usedAt = 0;
  /** The live text of its stream as the last turn has left it, which its readers may not have yet. */
  live: TextMark | null = null;
  /** Its stream as it was last found (`Cells.streamOf`). */
  replay: Replay | null = null;
  private readonly slots = new Map<string, Slot>();
  /** Records that groups wait for, and how many groups: they stay until those have had their turns. */
  private holds: Map<string, number> | null = null;

  constructor(ref: ActorRef, definition: AnyDefinition, place: { shard: number; epoch: number }) {
    this.ref = ref;
    this.definition = definition;
    this.mailbox = new Mailbox(definition.mailbox);
    this.shard = place.shard;
    this.epoch = place.epoch;
  }

  /** The record, null where there is none, undefined where it has not been loaded. */
  get(key: string): RecordFields | null | undefined {
    return this.find(key)?.record;
  }

  /** The record with the group that it waits for, or undefined where it has not been loaded. */
  find(key: string): Readonly<Slot> | undefined {
    const slot = this.slots.get(key);
    if (slot !== undefined) slot.isUsed = true;
    return slot;
  }

  /** Puts a loaded record in, unless the set has one already: that one is at least as new. What was not there may be born. */
  loaded(key: string, record: RecordFields | null): void {
    const slot = this.slots.get(key);
    if (slot === undefined) this.slots.set(key, { record, isUsed: false, pending: null });
    else slot.record ??= record;
  }

  /** Keeps the record in the set, also one that is yet to be loaded, until `letGo` as often. */
  hold(key: string): void {
    this.holds ??= new Map();
    this.holds.set(key, (this.holds.get(key) ?? 0) + 1);
  }

  letGo(key: string): void {
    const left = (this.holds?.get(key) ?? 0) - 1;
    if (left > 0) this.holds?.set(key, left);
    else this.holds?.delete(key);
    if (this.holds?.size === 0) this.holds = null;
  }

  /** Applies an uncommitted change of the group; `committed` must follow. */
  changed(key: string, record: RecordFields, group: TurnGroup): void {
    const slot = this.slots.get(key);
    if (slot === undefined) this.slots.set(key, { record, isUsed: false, pending: group });
    else {
      slot.record = record;
      slot.pending = group;
    }
  }

  /** The group's change is durable. Groups of one cell commit in order, so none before it is pending. */
  committed(key: string, group: TurnGroup): void {
    const slot = this.slots.get(key);
    if (slot?.pending === group) slot.pending = null;
  }

  /** Brings the working set back to its bound. What was used since the last time goes to the end, and gets round once more. */
  trim(): void {
    const bound = this.definition.workingSet ?? WORKING_SET_RECORDS;
    if (this.slots.size <= bound) return;
    for (const [key, slot] of this.slots) {
      if (this.slots.size <= bound) return;
      if (slot.pending !== null || this.holds?.has(key) === true) continue;
      this.slots.delete(key);
      if (!slot.isUsed) continue;
      slot.isUsed = false;
      this.slots.set(key, slot);
    }
  }

  get isQuiet(): boolean {
    return this.lastPending === null && this.mailbox.isEmpty;
  }
}
