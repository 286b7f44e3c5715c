/**
 * Bodies in flight: bounds their memory and their time (FAIR-5).
 *
 * A body that is read completely counts with its announced length, from before its first byte until its last. It
 * counts for its token, for its organization and for the total. Without an announced length it counts as the longest
 * body that its operation accepts. A body beyond a bound is refused unread.
 *
 * A request that must wait before it is read (for the lookup of its token, or its organization's turn) counts from
 * then on: Bun takes the first megabyte of a body from its socket even if nobody reads it, and leaves only the rest
 * to the sender. A body that is refused before any wait costs nothing.
 *
 * Streamed bodies have bounds of their own. While one waits for its turn (`body-pace.ts`), Bun holds as much
 * of it as of an unread body, and its next piece is partly filled.
 *
 * A slow body ends with `request_timeout`: after a grace period it needs a minimum rate (as in Apache's
 * `mod_reqtimeout`).
 */
import { type Fault, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import type { Clock } from "../../../actors/runtime/ports.ts";
import type { BodyPace, PacedBody } from "./body-pace.ts";

/** Bytes of all bodies that are read at once; each byte takes some 1.3 bytes of memory. */
export const DEFAULT_BODY_BYTES = 256 * 1024 * 1024;
/** The divisors for one organization's and one token's part of that: no real client has so many in flight. */
export const ORGANIZATION_PART = 4;
export const TOKEN_PART = 8;
/**
 * The same for bodies that wait to be read. They wait for milliseconds, and a client that uploads many files begins
 * them all at once, so their parts are larger, and separate from those of bodies that are being read.
 */
export const UNREAD_ORGANIZATION_PART = 2;
export const UNREAD_TOKEN_PART = 4;
/** Bytes that Bun takes of an unread body: 1.25 MiB measured (1.4.5). */
export const UNREAD_BODY_BYTES = 1.25 * 1024 * 1024;
/**
 * Memory of a streamed body: what Bun takes of it, and a partly filled piece of `UPLOAD_PIECE_BYTES`
 * (`src/files/pieces.ts`).
 */
export const STREAM_BODY_BYTES = 1.75 * 1024 * 1024;
/**
 * Streamed bodies have a limit of the same size for themselves; the divisor for one organization's part, which
 * allows 73 uploads, by any of its tokens.
 */
export const STREAM_ORGANIZATION_PART = 2;
/** Minimum size that a body counts with, for its connection and request: a token's part allows 4,096 bodies. */
export const LEAST_BODY_BYTES = 8 * 1024;
/** The grace period of every body. */
export const BODY_GRACE_MS = 20_000;
/** One more second for each of these bytes: a body that is read completely occupies its memory meanwhile. */
export const BODY_BYTES_PER_SECOND = 8 * 1024;
/** A streamed body occupies only a connection, so it may be as slow as the slowest lines. */
export const STREAM_BYTES_PER_SECOND = 1024;
/** Interval of the check for late bodies. */
const LATE_BODY_LOOK_MS = 1_000;
const FULL_BODIES_RETRY_MS = 1_000;

const BODIES_FULL: Outcome<never> = refuse({ kind: "overloaded", retryAfterMs: FULL_BODIES_RETRY_MS });
/** The refusal of a late body. */
export const TOO_SLOW: Fault = { kind: "request_timeout" };

/** The owner of a body; null if unauthenticated. */
export interface BodyOwner {
  readonly organizationId: string | null;
  readonly tokenId: string | null;
}

/** Whether the body is read completely, waits to be read, or is streamed. */
type BodyKind = "whole" | "unread" | "stream";

/** One body that is being read. */
export class BodyHold {
  readonly owner: BodyOwner;
  /** The bytes that it counts with. */
  readonly bytes: number;
  readonly kind: BodyKind;
  private readonly bodies: Bodies;
  private readonly paced: PacedBody | null;
  private endsAt: number;
  private onLate: (() => void) | null = null;

  constructor(bodies: Bodies, owner: BodyOwner, { bytes, endsAt, kind, paced }: HoldParts) {
    this.bodies = bodies;
    this.owner = owner;
    this.bytes = bytes;
    this.endsAt = endsAt;
    this.kind = kind;
    this.paced = paced;
  }

  /** Calls `run` when its time is over, after releasing it. */
  whenLate(run: () => void): void {
    this.onLate = run;
  }

  /** Extends the time of a stream by the bytes that have arrived. */
  progress(bytes: number): void {
    this.endsAt += (bytes / STREAM_BYTES_PER_SECOND) * 1_000;
    this.paced?.arrived(bytes);
  }

  /**
   * Resolves when more of a stream may be read; null: now. Waiting makes no body late: the bytes before its first
   * wait have earned it minutes.
   */
  turn(): Promise<void> | null {
    return this.paced?.turn() ?? null;
  }

  /** The body is completely read. */
  end(): void {
    this.release();
    this.paced?.ended();
  }

  /** Idempotent. */
  release(): void {
    this.bodies.release(this);
  }

  look(now: number): void {
    if (now < this.endsAt) return;
    this.release();
    this.onLate?.();
  }
}

interface HoldParts {
  readonly bytes: number;
  readonly endsAt: number;
  readonly kind: BodyKind;
  /** Its turns, if it is paced. */
  readonly paced: PacedBody | null;
}

export class Bodies {
  private readonly clock: Pick<Clock, "monotonic" | "after">;
  private readonly limit: number;
  private readonly pace: BodyPace | null;
  private readonly open = new Set<BodyHold>();
  /** Counted bytes by bound (`boundsOf`); absent: none. */
  private readonly held = new Map<string, number>();
  private all = 0;
  private isLooking = false;

  /** `pace`: how streams yield to other work; null: they do not. */
  constructor(clock: Pick<Clock, "monotonic" | "after">, limit = DEFAULT_BODY_BYTES, pace: BodyPace | null = null) {
    this.clock = clock;
    this.limit = limit;
    this.pace = pace;
  }

  /** The bodies in flight, and their counted bytes. */
  get usage(): { readonly count: number; readonly bytes: number } {
    return { count: this.open.size, bytes: this.all };
  }

  /** Bodies in flight that wait to be read. */
  get unreadCount(): number {
    let count = 0;
    for (const { kind } of this.open) if (kind === "unread") count++;
    return count;
  }

  /** Begins a body that is read completely, of at most `bytes`; refuses it if there is no room. */
  begin(owner: BodyOwner, announced: number): Outcome<BodyHold> {
    const patienceMs = (announced / BODY_BYTES_PER_SECOND) * 1_000;
    return this.within({ owner, kind: "whole" }, announced, patienceMs);
  }

  /** Begins the part of a body that arrives before it is read. */
  beginUnread(owner: BodyOwner, announced: number): Outcome<BodyHold> {
    const most = Math.min(announced, UNREAD_BODY_BYTES);
    return this.within({ owner, kind: "unread" }, most, (most / BODY_BYTES_PER_SECOND) * 1_000);
  }

  /** Begins a streamed body of any length. */
  beginStream(owner: BodyOwner, announced: number): Outcome<BodyHold> {
    return this.within({ owner, kind: "stream" }, Math.min(announced, STREAM_BODY_BYTES), 0);
  }

  release(hold: BodyHold): void {
    if (!this.open.delete(hold)) return;
    this.all -= hold.bytes;
    for (const [name] of boundsOf(hold)) {
      const left = (this.held.get(name) ?? 0) - hold.bytes;
      if (left > 0) this.held.set(name, left);
      else this.held.delete(name);
    }
  }

  private within(counted: CountedBody, announced: number, patienceMs: number): Outcome<BodyHold> {
    const { owner, kind } = counted;
    const bytes = Math.max(announced, LEAST_BODY_BYTES);
    for (const [name, part] of boundsOf(counted))
      if ((this.held.get(name) ?? 0) + bytes > this.limit / part) return BODIES_FULL;
    const endsAt = this.clock.monotonic() + BODY_GRACE_MS + patienceMs;
    const paced = kind === "stream" ? (this.pace?.begin(owner.organizationId ?? "") ?? null) : null;
    const hold = new BodyHold(this, owner, { bytes, endsAt, kind, paced });
    this.open.add(hold);
    this.all += bytes;
    for (const [name] of boundsOf(counted)) this.held.set(name, (this.held.get(name) ?? 0) + bytes);
    this.plan();
    return ok(hold);
  }

  /** One timer for all bodies; most arrive together with their head. */
  private plan(): void {
    if (this.isLooking) return;
    this.isLooking = true;
    this.clock.after(LATE_BODY_LOOK_MS, () => {
      this.isLooking = false;
      const now = this.clock.monotonic();
      for (const hold of this.open) hold.look(now);
      if (this.open.size > 0) this.plan();
    });
  }
}

/** The owner and kind of a body. */
interface CountedBody {
  readonly owner: BodyOwner;
  readonly kind: BodyKind;
}

/**
 * The bounds that a body counts for, each with its divisor of the whole. All unauthenticated callers count together.
 */
function* boundsOf({ owner, kind }: CountedBody): Iterable<readonly [name: string, part: number]> {
  const { organizationId, tokenId } = owner;
  yield [kind === "stream" ? "all streams" : "all", 1];
  const parts = BODY_SHARES[kind];
  yield [`${kind} ${organizationId ?? ""}`, parts.organization];
  if (tokenId !== null && parts.token !== null) yield [`${kind} ${tokenId}`, parts.token];
}

const BODY_SHARES = {
  whole: { organization: ORGANIZATION_PART, token: TOKEN_PART },
  unread: { organization: UNREAD_ORGANIZATION_PART, token: UNREAD_TOKEN_PART },
  stream: { organization: STREAM_ORGANIZATION_PART, token: null },
} as const;
