/**
 * Turn groups that wait for the next batch, by organization. The groups of one organization leave in the order
 * in which they came. While only one is at work a batch is filled with its groups; while several are, each
 * gets the same share of every batch (deficit round robin, Shreedhar and Varghese, 1995): what is larger than that is
 * taken and paid for with the next shares. So what one organization stores delays another one by a batch of a
 * bounded size, and not by all that waits.
 *
 * Large work has batches of its own, so that small work waits for none of it. Large is an organization whose next group
 * is, and, beside others, one of which many groups wait, for which PostgreSQL needs as long, or that has used more than
 * its share of the event loop: its groups come one batch after the other. A batch is of the organizations of its size that
 * have nothing in flight in the other.
 */
import type { TurnGroup } from "./group.ts";

/** Bounds of one statement: enough to amortise the commit, small enough to parse in a millisecond. */
export const BATCH_GROUPS = 500;
export const BATCH_BYTES = 1024 * 1024;
/** What one organization may add to a batch while others commit too: eight groups that begin a job, some three milliseconds of PostgreSQL. */
export const SHARED_BYTES = 32 * 1024;
/** What a group costs besides its bytes: the rows of a small one. */
export const GROUP_COST = 2 * 1024;
/** A group of more is large: PostgreSQL takes longer for it than for a batch of small ones. */
export const LARGE_BYTES = 48 * 1024;
/** More groups of one organization are large together while others commit: two milliseconds of PostgreSQL. */
export const MANY_GROUPS = 8;

export type GroupSize = "small" | "large";

interface Lane {
  /** Bytes that it may still add; below 0 what it owes. */
  balance: number;
  readonly groups: TurnGroup[];
  /** The last batch of small ones has left it to the large ones, whatever it would be now: somebody must take it. */
  isLeft: boolean;
}

/** Bytes and groups of a batch that is being filled. */
interface Filling {
  readonly batch: TurnGroup[];
  /** Of whose groups; null: of an organization that is alone, whatever their sizes. */
  size: GroupSize | null;
  bytes: number;
}

/** What a group takes of a batch, in bytes. */
export const costOf = ({ bytes }: TurnGroup): number => bytes + GROUP_COST;
const sizeOf = ({ bytes }: TurnGroup): GroupSize => (bytes > LARGE_BYTES ? "large" : "small");

export class FlushQueue {
  /** The lane that is first has the next turn. One that owes something stays, also without groups. */
  private readonly lanes = new Map<string, Lane>();
  private count = 0;
  private largeCount = 0;
  /** A batch of small ones has left out an organization of which many wait. */
  private hasMany = false;
  private patientCount = 0;

  get length(): number {
    return this.count;
  }

  /** How many of them nobody waits for. */
  get patient(): number {
    return this.patientCount;
  }

  get hasLarge(): boolean {
    return this.largeCount > 0 || this.hasMany;
  }

  push(group: TurnGroup): void {
    let lane = this.lanes.get(group.organizationId);
    if (lane === undefined) this.lanes.set(group.organizationId, (lane = { balance: 0, groups: [], isLeft: false }));
    lane.groups.push(group);
    this.count++;
    if (sizeOf(group) === "large") this.largeCount++;
    if (group.isPatient) this.patientCount++;
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
    this.largeCount = 0;
    this.hasMany = false;
    this.patientCount = 0;
    return groups;
  }

  /**
   * The groups of the next batch of this size. A group that may not be sent any more is refused when nothing of its
   * organization comes before it, in the batch or in flight.
   */
  take(isShared: boolean, size: GroupSize, judge: Judge): TurnGroup[] {
    const filling: Filling = { batch: [], bytes: 0, size: null };
    if (!isShared && this.lanes.size === 1) {
      const [[organizationId, lane]] = this.lanes as Iterable<[string, Lane]> as [[string, Lane]];
      if (size === "large") this.hasMany = false;
      if (judge.isInFlight(organizationId) || (size === "small" && isNextLarge(lane))) return [];
      lane.balance = BATCH_BYTES + GROUP_COST * BATCH_GROUPS;
      this.fill(filling, lane, judge);
      if (lane.groups.length === 0) this.lanes.delete(organizationId);
      return filling.batch;
    }
    filling.size = size;
    // A copy: a lane that has had its turn goes to the end, and is not to have another one.
    const free = Array.from(this.lanes).filter(([organizationId]) => !judge.isInFlight(organizationId));
    const lanes = free.filter(([organizationId, lane]) => isOf(size, lane, judge.isOverShare(organizationId)));
    this.hasMany = size === "small" && lanes.length < free.length;
    const gift = SHARED_BYTES + leastDebt(lanes);
    for (const [organizationId, lane] of lanes) {
      lane.balance = Math.min(SHARED_BYTES, lane.balance + gift);
      const before = filling.batch.length;
      this.fill(filling, lane, judge);
      const isDone = lane.groups.length === 0 && lane.balance >= SHARED_BYTES;
      // To the end: all others have their turn first.
      if (isDone || filling.batch.length > before) this.lanes.delete(organizationId);
      if (!isDone && filling.batch.length > before) this.lanes.set(organizationId, lane);
    }
    return filling.batch;
  }

  private fill(filling: Filling, lane: Lane, { mayBeSent, refuse }: Judge): void {
    const { batch, size } = filling;
    let own = 0;
    let taken = 0;
    while (taken < lane.groups.length && batch.length < BATCH_GROUPS && lane.balance > 0) {
      const group = lane.groups[taken]!;
      const isSent = mayBeSent(group);
      if (own > 0 && !isSent) break;
      if (batch.length > 0 && isSent && filling.bytes + group.bytes > BATCH_BYTES) break;
      // A large one waits for the batch of its size.
      if (size === "small" && isSent && sizeOf(group) === "large") break;
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
    for (const group of lane.groups.splice(0, taken)) {
      if (sizeOf(group) === "large") this.largeCount--;
      if (group.isPatient) this.patientCount--;
    }
    this.count -= taken;
  }
}

const isNextLarge = ({ groups: [next] }: Lane): boolean => next !== undefined && sizeOf(next) === "large";
/** Of what the organization commits next beside others. */
const sizeOfNext = (lane: Lane): GroupSize =>
  isNextLarge(lane) || lane.groups.length > MANY_GROUPS ? "large" : "small";

/** Whether the lane belongs to this batch, beside others. */
function isOf(size: GroupSize, lane: Lane, isOverShare: boolean): boolean {
  if (lane.groups.length === 0) return true;
  const isLarge = isOverShare || sizeOfNext(lane) === "large";
  const isWanted = size === "small" ? !isLarge : isLarge || lane.isLeft;
  lane.isLeft = size === "small" && isLarge;
  return isWanted;
}

/** What has to be given to all beyond a share, so that one of those that wait may add a group. */
function leastDebt(lanes: readonly (readonly [string, Lane])[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (const [, { groups, balance }] of lanes) if (groups.length > 0) least = Math.min(least, -balance);
  return Number.isFinite(least) ? Math.max(0, least - SHARED_BYTES + 1) : 0;
}

/** Who says which groups may still be sent. */
export interface Judge {
  /** Whether groups of the organization are in a statement that is not answered. */
  isInFlight(organizationId: string): boolean;
  /** Whether the organization has used more than its share of the event loop. */
  isOverShare(organizationId: string): boolean;
  mayBeSent(group: TurnGroup): boolean;
  refuse(group: TurnGroup): void;
}
