/**
 * Job slots (JOB-10): how many jobs run at once, in the process and for each organization. The other jobs wait.
 * Organizations take turns, one slot each, so a burst of jobs in one organization delays the others by one round at
 * most. An organization that has recently used more than its share of the event loop waits behind those that have not.
 * Within an organization the highest priority runs first, then the oldest job. An organization at its limit is skipped.
 */
import { JOB_PRIORITIES, type JobPriority } from "../terms.ts";

/** Jobs that run at once in one process: model streams cost sockets and memory. */
export interface SlotLimits {
  readonly inProcess: number;
  readonly ofOrganization: number;
}
export const DEFAULT_SLOTS: SlotLimits = { inProcess: 64, ofOrganization: 16 };

/** A request of a job for a slot. */
export interface SlotRequest {
  readonly organizationId: string;
  readonly priority: JobPriority;
  /** When the job was created, in ms; older jobs run first. */
  readonly since: number;
}

interface Waiting extends SlotRequest {
  readonly grant: (release: () => void) => void;
}

export class Slots {
  private readonly running = new Map<string, number>();
  /** Waiting requests by organization; the first organization of the map has the next turn. */
  private readonly queues = new Map<string, Waiting[]>();
  private total = 0;
  private readonly limits: SlotLimits;
  private readonly isOverShare: (organizationId: string) => boolean;

  /** `isOverShare`: whether the organization has used more than its share of what all need (FAIR-4). */
  constructor(limits = DEFAULT_SLOTS, isOverShare: (organizationId: string) => boolean = () => false) {
    this.limits = limits;
    this.isOverShare = isOverShare;
  }

  /** Resolves with the function that releases the slot, or with null if `signal` aborts first. */
  acquire(request: SlotRequest, signal: AbortSignal): Promise<(() => void) | null> {
    if (signal.aborted) return Promise.resolve(null);
    // No request waits while it could run, so this one overtakes nobody.
    const free = this.acquireNow(request);
    if (free !== null) return Promise.resolve(free);
    return new Promise((resolve) => {
      const entry: Waiting = {
        ...request,
        grant: (release) => {
          signal.removeEventListener("abort", leave);
          resolve(release);
        },
      };
      const leave = (): void => {
        this.remove(entry);
        resolve(null);
      };
      signal.addEventListener("abort", leave, { once: true });
      this.enqueue(entry);
    });
  }

  /** The function that releases the slot if one is free; null if the request would have to wait. */
  acquireNow({ organizationId }: SlotRequest): (() => void) | null {
    return this.hasSlot(organizationId) ? this.take(organizationId) : null;
  }

  private hasSlot(organizationId: string): boolean {
    const { inProcess, ofOrganization } = this.limits;
    return this.total < inProcess && (this.running.get(organizationId) ?? 0) < ofOrganization;
  }

  private take(organizationId: string): () => void {
    this.total++;
    this.running.set(organizationId, (this.running.get(organizationId) ?? 0) + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.total--;
      const left = (this.running.get(organizationId) ?? 1) - 1;
      if (left === 0) this.running.delete(organizationId);
      else this.running.set(organizationId, left);
      this.next();
    };
  }

  /** Inserts by priority and age. Most requests are the youngest, so the search starts at the end. */
  private enqueue(entry: Waiting): void {
    const queue = this.queues.get(entry.organizationId);
    if (queue === undefined) return void this.queues.set(entry.organizationId, [entry]);
    let index = queue.length;
    while (index > 0 && goesBefore(entry, queue[index - 1]!)) index--;
    queue.splice(index, 0, entry);
  }

  private remove(entry: Waiting): void {
    const queue = (this.queues.get(entry.organizationId) ?? []).filter((other) => other !== entry);
    if (queue.length === 0) this.queues.delete(entry.organizationId);
    else this.queues.set(entry.organizationId, queue);
  }

  /** Gives a free slot to the first organization that may have one; its next turn comes after all others. */
  private next(): void {
    const organizationId = this.nextOrganization();
    if (organizationId === null) return;
    const queue = this.queues.get(organizationId)!;
    const entry = queue.shift();
    this.queues.delete(organizationId);
    if (queue.length > 0) this.queues.set(organizationId, queue);
    entry?.grant(this.take(organizationId));
  }

  /**
   * The first organization that may have a slot and has not used more than its share, else the first that may have one.
   */
  private nextOrganization(): string | null {
    let first: string | null = null;
    for (const organizationId of this.queues.keys()) {
      if (!this.hasSlot(organizationId)) continue;
      if (!this.isOverShare(organizationId)) return organizationId;
      first ??= organizationId;
    }
    return first;
  }
}

const rank = ({ priority }: SlotRequest): number => JOB_PRIORITIES.indexOf(priority);
const goesBefore = (a: SlotRequest, b: SlotRequest): boolean =>
  rank(a) === rank(b) ? a.since < b.since : rank(a) > rank(b);
