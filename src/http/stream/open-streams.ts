/**
 * What is open for long: streams, and requests that wait for a job. The composition root ends them
 * all when the service stops; a token that is revoked takes its own with it (AUTH-2).
 */
import { type Fault, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import type { Clock } from "../../../actors/runtime/clock.ts";
import type { LoopTime } from "../../../actors/runtime/loop-time.ts";
import { Audiences } from "./audience.ts";
import { BoundedMap } from "../../../actors/bounded-map.ts";
import { Heartbeats } from "./heartbeats.ts";

/** Of all that may be open, what one organization may have: none shuts out the others. */
const SHARE = 0.5;
/** Seats come free as readers leave: not at once, and not in minutes. */
const FULL: Fault = { kind: "overloaded", retryAfterMs: 10_000 };

/** Revocations that are remembered for streams that are just being opened. */
const REMEMBERED_REVOCATIONS = 1_000;

/** The token that has opened something, and where it lives. */
export interface Bearer {
  readonly organizationId: string;
  readonly tokenId: string;
}

export interface OpenStream {
  /** Whose it is; null where no token opened it. */
  readonly bearer: Bearer | null;
  /** For how long its reader has taken nothing although there is something, in ms; 0 where it takes what there is. */
  readonly stalledMs?: number;
  /** Ends it in good order, soon. Must not throw. */
  end(reason: "shutdown" | "revoked" | "expired"): void;
}

export class OpenStreams {
  readonly clock: Clock;
  readonly heartbeats: Heartbeats;
  readonly audiences: Audiences;
  private readonly time: LoopTime | null;
  private readonly most: number;
  private readonly open = new Set<OpenStream>();
  private readonly counts = new Map<string, number>();
  private readonly revoked = new BoundedMap<true>(REMEMBERED_REVOCATIONS);
  /** Organizations that were suspended while this process runs: few, and by hand. */
  private readonly suspended = new Set<string>();
  private isClosed = false;

  /** Without `most` there is no bound; what is written to readers is charged to `time`. */
  constructor(clock: Clock, most = Number.POSITIVE_INFINITY, time: LoopTime | null = null) {
    this.clock = clock;
    this.time = time;
    this.most = most;
    this.heartbeats = new Heartbeats(clock);
    this.audiences = new Audiences(clock, this.heartbeats, (organizationId, write) =>
      this.timed(organizationId, write),
    );
  }

  /** Writes to the readers of an organization. */
  timed(organizationId: string | null, write: () => void): void {
    if (this.time === null || organizationId === null) write();
    else this.time.measure(organizationId, "streams", write);
  }

  get count(): number {
    return this.open.size;
  }

  /** Streams whose readers are behind, and how long the slowest has taken nothing, in ms. It looks at each. */
  lag(): { readonly behind: number; readonly longestMs: number } {
    let behind = 0;
    let longestMs = 0;
    for (const { stalledMs = 0 } of this.open) {
      if (stalledMs > 0) behind++;
      longestMs = Math.max(longestMs, stalledMs);
    }
    return { behind, longestMs };
  }

  /** Whether another one may be opened for this organization: a bounded number is open at once (SSE-14). */
  room(organizationId: string): Outcome<null> {
    const own = this.counts.get(organizationId) ?? 0;
    return this.open.size < this.most && own < this.most * SHARE ? ok(null) : refuse(FULL);
  }

  /** Keeps it until `remove`; after `closeAll`, or when its token has just been revoked, it is ended at once. */
  add(stream: OpenStream): void {
    this.open.add(stream);
    this.tally(stream, 1);
    if (this.isClosed) stream.end("shutdown");
    else if (stream.bearer !== null && this.isRevoked(stream.bearer)) stream.end("revoked");
  }

  private isRevoked({ tokenId, organizationId }: Bearer): boolean {
    return this.revoked.get(tokenId) === true || this.suspended.has(organizationId);
  }

  remove(stream: OpenStream): void {
    if (this.open.delete(stream)) this.tally(stream, -1);
  }

  private tally({ bearer }: OpenStream, change: number): void {
    if (bearer === null) return;
    const count = (this.counts.get(bearer.organizationId) ?? 0) + change;
    if (count === 0) this.counts.delete(bearer.organizationId);
    else this.counts.set(bearer.organizationId, count);
  }

  /** Whose all of it is, each token once. */
  bearers(): readonly Bearer[] {
    const bearers = new Map<string, Bearer>();
    for (const { bearer } of this.open) if (bearer !== null) bearers.set(bearer.tokenId, bearer);
    return [...bearers.values()];
  }

  /** The token is revoked: ends what it has opened, and what it is just opening. */
  closeOf(tokenId: string): void {
    this.revoked.set(tokenId, true);
    this.endOf(tokenId, "revoked");
  }

  /** The operator has suspended the organization, or resumed it: ends what its tokens have opened and are just opening. */
  suspend(organizationId: string, isSuspended: boolean): void {
    if (!isSuspended) return void this.suspended.delete(organizationId);
    this.suspended.add(organizationId);
    for (const stream of this.open) if (stream.bearer?.organizationId === organizationId) stream.end("revoked");
  }

  /** Ends what this token has opened. */
  endOf(tokenId: string, reason: "revoked" | "expired"): void {
    for (const stream of this.open) if (stream.bearer?.tokenId === tokenId) stream.end(reason);
  }

  /** Ends what is open and whatever comes later: the service shuts down. */
  closeAll(): void {
    this.isClosed = true;
    for (const stream of this.open) stream.end("shutdown");
  }
}
