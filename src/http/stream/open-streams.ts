/**
 * Long-lived connections: streams, and requests that wait for a job. The composition root ends them all when the
 * service stops; revoking a token ends its own (AUTH-2).
 */
import { type Fault, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import type { Clock } from "../../../actors/runtime/ports.ts";
import type { LoopTime } from "../../../actors/runtime/fairness/loop-time.ts";
import { Audiences } from "./audience.ts";
import { BoundedMap } from "../../../actors/bounded-map.ts";
import { Heartbeats } from "./heartbeats.ts";

/** One organization's share of all open streams, so that it cannot exclude the others. */
const ORGANIZATION_SHARE = 0.5;
/** Slots become free as readers leave: not at once, but within minutes. */
const STREAMS_FULL: Fault = { kind: "overloaded", retryAfterMs: 10_000 };

/** Size of the cache of revocations, for streams that are just being opened. */
const REMEMBERED_REVOCATIONS = 1_000;

/** The token that opened a stream, and its organization. */
export interface Bearer {
  readonly organizationId: string;
  readonly tokenId: string;
}

export interface OpenStream {
  /** Null if no token opened it. */
  readonly bearer: Bearer | null;
  /** For how long its reader has accepted nothing although data is pending, in ms; 0 if it keeps up. */
  readonly stalledMs?: number;
  /** Ends it cleanly and soon. Must not throw. */
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
  /** Organizations suspended while this process runs: few, because people do it by hand. */
  private readonly suspended = new Set<string>();
  private isClosed = false;

  /** Without `most` there is no limit; writes to readers are charged to `time`. */
  constructor(clock: Clock, most = Number.POSITIVE_INFINITY, time: LoopTime | null = null) {
    this.clock = clock;
    this.time = time;
    this.most = most;
    this.heartbeats = new Heartbeats(clock);
    this.audiences = new Audiences(clock, this.heartbeats, (organizationId, write) =>
      this.timed(organizationId, write),
    );
  }

  /** Runs writes to the readers of an organization. */
  timed(organizationId: string | null, write: () => void): void {
    if (this.time === null || organizationId === null) write();
    else this.time.measure(organizationId, "streams", write);
  }

  get count(): number {
    return this.open.size;
  }

  /** How many streams this organization has open, and may have; null without a limit. */
  countOf(organizationId: string): { readonly open: number; readonly limit: number | null } {
    const limit = Number.isFinite(this.most) ? Math.ceil(this.most * ORGANIZATION_SHARE) : null;
    return { open: this.counts.get(organizationId) ?? 0, limit };
  }

  /**
   * How many readers lag, and how long the slowest has accepted nothing, in ms: of all organizations, or of one. It
   * inspects every stream.
   */
  lag(organizationId: string | null = null): { readonly behind: number; readonly longestMs: number } {
    let behind = 0;
    let longestMs = 0;
    for (const { bearer, stalledMs = 0 } of this.open) {
      if (organizationId !== null && bearer?.organizationId !== organizationId) continue;
      if (stalledMs > 0) behind++;
      longestMs = Math.max(longestMs, stalledMs);
    }
    return { behind, longestMs };
  }

  /** Whether this organization may open so many more: their number is bounded (SSE-14). */
  room(organizationId: string, more = 1): Outcome<null> {
    const own = (this.counts.get(organizationId) ?? 0) + more - 1;
    return this.open.size + more - 1 < this.most && own < this.most * ORGANIZATION_SHARE
      ? ok(null)
      : refuse(STREAMS_FULL);
  }

  /** Registers it until `remove`; after `closeAll`, or if its token was just revoked, it is ended at once. */
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

  /** The tokens of all open streams, each once. */
  bearers(): readonly Bearer[] {
    const bearers = new Map<string, Bearer>();
    for (const { bearer } of this.open) if (bearer !== null) bearers.set(bearer.tokenId, bearer);
    return [...bearers.values()];
  }

  /** The token was revoked: ends its streams, including those that are just being opened. */
  closeOf(tokenId: string): void {
    this.revoked.set(tokenId, true);
    this.endOf(tokenId, "revoked");
  }

  /**
   * The operator has suspended or resumed the organization: if suspended, ends the streams of its tokens, including
   * those that are just being opened.
   */
  suspend(organizationId: string, isSuspended: boolean): void {
    if (!isSuspended) return void this.suspended.delete(organizationId);
    this.suspended.add(organizationId);
    for (const stream of this.open) if (stream.bearer?.organizationId === organizationId) stream.end("revoked");
  }

  /** Ends the streams of this token. */
  endOf(tokenId: string, reason: "revoked" | "expired"): void {
    for (const stream of this.open) if (stream.bearer?.tokenId === tokenId) stream.end(reason);
  }

  /** The service shuts down: ends all streams, and any that come later. */
  closeAll(): void {
    this.isClosed = true;
    for (const stream of this.open) stream.end("shutdown");
  }
}
