/**
 * Bounds the commands that wait at one actor: those whose records are being loaded and those whose commit is in flight.
 * A full mailbox refuses with `overloaded`, so one hot or stuck actor cannot use up the process's memory, and others
 * are unaffected.
 */
import { assert } from "../../assert.ts";

/** Only a stuck actor has more waiting callers than this. */
export const MAILBOX_MESSAGES = 1_000;
/** Memory that the callers waiting at one actor may hold. */
export const MAILBOX_BYTES = 1024 * 1024;
/** Past this wait of the oldest command, new callers are refused and retry later. */
export const MAILBOX_OLDEST_MS = 5_000;

/** What may wait at one actor. */
export interface MailboxBounds {
  readonly messages: number;
  readonly bytes: number;
}
const DEFAULT_BOUNDS: MailboxBounds = { messages: MAILBOX_MESSAGES, bytes: MAILBOX_BYTES };
/**
 * Bounds of an actor that every request uses: a client may spend its budget of a minute in one burst, and requests that
 * arrive during a load wait. Most of the commands and loads are small. A hundred tasks with the longest text fit: a
 * refused client retries at once, and reading its body again costs more than letting it wait.
 */
export const BURST_BOUNDS: MailboxBounds = { messages: 10_000, bytes: 16 * 1024 * 1024 };

export interface Ticket {
  readonly at: number;
  readonly bytes: number;
  done: boolean;
}

export class Mailbox {
  private queue: Ticket[] = [];
  private start = 0;
  private waiting = 0;
  private bytes = 0;
  private readonly bounds: MailboxBounds;

  constructor(bounds = DEFAULT_BOUNDS) {
    this.bounds = bounds;
  }

  get isEmpty(): boolean {
    return this.waiting === 0;
  }

  /** Waiting commands. */
  get depth(): number {
    return this.waiting;
  }

  /** A slot in the mailbox, or null if it is full. `at` is monotonic ms. */
  enter(at: number, bytes: number): Ticket | null {
    if (!this.hasRoom(at, bytes)) return null;
    const ticket: Ticket = { at, bytes, done: false };
    this.queue.push(ticket);
    this.waiting++;
    this.bytes += bytes;
    return ticket;
  }

  /** Whether `enter` would give a slot. */
  hasRoom(at: number, bytes: number): boolean {
    if (this.waiting === 0) return true;
    this.skipDone();
    const oldest = this.queue[this.start];
    const { messages, bytes: most } = this.bounds;
    if (this.waiting >= messages || this.bytes + bytes > most) return false;
    return oldest === undefined || at - oldest.at <= MAILBOX_OLDEST_MS;
  }

  leave(ticket: Ticket): void {
    if (ticket.done) return;
    ticket.done = true;
    this.waiting--;
    this.bytes -= ticket.bytes;
    assert(this.waiting >= 0 && this.bytes >= 0, "a mailbox counts what waits in it");
    assert(this.waiting > 0 || this.bytes === 0, "an empty mailbox holds no bytes");
    this.skipDone();
  }

  private skipDone(): void {
    while (this.start < this.queue.length && this.queue[this.start]!.done) this.start++;
    if (this.start > 64 && this.start * 2 > this.queue.length) {
      this.queue = this.queue.slice(this.start);
      this.start = 0;
    }
    if (this.waiting === 0 && this.queue.length > 0) {
      this.queue = [];
      this.start = 0;
    }
  }
}
