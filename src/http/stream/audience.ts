/**
 * Readers of one stream at the same position, who get the same events from there on. They share the position: new
 * events are read once, encoded once, and written to each, with no other work or state per reader. A reader whose
 * socket is full leaves with a position of its own, and returns once it has caught up.
 *
 * Readers who joined at different times may have caught up and still get different cursors: they form several
 * audiences, which merge when their positions meet.
 */
import type { Clock } from "../../../actors/runtime/ports.ts";
import type { StreamPiece, SharedSource } from "./event-source.ts";
import { type Beating, HEARTBEAT_MS, type Heartbeats } from "./heartbeats.ts";
import { type PieceReader, StreamReading } from "./reading.ts";

/**
 * Positions of one stream at which readers share a read; a reader at another position reads alone until all move on.
 */
const MOST_PLACES = 16;

/** One reader of an audience. */
export interface Listener {
  /** The organization of its token; null if no token opened it. */
  readonly organizationId: string | null;
  /** Receives what the whole audience gets. Must not throw. */
  hear(piece: StreamPiece, audience: Audience): void;
  /** It belongs to this audience now. */
  seated(audience: Audience): void;
  over(): void;
  failed(cause: unknown): void;
}

export class Audience implements PieceReader, Beating {
  readonly hasRoom = true;
  private readonly reading: StreamReading<SharedSource>;
  private readonly audiences: Audiences;
  private readonly listeners = new Set<Listener>();
  private writtenAt: number;
  /** The organization of its readers, who all read one stream. */
  private organizationId: string | null = null;

  /** The audience owns `source`, and closes it when nobody is left. */
  constructor(source: SharedSource, audiences: Audiences) {
    this.reading = new StreamReading(source, this);
    this.audiences = audiences;
    this.writtenAt = audiences.clock.monotonic();
    audiences.heartbeats.add(this);
  }

  get source(): SharedSource {
    return this.reading.source;
  }
  get size(): number {
    return this.listeners.size;
  }

  /** `writtenAt`: the last write to the listener, which bounds its silence (SSE-1). */
  join(listener: Listener, writtenAt: number): void {
    this.listeners.add(listener);
    this.organizationId ??= listener.organizationId;
    listener.seated(this);
    if (writtenAt >= this.writtenAt) return;
    this.writtenAt = writtenAt;
    const { clock, heartbeats } = this.audiences;
    heartbeats.remove(this);
    heartbeats.add(this, writtenAt + HEARTBEAT_MS - clock.monotonic());
  }

  leave(listener: Listener): void {
    if (this.listeners.delete(listener) && this.size === 0) this.close();
  }

  /** Takes over all listeners of another audience. */
  merge(other: Audience): void {
    for (const listener of other.listeners) this.join(listener, other.writtenAt);
    other.listeners.clear();
    other.close();
  }

  wait(): void {
    this.reading.wait();
  }

  take(piece: StreamPiece): void {
    this.writtenAt = this.audiences.clock.monotonic();
    this.audiences.timed(this.organizationId, () => {
      for (const listener of this.listeners) listener.hear(piece, this);
    });
  }

  caughtUp(): void {
    this.audiences.settle(this);
  }

  over(): void {
    for (const listener of this.listeners) listener.over();
  }

  failed(cause: unknown): void {
    for (const listener of this.listeners) listener.failed(cause);
  }

  beat(nowMs: number): number {
    const silentMs = nowMs - this.writtenAt;
    if (silentMs < HEARTBEAT_MS) return HEARTBEAT_MS - silentMs;
    this.take(this.audiences.heartbeats.comment());
    return HEARTBEAT_MS;
  }

  private close(): void {
    this.reading.close();
    this.audiences.heartbeats.remove(this);
    this.audiences.remove(this);
  }
}

export class Audiences {
  readonly clock: Clock;
  readonly heartbeats: Heartbeats;
  /** Runs writes to an organization's readers, and charges them to it. */
  readonly timed: (organizationId: string | null, write: () => void) => void;
  private readonly byStream = new Map<object, Audience[]>();

  constructor(clock: Clock, heartbeats: Heartbeats, timed: Audiences["timed"] = (_, write) => write()) {
    this.clock = clock;
    this.heartbeats = heartbeats;
    this.timed = timed;
  }

  /** Adds a listener that has caught up with `source` to the audience at that position. */
  seat(listener: Listener, source: SharedSource, writtenAt: number): void {
    const known = this.at(source, null);
    if (known !== undefined) return known.join(listener, writtenAt);
    const audience = new Audience(source.fork(), this);
    audience.join(listener, writtenAt);
    this.settle(audience);
  }

  /** An audience that has caught up waits for more, merged with others at its position. */
  settle(audience: Audience): void {
    const met = this.at(audience.source, audience);
    const isLarger = met !== undefined && met.size > audience.size;
    const [stays, goes] = isLarger ? [met, audience] : [audience, met];
    if (goes !== undefined) stays.merge(goes);
    this.list(stays);
    stays.wait();
  }

  remove(audience: Audience): void {
    const { stream } = audience.source;
    const others = this.byStream.get(stream) ?? [];
    const left = others.filter((other) => other !== audience);
    if (left.length === 0) this.byStream.delete(stream);
    else if (left.length < others.length) this.byStream.set(stream, left);
  }

  private list(audience: Audience): void {
    const { stream } = audience.source;
    const others = this.byStream.get(stream);
    if (others === undefined) this.byStream.set(stream, [audience]);
    else if (others.length < MOST_PLACES && !others.includes(audience)) others.push(audience);
  }

  private at(source: SharedSource, except: Audience | null): Audience | undefined {
    return this.byStream.get(source.stream)?.find((other) => other !== except && other.source.isWith(source));
  }
}
