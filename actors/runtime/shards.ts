/**
 * The shards that this replica serves, and at which epoch. A shard is `recovering` from the moment
 * it is granted until what its former owner left undone has been taken up; only what
 * carries its epoch may dispatch to it meanwhile. Every admission looks at the lease first.
 */
import { type Fault, type Outcome, ok, refuse } from "../fault.ts";
import { type Lease, SHARD_COUNT, type ShardGrant, shardOf } from "./placement.ts";
import type { AlarmKey } from "./store.ts";

/** A client that was refused for lack of a shard or of the database tries again after this. */
export const UNAVAILABLE_RETRY_MS = 1_000;

interface Held {
  readonly epoch: number;
  /** The answer of a successful admission, made once. */
  readonly grant: Outcome<ShardGrant>;
  /** Organizations that were erased: nobody finds them, and nothing is stored for them. */
  erased: ReadonlySet<string>;
  recovering: boolean;
  leaving: boolean;
}

/** What a dispatch carries besides its command. */
export interface Admission {
  /**
   * The epoch under which an effect, a message or an alarm was begun: it counts under no other. What
   * carries one is the runtime's own, so it is admitted during a recovery and while draining.
   */
  readonly epoch?: number;
}

export interface DispatchOptions extends Admission {
  /** A message that this group takes: its row goes with the commit, also when the turn refuses. */
  readonly consumes?: string;
  /** An alarm that this group answers. */
  readonly clears?: AlarmKey;
  /** Nobody waits for the answer, so its turn may let its commit wait (`Tx.mayWait`). */
  readonly mayWait?: true;
  /** The name of the question, where its reply is to be kept (`kept-reply.ts`). */
  readonly keptAs?: string;
  /** Asked before each attempt; false ends the group with no replies. */
  readonly isStillWanted?: () => boolean;
}

export class Shards {
  private readonly held = new Map<number, Held>();
  private readonly lease: Lease;
  /** Groups that were admitted and are not answered yet, of each shard. */
  private readonly underWay = new Int32Array(SHARD_COUNT);
  /** Who waits for the end of some. */
  private readonly waiting = new Set<() => void>();
  draining = false;

  constructor(lease: Lease) {
    this.lease = lease;
  }

  epochOf(shard: number): number | null {
    return this.held.get(shard)?.epoch ?? null;
  }

  /** Whether this replica may act under the grant: it holds the lease, and the shard at that epoch. */
  serves({ shard, epoch }: ShardGrant): boolean {
    return this.lease.isSafe() && this.held.get(shard)?.epoch === epoch;
  }

  get count(): number {
    return this.held.size;
  }

  all(): number[] {
    return [...this.held.keys()];
  }

  /** The grant of the organization's shard, or why it is not served here now. What was admitted `before` at this epoch goes on. */
  admit(organizationId: string, admission: Admission, before: ShardGrant | null = null): Outcome<ShardGrant> {
    const shard = shardOf(organizationId);
    const held = this.held.get(shard);
    if (!this.lease.isSafe() || held === undefined) return refuse(UNAVAILABLE);
    if (held.erased.has(organizationId)) return refuse(ERASED);
    if (before?.epoch === held.epoch) return held.grant;
    if (admission.epoch === undefined) {
      if (held.recovering || held.leaving) return refuse(UNAVAILABLE);
      if (this.draining) return refuse(SHUTTING_DOWN);
    } else if (admission.epoch !== held.epoch) return refuse(UNAVAILABLE);
    return held.grant;
  }

  /** A group is admitted for the first time. */
  begin(shard: number): void {
    this.underWay[shard]!++;
  }

  /** It is answered. */
  end(shard: number): void {
    this.underWay[shard]!--;
    for (const look of this.waiting) look();
  }

  /** Resolves when no group of these shards is under way. */
  async answered(shards: ReadonlySet<number>): Promise<void> {
    const isUnderWay = (): boolean => [...shards].some((shard) => this.underWay[shard]! > 0);
    if (!isUnderWay()) return;
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (isUnderWay()) return;
        this.waiting.delete(look);
        resolve();
      };
      this.waiting.add(look);
    });
  }

  /** Takes a shard over; it serves after `open`. */
  grant(shard: number, epoch: number): void {
    this.held.set(shard, { epoch, grant: ok({ shard, epoch }), erased: NONE, recovering: true, leaving: false });
  }

  /** These organizations were erased: of a shard that is served at this epoch. */
  erase(shard: number, epoch: number, organizationIds: readonly string[]): void {
    const held = this.held.get(shard);
    if (held?.epoch === epoch) held.erased = new Set(organizationIds);
  }

  /** Another replica is to have these: only what is under way goes on. */
  leave(shards: ReadonlySet<number>): void {
    for (const shard of shards) {
      const held = this.held.get(shard);
      if (held !== undefined) held.leaving = true;
    }
  }

  /** Whether new commands to the shard are taken here now. */
  isOpen(shard: number): boolean {
    const held = this.held.get(shard);
    return held !== undefined && !held.recovering && !held.leaving && !this.draining && this.lease.isSafe();
  }

  open(shard: number, epoch: number): void {
    const held = this.held.get(shard);
    if (held?.epoch === epoch) held.recovering = false;
  }

  lose(shard: number): void {
    this.held.delete(shard);
  }
}

export const UNAVAILABLE: Fault = { kind: "unavailable", retryAfterMs: UNAVAILABLE_RETRY_MS };
export const SHUTTING_DOWN: Fault = { kind: "shutting_down", retryAfterMs: UNAVAILABLE_RETRY_MS };
/** As of somebody with a token that nobody has: there is no such organization. */
const ERASED: Fault = { kind: "unauthenticated", reason: "the organization was erased" };
const NONE: ReadonlySet<string> = new Set();
