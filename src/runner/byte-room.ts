/**
 * Room in memory that model calls share. Calls that need more than is free wait, first come, first served; but calls of
 * an organization that already has its part wait behind the others. A call that is larger than the limit gets room
 * while no other call holds any.
 */
import { assert } from "../../actors/assert.ts";
import { Pass } from "../../actors/fair-slots.ts";

interface WaitingForBytes {
  readonly organizationId: string;
  readonly bytes: number;
  readonly begin: () => void;
}

export class ByteRoom {
  private readonly limit: number;
  private readonly ofOrganization: number;
  private readonly held = new Map<string, number>();
  private waiting: WaitingForBytes[] = [];
  private total = 0;

  /** `limit`: bytes of all calls; `ofOrganization`: of one organization's. */
  constructor(limit: number, ofOrganization: number) {
    this.limit = limit;
    this.ofOrganization = ofOrganization;
  }

  /** Held bytes. */
  get used(): number {
    return this.total;
  }

  /** Resolves with the room, or with null if the signal aborts first. */
  enter(organizationId: string, bytes: number, signal: AbortSignal): Promise<Pass | null> {
    if (signal.aborted) return Promise.resolve(null);
    return new Promise((resolve) => {
      const stop = (): void => {
        this.waiting = this.waiting.filter((one) => one !== entry);
        resolve(null);
        this.next();
      };
      const entry: WaitingForBytes = {
        organizationId,
        bytes,
        begin: () => {
          signal.removeEventListener("abort", stop);
          resolve(this.take(organizationId, bytes));
        },
      };
      signal.addEventListener("abort", stop, { once: true });
      this.waiting.push(entry);
      this.next();
    });
  }

  private take(organizationId: string, bytes: number): Pass {
    this.count(organizationId, bytes);
    return new Pass(() => {
      this.count(organizationId, -bytes);
      this.next();
    });
  }

  private count(organizationId: string, bytes: number): void {
    const held = (this.held.get(organizationId) ?? 0) + bytes;
    if (held === 0) this.held.delete(organizationId);
    else this.held.set(organizationId, held);
    this.total += bytes;
    assert(held >= 0 && this.total >= held, "an organization holds a part of the room that is held");
  }

  private next(): void {
    for (const entry of this.waiting) {
      const held = this.held.get(entry.organizationId) ?? 0;
      if (held > 0 && held + entry.bytes > this.ofOrganization) continue;
      // The entries behind it wait too, else a large one would starve.
      if (this.total > 0 && this.total + entry.bytes > this.limit) return;
      this.waiting = this.waiting.filter((one) => one !== entry);
      entry.begin();
    }
  }
}
