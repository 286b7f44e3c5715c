/**
 * What is open for long: streams, and requests that wait for a job. The composition root ends them
 * all when the service stops; a token that is revoked takes its own with it (AUTH-2).
 */
import type { Clock } from "../../actors/runtime/clock.ts";
import { BoundedMap } from "./bounded-map.ts";
import { Heartbeats } from "./heartbeats.ts";

/** Revocations that are remembered for streams that are just being opened. */
const REMEMBERED_REVOCATIONS = 1_000;

export interface OpenStream {
  /** Whose it is; null where no token opened it. */
  readonly tokenId: string | null;
  /** Ends it in good order, soon. Must not throw. */
  end(reason: "shutdown" | "revoked"): void;
}

export class OpenStreams {
  readonly clock: Clock;
  readonly heartbeats: Heartbeats;
  private readonly open = new Set<OpenStream>();
  private readonly revoked = new BoundedMap<true>(REMEMBERED_REVOCATIONS);
  private isClosed = false;

  constructor(clock: Clock) {
    this.clock = clock;
    this.heartbeats = new Heartbeats(clock);
  }

  get count(): number {
    return this.open.size;
  }

  /** Keeps it until `remove`; after `closeAll`, or when its token has just been revoked, it is ended at once. */
  add(stream: OpenStream): void {
    this.open.add(stream);
    if (this.isClosed) stream.end("shutdown");
    else if (stream.tokenId !== null && this.revoked.get(stream.tokenId) === true) stream.end("revoked");
  }

  remove(stream: OpenStream): void {
    this.open.delete(stream);
  }

  /** Ends what this token has opened, and what it is just opening. */
  closeOf(tokenId: string): void {
    this.revoked.set(tokenId, true);
    for (const stream of this.open) if (stream.tokenId === tokenId) stream.end("revoked");
  }

  /** Ends what is open and whatever comes later: the service shuts down. */
  closeAll(): void {
    this.isClosed = true;
    for (const stream of this.open) stream.end("shutdown");
  }
}
