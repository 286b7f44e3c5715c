/**
 * The events of a stream as its owners send them: whole, and from one owner after the other (REP-5). When an owner
 * stops, or its shard moves, the next owner is asked for what follows the last event received.
 *
 *   owner ──whole events──▶ reader
 *     └── moved, stopped, or cut off ──▶ the next owner, behind the last id
 */

export const EMPTY_PIECE: Buffer = Buffer.alloc(0);

const BLANK_LINE = Buffer.from("\n\n");
const ID_LINE = Buffer.from("\nid: ");
const CLOSING_EVENT = Buffer.from("event: stream.closing\n");
const CLOSING = /(?<=^|\n\n)event: stream\.closing\ndata: [^\n]*"reason":"(\w+)"/;
/** Reasons with which an owner ends a stream that continues at another replica. */
const PASSING_ENDS: ReadonlySet<string> = new Set(["deploy", "moved", "unavailable"]);

/** An owner's answer; `end` abandons it. */
export interface OwnerAnswer {
  readonly body: ReadableStream<Uint8Array>;
  readonly end: () => void;
}

/** Asks the present owner for what follows the cursor. A number is the status of its refusal; 0: no owner was found in time. */
export type Again = (cursor: string | null) => Promise<OwnerAnswer | number>;

/** The outcome of one read of a stream. */
export type Received =
  | { readonly kind: "events"; readonly bytes: Buffer }
  /** The stream has ended; `bytes` are its last events. */
  | { readonly kind: "over"; readonly bytes: Buffer }
  /** The owner ended it for this reader; `bytes` is the event that says why. */
  | { readonly kind: "closed"; readonly bytes: Buffer; readonly reason: string }
  /** The next owner refused with this status; 0 if no owner was found. */
  | { readonly kind: "refused"; readonly bytes: Buffer; readonly status: number };

const bodyReader = (body: ReadableStream<Uint8Array>) => body.getReader();
type BodyReader = ReturnType<typeof bodyReader>;

export class OwnerEvents {
  /** Id of the last received event. */
  cursor: string | null;
  private readonly again: Again;
  private answer: OwnerAnswer | null;
  private reader: BodyReader | null;
  private rest = EMPTY_PIECE;
  /** The last owner's closing event. */
  private parting = EMPTY_PIECE;
  private refusal: number | null = null;
  private isClosed = false;

  /** Without an answer, it asks the present owner for one. */
  constructor(answer: OwnerAnswer | null, again: Again, cursor: string | null) {
    this.answer = answer;
    this.reader = answer === null ? null : bodyReader(answer.body);
    this.again = again;
    this.cursor = cursor;
  }

  /** The next events. Any other outcome is the last one. */
  async next(): Promise<Received> {
    for (;;) {
      const events = this.reader === null ? null : await this.whole(this.reader);
      if (events === "ended" || this.isClosed) return { kind: "over", bytes: EMPTY_PIECE };
      const received = events === null ? null : this.received(events);
      if (received !== null) return received;
      if (!(await this.move())) return { kind: "over", bytes: EMPTY_PIECE };
      if (typeof this.refusal === "number") return { kind: "refused", bytes: this.parting, status: this.refusal };
    }
  }

  /** Abandons the stream; a waiting `next` ends. Idempotent. */
  close(): void {
    this.isClosed = true;
    this.leave();
  }

  /** What the reader gets from these events; null if nothing, and the next owner continues. */
  private received(events: Buffer): Received | null {
    const closing = events.includes(CLOSING_EVENT) ? CLOSING.exec(events.toString("latin1")) : null;
    const reason = closing?.[1] ?? "";
    if (closing !== null && !PASSING_ENDS.has(reason)) return { kind: "closed", bytes: events, reason };
    const bytes = closing === null ? events : events.subarray(0, closing.index);
    this.cursor = lastId(bytes) ?? this.cursor;
    if (closing !== null) {
      this.parting = events.subarray(closing.index);
      this.leave();
    }
    return bytes.length === 0 ? null : { kind: "events", bytes };
  }

  /** Moves to the next owner, or notes its refusal; false if the stream was closed meanwhile. */
  private async move(): Promise<boolean> {
    this.leave();
    const answer = await this.again(this.cursor);
    if (typeof answer === "number") {
      this.refusal = answer;
    } else if (this.isClosed) answer.end();
    else {
      this.answer = answer;
      this.reader = bodyReader(answer.body);
    }
    return !this.isClosed;
  }

  private leave(): void {
    this.rest = EMPTY_PIECE;
    this.reader?.cancel().catch(() => {});
    this.answer?.end();
    this.reader = null;
    this.answer = null;
  }

  /** Whole events; null if the connection to the owner broke. */
  private async whole(reader: BodyReader): Promise<Buffer | "ended" | null> {
    for (;;) {
      let read: Awaited<ReturnType<typeof reader.read>>;
      try {
        read = await reader.read();
      } catch {
        return null;
      }
      if (read.done) return "ended";
      const all: Buffer = this.rest.length === 0 ? Buffer.from(read.value) : Buffer.concat([this.rest, read.value]);
      const end = all.lastIndexOf(BLANK_LINE);
      this.rest = end === -1 ? all : all.subarray(end + BLANK_LINE.length);
      if (end !== -1) return all.subarray(0, end + BLANK_LINE.length);
    }
  }
}

/** The last id of whole events: the id is the last line of its event, and no data line looks like it. */
export function lastId(events: Buffer): string | null {
  const at = events.lastIndexOf(ID_LINE);
  return at === -1
    ? null
    : events.subarray(at + ID_LINE.length, events.indexOf("\n", at + ID_LINE.length)).toString("utf8");
}

/** The offset at which the event with this id ends; -1 if there is none. */
export function endOfId(events: Buffer, id: string): number {
  const line = Buffer.from(`\nid: ${id}\n\n`);
  const at = events.lastIndexOf(line);
  return at === -1 ? -1 : at + line.length;
}
