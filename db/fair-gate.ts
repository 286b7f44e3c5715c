/**
 * Slots for work on a scarce resource, shared fairly between organizations. There is a bound in all and one for each
 * organization, and waiting organizations take turns. So one organization's work delays another's by one piece at most,
 * however much of it waits. Organizations that have recently used more than their share of the event loop wait behind
 * the others (FAIR-4).
 */
import { assert } from "../actors/assert.ts";

export interface GateBounds {
  /** Pieces of work that may run at once, */
  readonly slots: number;
  /** and those of one organization. */
  readonly each: number;
}

/** Work that has waited this long for a slot is dropped: its caller has given up, or will retry. */
export const GATE_WAIT_MS = 15_000;

/** No slot became free in time. */
export class GateTimeout extends Error {
  override readonly name = "GateTimeout";
}

interface Waiting {
  readonly since: number;
  readonly begin: () => void;
  readonly refuse: (cause: Error) => void;
}

export class FairGate {
  private readonly bounds: GateBounds;
  private readonly now: () => number;
  private readonly isOverShare: (organizationId: string) => boolean;
  private running = 0;
  private readonly runningOf = new Map<string, number>();
  /** The organization that was served last is at the end. */
  private readonly waiting = new Map<string, Waiting[]>();
  private idle: PromiseWithResolvers<void> | null = null;

  /** `now` is monotonic ms; `isOverShare`: whether the organization has used more than its share of the event loop. */
  constructor(
    bounds: GateBounds,
    {
      now = () => performance.now(),
      isOverShare = () => false,
    }: { readonly now?: () => number; readonly isOverShare?: (organizationId: string) => boolean } = {},
  ) {
    assert(bounds.each >= 1 && bounds.each <= bounds.slots, "a gate lets each organization in");
    this.bounds = bounds;
    this.now = now;
    this.isOverShare = isOverShare;
  }

  /** Runs `work` in a slot; rejects with `GateTimeout` if none becomes free in time. */
  async run<T>(organizationId: string, work: () => PromiseLike<T>): Promise<T> {
    if (!this.hasRoomFor(organizationId)) await this.queue(organizationId);
    else this.take(organizationId);
    try {
      return await work();
    } finally {
      this.leave(organizationId);
    }
  }

  /** Resolves when nothing runs or waits. */
  rest(): Promise<void> {
    if (this.running === 0 && this.waiting.size === 0) return Promise.resolve();
    this.idle ??= Promise.withResolvers();
    return this.idle.promise;
  }

  private hasRoomFor(organizationId: string): boolean {
    return this.running < this.bounds.slots && (this.runningOf.get(organizationId) ?? 0) < this.bounds.each;
  }

  private take(organizationId: string): void {
    this.running++;
    this.runningOf.set(organizationId, (this.runningOf.get(organizationId) ?? 0) + 1);
  }

  private leave(organizationId: string): void {
    this.running--;
    const left = this.runningOf.get(organizationId)! - 1;
    if (left === 0) this.runningOf.delete(organizationId);
    else this.runningOf.set(organizationId, left);
    this.next();
    if (this.idle === null || this.running > 0 || this.waiting.size > 0) return;
    this.idle.resolve();
    this.idle = null;
  }

  /** Resolves once a slot is taken. */
  private queue(organizationId: string): Promise<void> {
    return new Promise((begin, refuse) => {
      const entry: Waiting = { since: this.now(), begin, refuse };
      const queue = this.waiting.get(organizationId);
      if (queue === undefined) this.waiting.set(organizationId, [entry]);
      else queue.push(entry);
    });
  }

  /** Gives free slots to waiting work. Few organizations are at their own bound: at most as many as there are slots. */
  private next(): void {
    // Evaluated once: an organization that changes between the two rounds would be in neither.
    const late = new Set([...this.waiting.keys()].filter((organizationId) => this.isOverShare(organizationId)));
    for (const isLate of [false, true])
      for (const [organizationId, queue] of this.waiting) {
        if (this.running >= this.bounds.slots) return;
        if (!this.hasRoomFor(organizationId) || late.has(organizationId) !== isLate) continue;
        this.waiting.delete(organizationId);
        const entry = this.firstInTime(queue);
        if (queue.length > 0) this.waiting.set(organizationId, queue);
        if (entry === null) continue;
        this.take(organizationId);
        entry.begin();
      }
  }

  private firstInTime(queue: Waiting[]): Waiting | null {
    for (;;) {
      const entry = queue.shift();
      if (entry === undefined) return null;
      if (this.now() - entry.since <= GATE_WAIT_MS) return entry;
      entry.refuse(new GateTimeout(`no slot came free within ${GATE_WAIT_MS} ms`));
    }
  }
}
