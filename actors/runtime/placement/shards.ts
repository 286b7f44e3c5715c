/**
 * The shards that this replica serves, with their epochs. A shard is `recovering` from its grant until its former
 * owner's undone work has been taken up; meanwhile only dispatches that carry its epoch are admitted.
 *
 * - SH-1: the epoch of a shard only rises.
 * - SH-2: nothing is admitted without a lease that is safe. A group that was admitted goes on only at the same epoch.
 * - SH-3: a shard is handed over when each group of it that began has ended.
 */
import { assert } from "../../assert.ts";
import { type Fault, ok, type Outcome, refuse } from "../../fault.ts";
import { type Lease, SHARD_COUNT, type ShardGrant, shardOf } from "./placement.ts";
import type { DispatchAdmission } from "../turns/members.ts";

/** How long a client waits before it retries after a refusal for lack of a shard or of the database. */
export const UNAVAILABLE_RETRY_MS = 1_000;

interface Held {
  readonly epoch: number;
  /** The result of a successful admission, created once. */
  readonly grant: Outcome<ShardGrant>;
  /** Erased organizations: no request finds them, and nothing is stored for them. */
  readonly erased: ReadonlySet<string>;
  recovering: boolean;
  leaving: boolean;
}

export class Shards {
  private readonly held = new Map<number, Held>();
  private readonly lease: Lease;
  /** How many admitted groups of each shard are not answered yet. */
  private readonly underWay = new Int32Array(SHARD_COUNT);
  /** Callbacks that wait for groups to end. */
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

  /**
   * The grant of the organization's shard, or why this replica does not serve it now. A group that was admitted
   * `before` at this epoch continues.
   */
  admit(organizationId: string, admission: DispatchAdmission, before: ShardGrant | null = null): Outcome<ShardGrant> {
    const shard = shardOf(organizationId);
    const held = this.held.get(shard);
    if (!this.lease.isSafe() || held === undefined) return refuse(SHARD_UNAVAILABLE);
    if (held.erased.has(organizationId)) return refuse(ERASED);
    if (before?.epoch === held.epoch) return held.grant;
    if (admission.epoch === undefined) {
      if (held.recovering || held.leaving) return refuse(SHARD_UNAVAILABLE);
      if (this.draining) return refuse(SHUTTING_DOWN);
    } else if (admission.epoch !== held.epoch) return refuse(SHARD_UNAVAILABLE);
    return held.grant;
  }

  /** Counts a group that is admitted for the first time. */
  begin(shard: number): void {
    this.underWay[shard]!++;
  }

  /** Counts a group that is answered. */
  end(shard: number): void {
    this.underWay[shard]!--;
    assert(this.underWay[shard]! >= 0, "each group that ends has begun (SH-3)");
    for (const look of this.waiting) look();
  }

  /** Resolves when no group of these shards is in flight. */
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

  /** Adds a shard that was granted, with its erased organizations; it serves after `open`. */
  grant(shard: number, epoch: number, organizationIds: readonly string[] = []): void {
    assert(epoch > (this.held.get(shard)?.epoch ?? 0), "the epoch of a shard only rises (SH-1)");
    const erased = organizationIds.length === 0 ? NO_IDS : new Set(organizationIds);
    this.held.set(shard, { epoch, grant: ok({ shard, epoch }), erased, recovering: true, leaving: false });
  }

  /** Another replica will get these shards: only groups in flight continue. One whose epoch has risen stays. */
  leave(grants: readonly ShardGrant[]): void {
    for (const { shard, epoch } of grants) {
      const held = this.held.get(shard);
      if (held?.epoch === epoch) held.leaving = true;
    }
  }

  /** Whether this replica accepts new commands to the shard now. */
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

export const SHARD_UNAVAILABLE: Fault = { kind: "unavailable", retryAfterMs: UNAVAILABLE_RETRY_MS };
export const SHUTTING_DOWN: Fault = { kind: "shutting_down", retryAfterMs: UNAVAILABLE_RETRY_MS };
/** The same refusal as for an unknown token: there is no such organization. */
const ERASED: Fault = { kind: "unauthenticated", reason: "the organization was erased" };
const NO_IDS: ReadonlySet<string> = new Set();
