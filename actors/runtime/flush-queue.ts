/**
 * Turn groups that wait for the next batch, by organization. The groups of one organization leave in the order
 * in which they came. While only one is at work a batch is filled with its groups; while several are, each
 * gets the same share of every batch (deficit round robin, Shreedhar and Varghese, 1995): what is larger than that is
 * taken and paid for with the next shares. So what one organization stores delays another one by a batch of a
 * bounded size, and not by all that waits.
 */
import type { TurnGroup } from "./group.ts";

/** Bounds of one statement: enough to amortise the commit, small enough to parse in a millisecond. */
export const BATCH_GROUPS = 500;
export const BATCH_BYTES = 1024 * 1024;
/** What one organization may add to a batch while others commit too: about two milliseconds of PostgreSQL. */
export const SHARED_BYTES = 128 * 1024;
/** What a group costs besides its bytes: the rows of a small one. */
export const GROUP_COST = 2 * 1024;

interface Lane {
  /** Bytes that it may still add; below 0 what it owes. */
  balance: number;
  readonly groups: TurnGroup[];
}

/** Bytes and groups of a batch that is being filled. */
interface Filling {
  readonly batch: TurnGroup[];
  bytes: number;
}

/** What a group takes of a batch, in bytes. */
export const costOf = ({ bytes }: TurnGroup): number => bytes + GROUP_COST;

export class FlushQueue {
  /** The lane that is first has the next turn. One that owes something stays, also without groups. */
  private readonly lanes = new Map<string, Lane>();
  private count = 0;

  get length(): number {
    return this.count;
  }

  push(group: TurnGroup): void {
    let lane = this.lanes.get(group.organizationId);
    if (lane === undefined) this.lanes.set(group.organizationId, (lane = { balance: 0, groups: [] }));
    lane.groups.push(group);
    this.count++;
  }

  /** The last group of an organization, or of each. */
  last(organizationId: string | null): readonly TurnGroup[] {
    const lanes = organizationId === null ? this.lanes.values() : [this.lanes.get(organizationId)];
    return [...lanes].flatMap((lane) => lane?.groups.at(-1) ?? []);
  }

  /** Takes all groups out. */
  clear(): readonly TurnGroup[] {
    const groups = [...this.lanes.values()].flatMap((lane) => lane.groups);
    this.lanes.clear();
    this.count = 0;
    return groups;
  }

  /**
   * The groups of the next batch. A group that may not be sent any more is refused when nothing of its
   * organization comes before it in the batch.
   */
  take(isShared: boolean, { mayBeSent, refuse }: Judge): TurnGroup[] {
    const filling: Filling = { batch: [], bytes: 0 };
    if (!isShared && this.lanes.size === 1) {
      const [lane] = this.lanes.values();
      lane!.balance = BATCH_BYTES + GROUP_COST * BATCH_GROUPS;
      this.fill(filling, lane!, { mayBeSent, refuse });
      if (lane!.groups.length === 0) this.lanes.clear();
      return filling.batch;
    }
    const gift = SHARED_BYTES + this.leastDebt();
    // A copy: a lane that has had its turn goes to the end, and is not to have another one.
    for (const [organizationId, lane] of Array.from(this.lanes)) {
      lane.balance = Math.min(SHARED_BYTES, lane.balance + gift);
      const before = filling.batch.length;
      this.fill(filling, lane, { mayBeSent, refuse });
      const isDone = lane.groups.length === 0 && lane.balance >= SHARED_BYTES;
      // To the end: all others have their turn first.
      if (isDone || filling.batch.length > before) this.lanes.delete(organizationId);
      if (!isDone && filling.batch.length > before) this.lanes.set(organizationId, lane);
    }
    return filling.batch;
  }

  private fill(filling: Filling, lane: Lane, { mayBeSent, refuse }: Judge): void {
    const { batch } = filling;
    let own = 0;
    let taken = 0;
    while (taken < lane.groups.length && batch.length < BATCH_GROUPS && lane.balance > 0) {
      const group = lane.groups[taken]!;
      const isSent = mayBeSent(group);
      if (own > 0 && !isSent) break;
      if (batch.length > 0 && isSent && filling.bytes + group.bytes > BATCH_BYTES) break;
      taken++;
      if (!isSent) {
        refuse(group);
        continue;
      }
      batch.push(group);
      own++;
      filling.bytes += group.bytes;
      lane.balance -= costOf(group);
    }
    lane.groups.splice(0, taken);
    this.count -= taken;
  }

  /** What has to be given to all beyond a share, so that one of those that wait may add a group. */
  private leastDebt(): number {
    let least = Number.POSITIVE_INFINITY;
    for (const { groups, balance } of this.lanes.values()) if (groups.length > 0) least = Math.min(least, -balance);
    return Number.isFinite(least) ? Math.max(0, least - SHARED_BYTES + 1) : 0;
  }
}

/** Who says which groups may still be sent. */
export interface Judge {
  mayBeSent(group: TurnGroup): boolean;
  refuse(group: TurnGroup): void;
}
