/**
 * Slots for work on a scarce resource, shared fairly between organizations.
 *
 *   enter ─ a free slot ──▶ pass ── end ──▶ the next one in turn
 *     └──▶ waits ─ its turn ──▶ pass
 *           └ aborted, or not wanted any more ──▶ null
 *
 * - FS-1: at most `slots` passes are held, and at most `each` by one organization. With `alone`, one that is within its
 *   share of the event loop has another bound: it gets a slot while it holds fewer than `alone / (slots - alone)` times
 *   as many as are free. So one that is alone has `alone` slots, and each that comes finds the same part of the rest
 *   (dynamic thresholds of Choudhury and Hahne, for switches that share memory). One over its share has both bounds.
 * - FS-2: nothing waits that FS-1 lets in when an entry comes or a pass ends, and not for longer than `later` takes
 *   when only its share has changed. So a new entry overtakes nobody.
 * - FS-3: waiting organizations take turns, one slot each, so one organization's work delays another's by one piece at
 *   most. Those that have recently used more than their share of the event loop wait behind the others (FAIR-4).
 * - FS-4: when nothing runs, no slot is in use: a pass ends with its block.
 */
import { assert } from "./assert.ts";
import { Rounds } from "./rounds.ts";

/**
 * The right to use a part of something limited: a job slot, room in memory, a place among the calls of a provider. It is
 * held with `using`, so that it ends once on every way out of its block; `end` ends it earlier.
 */
export class Pass implements Disposable {
  private onEnd: (() => void) | null;

  /** `onEnd` runs once, when the pass ends. */
  constructor(onEnd: () => void) {
    this.onEnd = onEnd;
  }

  /** Idempotent. */
  end(): void {
    const { onEnd } = this;
    this.onEnd = null;
    onEnd?.();
  }

  [Symbol.dispose](): void {
    this.end();
  }
}

export interface SlotBounds {
  /** Pieces of work that may run at once. */
  readonly slots: number;
  /** Pieces of work of one organization that may run at once. */
  readonly each: number;
  /** Pieces of work of one organization while no other has any; absent: `each`, also beside others. */
  readonly alone?: number;
}

export interface SlotOrder<R> {
  /** Whether the organization has used more than its share of the event loop (FAIR-4). */
  readonly isOverShare?: (organizationId: string) => boolean;
  /** Runs something after a while. Needed with `alone` and `isOverShare`: shares change by themselves. */
  readonly later?: (run: () => void) => void;
  /** Which of an organization's waiting entries goes first; omitted: the older one. */
  readonly goesBefore?: (a: R, b: R) => boolean;
}

export interface Entering<R> {
  readonly rank?: R;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
  /** Asked when its turn has come: an entry that is not wanted any more takes no slot. */
  readonly isWanted?: () => boolean;
}

interface WaitingForSlot<R> {
  readonly rank: R | undefined;
  readonly isWanted: (() => boolean) | undefined;
  readonly resolve: (pass: Pass | null) => void;
}

export class FairSlots<R = never> {
  private readonly bounds: SlotBounds;
  private readonly order: SlotOrder<R>;
  private readonly heldOf = new Map<string, number>();
  private readonly waiting = new Rounds<WaitingForSlot<R>>();
  private held = 0;
  private idle: PromiseWithResolvers<void> | null = null;
  /** Whether shares are looked at again after a while. */
  private willLook = false;

  constructor(bounds: SlotBounds, order: SlotOrder<R> = {}) {
    const { slots, each, alone = slots } = bounds;
    assert(each >= 1 && alone >= 1 && slots >= alone, "slots let each organization in");
    this.bounds = bounds;
    this.order = order;
  }

  /** Passes that are held. */
  get inUse(): number {
    return this.held;
  }

  /** Whether entries wait. */
  get isAwaited(): boolean {
    return !this.waiting.isEmpty;
  }

  /** A pass if a slot is free; null if the entry would have to wait. */
  tryEnter(organizationId: string): Pass | null {
    // Entries that waited because of a share of the loop may be let in by now.
    this.next();
    if (this.waiting.has(organizationId) || !this.hasSlot(organizationId)) return null;
    assert(
      ![...this.waiting.organizations].some((other) => this.hasOwnSlot(other)),
      "a free slot lets in who waits (FS-2)",
    );
    return this.take(organizationId);
  }

  /** Resolves with a pass, or with null if the entry was aborted or is not wanted any more. */
  enter(organizationId: string, { rank, signal, isWanted }: Entering<R> = {}): Promise<Pass | null> {
    if (signal?.aborted === true) return Promise.resolve(null);
    const free = this.tryEnter(organizationId);
    if (free !== null) return Promise.resolve(free);
    return new Promise((settle) => {
      const resolve = (pass: Pass | null): void => {
        signal?.removeEventListener("abort", leave);
        settle(pass);
      };
      const entry: WaitingForSlot<R> = { rank, isWanted, resolve };
      const leave = (): void => {
        this.waiting.remove(organizationId, entry);
        resolve(null);
      };
      signal?.addEventListener("abort", leave, { once: true });
      this.waiting.add(organizationId, entry, (other) => this.goesBefore(entry, other));
      this.lookLater();
    });
  }

  /** Resolves when nothing runs or waits. */
  rest(): Promise<void> {
    if (this.held === 0 && this.waiting.isEmpty) return Promise.resolve();
    this.idle ??= Promise.withResolvers();
    return this.idle.promise;
  }

  /** Whether FS-1 lets it in. */
  private hasSlot(organizationId: string): boolean {
    if (this.hasOwnSlot(organizationId)) return true;
    const isBoundByEach = this.bounds.alone === undefined || this.order.isOverShare?.(organizationId) === true;
    return !isBoundByEach && this.leavesSlots(organizationId);
  }

  /** Whether FS-1 lets it in, whatever its share of the event loop. */
  private hasOwnSlot(organizationId: string): boolean {
    return this.heldBy(organizationId) < this.bounds.each && this.leavesSlots(organizationId);
  }

  /** Whether enough slots are free for one that holds so many. */
  private leavesSlots(organizationId: string): boolean {
    const { slots, alone = slots } = this.bounds;
    return this.heldBy(organizationId) * (slots - alone) < (slots - this.held) * alone;
  }

  private heldBy(organizationId: string): number {
    return this.heldOf.get(organizationId) ?? 0;
  }

  private take(organizationId: string): Pass {
    this.count(organizationId, 1);
    return new Pass(() => {
      this.count(organizationId, -1);
      this.next();
      if (this.idle === null || this.held > 0 || !this.waiting.isEmpty) return;
      this.idle.resolve();
      this.idle = null;
    });
  }

  private count(organizationId: string, by: 1 | -1): void {
    this.held += by;
    const left = this.heldBy(organizationId) + by;
    assert(left >= 0 && this.held >= left, "an organization holds a part of the slots that are held");
    const { slots, each, alone = each } = this.bounds;
    assert(this.held <= slots && left <= alone, "no more slots are held than there are");
    if (left === 0) this.heldOf.delete(organizationId);
    else this.heldOf.set(organizationId, left);
  }

  private goesBefore({ rank: a }: WaitingForSlot<R>, { rank: b }: WaitingForSlot<R>): boolean {
    return a !== undefined && b !== undefined && this.order.goesBefore?.(a, b) === true;
  }

  /** Gives slots that are free to the entries whose turn it is. */
  private next(): void {
    for (let next = this.nextOrganization(); next !== null; next = this.nextOrganization()) {
      const entry = this.waiting.first(next);
      if (entry.isWanted?.() === false) {
        this.waiting.remove(next, entry);
        entry.resolve(null);
      } else {
        this.waiting.take(next);
        entry.resolve(this.take(next));
      }
    }
    this.lookLater();
  }

  /** While slots are free for entries that wait because of their share, shares are looked at again. */
  private lookLater(): void {
    const { later } = this.order;
    if (later === undefined || this.willLook) return;
    if (![...this.waiting.organizations].some((organizationId) => this.leavesSlots(organizationId))) return;
    this.willLook = true;
    later(() => {
      this.willLook = false;
      this.next();
    });
  }

  /** The first organization in turn that may have a slot and is within its share, else the first that may have one. */
  private nextOrganization(): string | null {
    let first: string | null = null;
    for (const organizationId of this.waiting.organizations) {
      if (!this.hasSlot(organizationId)) continue;
      if (this.order.isOverShare?.(organizationId) !== true) return organizationId;
      first ??= organizationId;
    }
    return first;
  }
}
