/**
 * An event stream of another replica, for a client of this one (REP-5, REP-11): the client's own stream, as if the
 * record were here, over what the owner sends.
 *
 *   alone ──its place is in the shared ring──▶ shared
 *     ▲                                          │
 *     └──────────fallen out of the ring──────────┘
 */
import { type Outcome, ok } from "../../actors/fault.ts";
import {
  CLOSING_REASON_OF,
  type Interruption,
  type StreamPiece,
  type QUIET,
  type SharedSource,
} from "../http/stream/event-source.ts";
import { eventStream } from "../http/stream/event-stream.ts";
import type { Bearer, OpenStream, OpenStreams } from "../http/stream/open-streams.ts";
import { sseEvent, sseJson } from "../http/stream/sse.ts";
import type { Again, OwnerAnswer, Received } from "./owner-events.ts";
import {
  type ReaderDoor,
  type DoorEvents,
  type ReaderPlace,
  type SharedStream,
  SharedStreams,
} from "./shared-stream.ts";
import type { PeersLog } from "../log/port.ts";

/** A client that reads a stream. */
export interface RelayedReading {
  /** Name of the stream; null if it must not be shared. */
  readonly name: string | null;
  readonly bearer: Bearer | null;
  /** The cursor that the client sent. */
  readonly cursor: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly again: Again;
  keepOpen(seconds: number): void;
}

export class RelayedStreams {
  private readonly log: PeersLog;
  private readonly shared: SharedStreams;
  private streams: OpenStreams | null = null;

  constructor(log: PeersLog) {
    this.log = log;
    this.shared = new SharedStreams((tokenId, reason) => this.streams?.endOf(tokenId, reason));
  }

  /** Connections to owners that readers share or could share. */
  get count(): number {
    return this.shared.count;
  }

  /** Sets the registry of open streams of this process. */
  serve(streams: OpenStreams): void {
    this.streams = streams;
  }

  /** The client's stream over the owner's answer; refuses if too many streams are open (SSE-14). */
  open(answer: OwnerAnswer, { name, bearer, cursor, headers, again, keepOpen }: RelayedReading): Outcome<Response> {
    const { streams, log } = this;
    if (streams === null) throw new Error("requests are handed on after the app is made");
    const room = bearer === null ? ok(null) : streams.room(bearer.organizationId);
    if (!room.ok) {
      answer.end();
      return room;
    }
    const stream = this.shared.named(bearer === null ? null : name);
    let opened: OpenStream | null = null;
    const tokenId = name === null ? null : (bearer?.tokenId ?? null);
    const door: ReaderDoor = { tokenId, again, end: () => opened?.end("revoked") };
    stream.enter(door);
    const place = stream.begin(door, answer, cursor);
    const own = place === null ? stream.apart(cursor, door, answer) : null;
    const source = new RelayedSource(stream, own, place, cursor);
    const parts = {
      connection: { keepOpen },
      streams,
      bearer,
      headers,
      onFailure: (err: unknown) => log.warn({ err }, "a stream of another replica was interrupted"),
      onOpen: (reader: OpenStream) => void (opened = reader),
      onEnd: () => stream.leave(door),
    };
    return ok(eventStream(source, "", parts));
  }
}

class RelayedSource implements SharedSource {
  private readonly group: SharedStream;
  private own: DoorEvents | null;
  private place: ReaderPlace | null;
  private cursor: string | null;
  /** The pending read of its own connection. */
  private asked: AskedRead | null = null;
  /** The first bytes of a separate connection are only for its client. */
  private hasOpened: boolean;
  private isOver = false;

  constructor(stream: SharedStream, own: DoorEvents | null, place: ReaderPlace | null, cursor: string | null) {
    this.group = stream;
    this.own = own;
    this.place = place;
    this.cursor = cursor;
    this.hasOpened = place !== null;
  }

  next(): StreamPiece | typeof QUIET | null | Promise<StreamPiece | null> {
    if (this.isOver) return null;
    const { place } = this;
    if (place === null) return this.readOwn();
    const taken = this.group.take(place);
    if (taken !== "behind") return taken;
    this.cursor = place.cursor;
    this.group.giveUp(place);
    this.place = null;
    this.own = this.group.apart(this.cursor);
    return this.readOwn();
  }

  onChange(run: () => void): void {
    this.group.onChange(run);
  }

  get stream(): object {
    return this.group;
  }

  shared(): SharedSource | null {
    return this.place === null || this.isOver ? null : this;
  }

  isWith(other: RelayedSource): boolean {
    return this.place !== null && other.place !== null && this.place.at === other.place.at;
  }

  fork(): SharedSource {
    const place = this.place === null ? null : this.group.fork(this.place);
    return new RelayedSource(this.group, null, place, this.cursor);
  }

  close(): void {
    this.isOver = true;
    this.own?.close();
    if (this.place !== null) this.group.giveUp(this.place);
  }

  lastWords(reason: Interruption): string {
    const data = {
      reason: CLOSING_REASON_OF[reason],
      resume_after: this.place === null ? this.cursor : this.place.cursor,
    };
    return sseEvent({ event: "stream.closing", data: sseJson(data) });
  }

  /** The next piece from its own connection, until it reaches the shared ring. */
  private async readOwn(): Promise<StreamPiece | null> {
    const { own } = this;
    if (own === null) return null;
    const received = await this.received(own);
    if (this.isOver) return null;
    if (this.hasOpened && this.join(own)) return "";
    if (received === null) return "";
    this.asked = null;
    this.hasOpened = true;
    this.cursor = own.cursor;
    this.isOver = received.kind !== "events";
    return received.bytes.length > 0 ? received.bytes : null;
  }

  /** What its own connection received; null if the shared ring, which it may join, changed first. */
  private received(own: DoorEvents): Promise<Received | null> | Received {
    const asked = (this.asked ??= new AskedRead(own.next()));
    if (asked.received !== null) return asked.received;
    return new Promise((resolve) => {
      const forget = this.hasOpened ? this.group.watch(() => resolve(null)) : () => {};
      asked.onEnd = () => {
        forget();
        resolve(asked.received);
      };
    });
  }

  /** Joins the shared stream, if its place is still in the ring. */
  private join(own: DoorEvents): boolean {
    const place = this.group.placeBehind(this.cursor);
    if (place === null) return false;
    own.close();
    this.own = null;
    this.asked = null;
    this.place = place;
    return true;
  }
}

/** A read of a connection. It may be awaited repeatedly; only the last callback runs at its end. */
class AskedRead {
  received: Received | null = null;
  onEnd: () => void = () => {};

  constructor(next: Promise<Received>) {
    const end = (received: Received): void => {
      this.received = received;
      this.onEnd();
    };
    next.then(end, () => end({ kind: "refused", bytes: Buffer.alloc(0), status: 0 }));
  }
}
