/**
 * Turn groups that wait for the next batch, by organization. The groups of one organization leave in the order of their
 * arrival. While only one organization is at work, its groups fill a batch. While several are, each gets the same share
 * of every batch (deficit round robin, Shreedhar and Varghese, 1995): a group that is larger than the share is taken
 * and paid for with the next shares. So one organization's writes delay another one by a batch of bounded size, not by
 * the whole queue.
 *
 * Large work has batches of its own, so that small work does not wait for it. An organization's work is large if its
 * next group is. Beside others, it is also large if many of its groups wait, which takes PostgreSQL as long, or if it
 * has used more than its share of the event loop: its groups come one batch after the other. A batch takes groups from
 * the organizations of its size that have nothing in flight in the other batch.
 */
import { assert } from "../../assert.ts";
import type { TurnGroup } from "./group.ts";

/** Bounds of one statement: large enough to amortize the commit, small enough to parse in a millisecond. */
export const BATCH_GROUPS = 500;
export const BATCH_BYTES = 1024 * 1024;
/**
 * What one organization may add to a batch while others commit too: eight groups that begin a job, about three
 * milliseconds of PostgreSQL.
 */
export const SHARED_BYTES = 32 * 1024;
/** The cost of a group besides its bytes: the rows of a small group. */
export const GROUP_COST = 2 * 1024;
/** A group with more bytes is large: PostgreSQL takes longer for it than for a batch of small ones. */
export const LARGE_BYTES = 48 * 1024;
/**
 * With more waiting groups than this, an organization's work is large while others commit: two milliseconds of
 * PostgreSQL.
 */
export const MANY_GROUPS = 8;

export type GroupSize = "small" | "large";

/** The waiting groups of one organization. */
interface Backlog {
  /** Bytes that it may still add; negative: its deficit. */
  balance: number;
  readonly groups: TurnGroup[];
  /**
   * The last batch of small groups has left it to the large ones. They must take it, even if it counts as small by
   * then.
   */
  isLeft: boolean;
}

/** Bytes and groups of a batch that is being filled. */
interface Filling {
  readonly batch: TurnGroup[];
  /** The size of its groups; null: only one organization is at work, and sizes do not matter. */
  size: GroupSize | null;
  bytes: number;
}

/** The cost of a group in a batch, in bytes. */
export const costOf = ({ bytes }: TurnGroup): number => bytes + GROUP_COST;
const groupSize = ({ bytes }: TurnGroup): GroupSize => (bytes > LARGE_BYTES ? "large" : "small");

export class FlushQueue {
  /** The first organization has the next turn. One that owes something stays, even without groups. */
  private readonly backlogs = new Map<string, Backlog>();
  private count = 0;
  private largeCount = 0;
  /** A batch of small groups has left out an organization with many waiting groups. */
  private hasMany = false;
  private patientCount = 0;

  get length(): number {
    return this.count;
  }

  /** How many waiting groups are patient: no caller waits for their commits. */
  get patient(): number {
    return this.patientCount;
  }

  get hasLarge(): boolean {
    return this.largeCount > 0 || this.hasMany;
  }

  push(group: TurnGroup): void {
    let backlog = this.backlogs.get(group.organizationId);
    if (backlog === undefined)
      this.backlogs.set(group.organizationId, (backlog = { balance: 0, groups: [], isLeft: false }));
    assert((backlog.groups.at(-1)?.order ?? 0) < group.order, "groups wait in their order (FL-2)");
    backlog.groups.push(group);
    this.count++;
    if (groupSize(group) === "large") this.largeCount++;
    if (group.isPatient) this.patientCount++;
  }

  /** The last group of an organization, or of each. */
  last(organizationId: string | null): readonly TurnGroup[] {
    const backlogs = organizationId === null ? this.backlogs.values() : [this.backlogs.get(organizationId)];
    return [...backlogs].flatMap((backlog) => backlog?.groups.at(-1) ?? []);
  }

  /** Removes and returns all groups. */
  clear(): readonly TurnGroup[] {
    const groups = [...this.backlogs.values()].flatMap((backlog) => backlog.groups);
    this.backlogs.clear();
    this.count = 0;
    this.largeCount = 0;
    this.hasMany = false;
    this.patientCount = 0;
    return groups;
  }

  /**
   * The groups of the next batch of this size. A group that may no longer be sent is refused once no group of its
   * organization is before it, in the batch or in flight.
   */
  take(isShared: boolean, size: GroupSize, judge: Judge): TurnGroup[] {
    const filling: Filling = { batch: [], bytes: 0, size: null };
    if (!isShared && this.backlogs.size === 1) {
      const [[organizationId, backlog]] = this.backlogs as Iterable<[string, Backlog]> as [[string, Backlog]];
      if (size === "large") this.hasMany = false;
      if (judge.isInFlight(organizationId) || (size === "small" && isNextLarge(backlog))) return [];
      backlog.balance = BATCH_BYTES + GROUP_COST * BATCH_GROUPS;
      this.fill(filling, backlog, judge);
      if (backlog.groups.length === 0) this.backlogs.delete(organizationId);
      return filling.batch;
    }
    filling.size = size;
    // A copy, because an organization that has had its turn goes to the end and must not get another one.
    const free = Array.from(this.backlogs).filter(([organizationId]) => !judge.isInFlight(organizationId));
    const backlogs = free.filter(([organizationId, backlog]) => isOf(size, backlog, judge.isOverShare(organizationId)));
    this.hasMany = size === "small" && backlogs.length < free.length;
    const gift = SHARED_BYTES + leastDebt(backlogs);
    for (const [organizationId, backlog] of backlogs) {
      backlog.balance = Math.min(SHARED_BYTES, backlog.balance + gift);
      const before = filling.batch.length;
      this.fill(filling, backlog, judge);
      const isDone = backlog.groups.length === 0 && backlog.balance >= SHARED_BYTES;
      // To the end: all others have their turn first.
      if (isDone || filling.batch.length > before) this.backlogs.delete(organizationId);
      if (!isDone && filling.batch.length > before) this.backlogs.set(organizationId, backlog);
    }
    return filling.batch;
  }

  private fill(filling: Filling, backlog: Backlog, { mayBeSent, refuse }: Judge): void {
    const { batch, size } = filling;
    let own = 0;
    let taken = 0;
    while (taken < backlog.groups.length && batch.length < BATCH_GROUPS && backlog.balance > 0) {
      const group = backlog.groups[taken]!;
      const isSent = mayBeSent(group);
      if (own > 0 && !isSent) break;
      if (batch.length > 0 && isSent && filling.bytes + group.bytes > BATCH_BYTES) break;
      // A large group waits for the batch of its size.
      if (size === "small" && isSent && groupSize(group) === "large") break;
      taken++;
      if (!isSent) {
        refuse(group);
        continue;
      }
      batch.push(group);
      own++;
      filling.bytes += group.bytes;
      backlog.balance -= costOf(group);
    }
    for (const group of backlog.groups.splice(0, taken)) {
      if (groupSize(group) === "large") this.largeCount--;
      if (group.isPatient) this.patientCount--;
    }
    this.count -= taken;
    assert(this.count >= 0 && this.largeCount >= 0 && this.patientCount >= 0, "the queue counts what waits in it");
    assert(this.largeCount <= this.count && this.patientCount <= this.count, "it counts each group once");
  }
}

const isNextLarge = ({ groups: [next] }: Backlog): boolean => next !== undefined && groupSize(next) === "large";
/** The size of the organization's next commit, while others are active. */
const sizeOfNext = (backlog: Backlog): GroupSize =>
  isNextLarge(backlog) || backlog.groups.length > MANY_GROUPS ? "large" : "small";

/** Whether the organization belongs to this batch, while others are active. */
function isOf(size: GroupSize, backlog: Backlog, isOverShare: boolean): boolean {
  if (backlog.groups.length === 0) return true;
  const isLarge = isOverShare || sizeOfNext(backlog) === "large";
  const isWanted = size === "small" ? !isLarge : isLarge || backlog.isLeft;
  backlog.isLeft = size === "small" && isLarge;
  return isWanted;
}

/** What every organization must get beyond its share, so that at least one that waits may add a group. */
function leastDebt(backlogs: readonly (readonly [string, Backlog])[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (const [, { groups, balance }] of backlogs) if (groups.length > 0) least = Math.min(least, -balance);
  return Number.isFinite(least) ? Math.max(0, least - SHARED_BYTES + 1) : 0;
}

/** Decides which groups may still be sent. */
export interface Judge {
  /** Whether a statement in flight has groups of the organization. */
  isInFlight(organizationId: string): boolean;
  /** Whether the organization has used more than its share of the event loop. */
  isOverShare(organizationId: string): boolean;
  mayBeSent(group: TurnGroup): boolean;
  refuse(group: TurnGroup): void;
}
