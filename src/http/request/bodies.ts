/**
 * Bodies that are on their way: how much memory they may take, and how long (FAIR-5).
 *
 * A body that is read whole is counted by what its head announces, for its token, its organization and all
 * together, from before its first byte is read until it is read. One without an announced length counts as the
 * longest that its operation takes. What is past a bound is refused unread.
 *
 * A request that has to wait before it is read (for the look-up of its token, for its organization's turn) is
 * counted from then on: Bun takes the first megabyte of a body from its socket whether anybody reads it or not, and
 * leaves only the rest to the sender. A body that is refused before anything was waited for costs nothing.
 *
 * A body that is handed on as it comes is counted too, apart from these: while it waits for its turn (`body-pace.ts`) Bun
 * has taken as much of it as of one that nobody reads, and its next piece is being filled.
 *
 * A slow body ends with `request_timeout`: it has a time in which it may be as slow as it likes, and more for
 * what has arrived (the scheme of Apache's `mod_reqtimeout`).
 */
import { type Fault, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import type { Clock } from "../../../actors/runtime/clock.ts";
import type { BodyPace, PacedBody } from "./body-pace.ts";

/** Bytes of bodies of all callers that are read at once; in memory each byte is some 1.3. */
export const DEFAULT_BODY_BYTES = 256 * 1024 * 1024;
/** Of these, what the bodies of one organization may have, and of one token: no client has so many on their way. */
export const ORGANIZATION_PART = 4;
export const TOKEN_PART = 8;
/**
 * The same of bodies that wait to be read. They wait for milliseconds, and clients that upload many files at once begin
 * all of them at once, so they have more room, and take none of that of bodies that are read.
 */
export const UNREAD_ORGANIZATION_PART = 2;
export const UNREAD_TOKEN_PART = 4;
/** What Bun takes of a body that nobody reads yet: 1.25 MiB were measured (1.4.5). */
export const UNREAD_BODY_BYTES = 1.25 * 1024 * 1024;
/** What a body has that is handed on as it comes: what Bun takes of it, and a piece of `PIECE_BYTES` (`src/files/pieces.ts`) that is not full yet. */
export const STREAM_BODY_BYTES = 1.75 * 1024 * 1024;
/** Of as many bytes again, what the bodies of one organization may have that are handed on as they come: 73 uploads, by whichever tokens. */
export const STREAM_ORGANIZATION_PART = 2;
/** A body counts as so much at least, for its connection and its request: 4,096 of them are the part of a token. */
export const LEAST_BODY_BYTES = 8 * 1024;
/** What every body has for arriving. */
export const BODY_GRACE_MS = 20_000;
/** And a second more for each of these bytes: a body that is read whole holds its memory meanwhile. */
export const BODY_BYTES_PER_SECOND = 8 * 1024;
/** One that is handed on as it comes costs a connection, and may be as slow as the slowest lines. */
export const STREAM_BYTES_PER_SECOND = 1024;
/** Late bodies are looked for this often. */
const LOOK_MS = 1_000;
const RETRY_MS = 1_000;

const FULL: Outcome<never> = refuse({ kind: "overloaded", retryAfterMs: RETRY_MS });
/** The answer to a body that is late. */
export const TOO_SLOW: Fault = { kind: "request_timeout" };

/** Whose body it is; null for somebody who is not known. */
export interface BodyOwner {
  readonly organizationId: string | null;
  readonly tokenId: string | null;
}

/** Whether it is read whole, waits to be read, or is handed on as it comes. */
type BodyKind = "whole" | "unread" | "stream";

/** One body that is being read. */
export class BodyHold {
  readonly owner: BodyOwner;
  /** What it counts. */
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

  /** Calls `run` when its time is over; it is released then. */
  whenLate(run: () => void): void {
    this.onLate = run;
  }

  /** So many bytes of a stream have arrived. */
  progress(bytes: number): void {
    this.endsAt += (bytes / STREAM_BYTES_PER_SECOND) * 1_000;
    this.paced?.arrived(bytes);
  }

  /**
   * Resolves when more of a stream may be read; null where that is now. No body is late for that: what has arrived
   * before the first turn that waits is worth minutes.
   */
  turn(): Promise<void> | null {
    return this.paced?.turn() ?? null;
  }

  /** The last of it has been read. */
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
  /** Its turns, where it waits for some. */
  readonly paced: PacedBody | null;
}

export class Bodies {
  private readonly clock: Pick<Clock, "monotonic" | "after">;
  private readonly limit: number;
  private readonly pace: BodyPace | null;
  private readonly open = new Set<BodyHold>();
  /** Bytes by what bounds them (`boundsOf`); absent: none. */
  private readonly held = new Map<string, number>();
  private all = 0;
  private isLooking = false;

  /** `pace`: by which streams give way to other work; null: by none. */
  constructor(clock: Pick<Clock, "monotonic" | "after">, limit = DEFAULT_BODY_BYTES, pace: BodyPace | null = null) {
    this.clock = clock;
    this.limit = limit;
    this.pace = pace;
  }

  /** Bodies that are on their way, and the bytes that they count. */
  get usage(): { readonly count: number; readonly bytes: number } {
    return { count: this.open.size, bytes: this.all };
  }

  /** Bodies among them that wait to be read. */
  get unreadCount(): number {
    let count = 0;
    for (const { kind } of this.open) if (kind === "unread") count++;
    return count;
  }

  /** Begins a body that is read whole, of at most `bytes`; refuses where there is no room for it. */
  begin(owner: BodyOwner, announced: number): Outcome<BodyHold> {
    const patienceMs = (announced / BODY_BYTES_PER_SECOND) * 1_000;
    return this.within({ owner, kind: "whole" }, announced, patienceMs);
  }

  /** Begins what comes of a body before it is read, which is no longer than this. */
  beginUnread(owner: BodyOwner, announced: number): Outcome<BodyHold> {
    const most = Math.min(announced, UNREAD_BODY_BYTES);
    return this.within({ owner, kind: "unread" }, most, (most / BODY_BYTES_PER_SECOND) * 1_000);
  }

  /** Begins a body that is handed on as it comes, however long it is. */
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

  private within(counted: Counted, announced: number, patienceMs: number): Outcome<BodyHold> {
    const { owner, kind } = counted;
    const bytes = Math.max(announced, LEAST_BODY_BYTES);
    for (const [name, part] of boundsOf(counted))
      if ((this.held.get(name) ?? 0) + bytes > this.limit / part) return FULL;
    const endsAt = this.clock.monotonic() + BODY_GRACE_MS + patienceMs;
    const paced = kind === "stream" ? (this.pace?.begin(owner.organizationId ?? "") ?? null) : null;
    const hold = new BodyHold(this, owner, { bytes, endsAt, kind, paced });
    this.open.add(hold);
    this.all += bytes;
    for (const [name] of boundsOf(counted)) this.held.set(name, (this.held.get(name) ?? 0) + bytes);
    this.plan();
    return ok(hold);
  }

  /** One timer for all; most bodies have arrived with their head. */
  private plan(): void {
    if (this.isLooking) return;
    this.isLooking = true;
    this.clock.after(LOOK_MS, () => {
      this.isLooking = false;
      const now = this.clock.monotonic();
      for (const hold of this.open) hold.look(now);
      if (this.open.size > 0) this.plan();
    });
  }
}

/** Whose body it is, and what becomes of it. */
interface Counted {
  readonly owner: BodyOwner;
  readonly kind: BodyKind;
}

/** The names that a body counts for, each with its part of the whole. Those whom nobody knows count together. */
function* boundsOf({ owner, kind }: Counted): Iterable<readonly [name: string, part: number]> {
  const { organizationId, tokenId } = owner;
  yield [kind === "stream" ? "all streams" : "all", 1];
  const parts = PARTS[kind];
  yield [`${kind} ${organizationId ?? ""}`, parts.organization];
  if (tokenId !== null && parts.token !== null) yield [`${kind} ${tokenId}`, parts.token];
}

const PARTS = {
  whole: { organization: ORGANIZATION_PART, token: TOKEN_PART },
  unread: { organization: UNREAD_ORGANIZATION_PART, token: UNREAD_TOKEN_PART },
  stream: { organization: STREAM_ORGANIZATION_PART, token: null },
} as const;
