/**
 * A turn group's reservation at its actors until it is answered: a slot in each mailbox, and pins on the records that
 * it loaded, so that a small working set does not evict them before the turn.
 */
import { assert } from "../../assert.ts";
import type { RecordKey } from "../actor.ts";
import type { LiveActor } from "./live-actor.ts";
import { recordKey } from "./draft.ts";
import type { Ticket } from "./mailbox.ts";
import { valueSize } from "../sizes.ts";

/** One actor of a group, and the group's slot in its mailbox once the group waits. */
interface ReservationEntry {
  readonly actor: LiveActor;
  readonly command: { readonly kind: string };
  readonly at: number;
  ticket: Ticket | null;
}

interface Pin {
  readonly actor: LiveActor;
  readonly key: string;
}

export class Reservation {
  private readonly entries: ReservationEntry[] = [];
  private pins: Pin[] | null = null;
  private isOver = false;

  /** The actors of the reservation so far. */
  *actors(): Iterable<LiveActor> {
    for (const { actor } of this.entries) yield actor;
  }

  /** The bytes of the commands that have a slot. */
  get bytes(): number {
    let bytes = 0;
    for (const { ticket } of this.entries) bytes += ticket?.bytes ?? 0;
    return bytes;
  }

  /**
   * Reserves a slot in the actor's mailbox; false when it is full. An empty mailbox has room for every
   * command, and a group that is answered at once never waits in it, so only `wait` takes that slot.
   */
  enter(actor: LiveActor, command: ReservationEntry["command"], at: number): boolean {
    for (const entry of this.entries) if (entry.actor === actor) return true;
    const entry: ReservationEntry = { actor, command, at, ticket: null };
    if (!actor.mailbox.isEmpty && !takeSlot(entry)) return false;
    this.entries.push(entry);
    return true;
  }

  /** Takes a slot in every mailbox: the group cannot be answered in this tick. */
  wait(): void {
    for (const entry of this.entries) if (entry.ticket === null) assert(takeSlot(entry), "an empty mailbox has room");
  }

  /** Pins the records in the working set, even those that are not loaded yet. */
  pin(actor: LiveActor, keys: readonly RecordKey[]): void {
    this.pins ??= [];
    for (const { table, id } of keys) {
      const key = recordKey(table, id);
      actor.pin(key);
      this.pins.push({ actor, key });
    }
  }

  /** The group is answered. */
  end(): void {
    assert(!this.isOver, "a reservation ends once (GR-3)");
    this.isOver = true;
    if (this.pins !== null) for (const { actor, key } of this.pins) actor.unpin(key);
    this.pins = null;
    for (const { actor, ticket } of this.entries) {
      if (ticket !== null) actor.mailbox.leave(ticket);
      actor.trim();
    }
  }
}

function takeSlot(entry: ReservationEntry): boolean {
  entry.ticket = entry.actor.mailbox.enter(entry.at, 64 + valueSize(entry.command));
  return entry.ticket !== null;
}
