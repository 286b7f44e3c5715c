/**
 * What a turn group has of its actors until it is answered: a place in each one's mailbox, and the records
 * that it has had loaded. In a small working set that others use too, those would be gone before its turn.
 */
import { assert } from "../assert.ts";
import type { RecordKey } from "./actor.ts";
import type { Cell } from "./cell.ts";
import { recordKey } from "./draft.ts";
import type { Ticket } from "./mailbox.ts";
import { sizeOf } from "./replay.ts";

/** One actor of a group, and its place in the actor's mailbox once the group waits. */
interface Entry {
  readonly cell: Cell;
  readonly command: { readonly kind: string };
  readonly at: number;
  ticket: Ticket | null;
}

interface Held {
  readonly cell: Cell;
  readonly key: string;
}

export class Stay {
  private readonly entries: Entry[] = [];
  private held: Held[] | null = null;

  /** The bytes of the commands that have a place. */
  get bytes(): number {
    let bytes = 0;
    for (const { ticket } of this.entries) bytes += ticket?.bytes ?? 0;
    return bytes;
  }

  /**
   * Takes a place in the actor's mailbox; false when it is full. An empty one has room for every command,
   * and whoever is answered at once never waits in it: only `wait` takes that place.
   */
  enter(cell: Cell, command: Entry["command"], at: number): boolean {
    for (const entry of this.entries) if (entry.cell === cell) return true;
    const entry: Entry = { cell, command, at, ticket: null };
    if (!cell.mailbox.isEmpty && !takePlace(entry)) return false;
    this.entries.push(entry);
    return true;
  }

  /** The group cannot be answered in this tick. */
  wait(): void {
    for (const entry of this.entries) if (entry.ticket === null) assert(takePlace(entry), "an empty mailbox has room");
  }

  /** Keeps the records in the cell, also those that are yet to be loaded. */
  hold(cell: Cell, keys: readonly RecordKey[]): void {
    this.held ??= [];
    for (const { table, id } of keys) {
      const key = recordKey(table, id);
      cell.hold(key);
      this.held.push({ cell, key });
    }
  }

  /** The group is answered. */
  end(): void {
    if (this.held !== null) for (const { cell, key } of this.held) cell.letGo(key);
    this.held = null;
    for (const { cell, ticket } of this.entries) {
      if (ticket !== null) cell.mailbox.leave(ticket);
      cell.trim();
    }
  }
}

function takePlace(entry: Entry): boolean {
  entry.ticket = entry.cell.mailbox.enter(entry.at, 64 + sizeOf(entry.command));
  return entry.ticket !== null;
}
