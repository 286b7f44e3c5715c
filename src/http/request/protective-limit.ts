/**
 * What keeps a surface without rate limits from being flooded (RATE-8): the requests of each organization in a
 * minute, far above what an honest client sends. Each process counts in memory; an organization is served by one.
 */
import type { Fault } from "../../../actors/fault.ts";
import type { Clock } from "../../../actors/runtime/clock.ts";
import { RATE_WINDOW_MS } from "../../../actors/traffic/policy.ts";

export class ProtectiveLimit {
  private readonly clock: Pick<Clock, "now">;
  private readonly most: number;
  private window = 0;
  private counts = new Map<string, number>();

  /** `most` requests in a window; 0: any number. */
  constructor(clock: Pick<Clock, "now">, most: number) {
    this.clock = clock;
    this.most = most;
  }

  /** Counts a request; why it goes no further, or null. */
  count(organizationId: string): Fault | null {
    if (this.most === 0) return null;
    const now = this.clock.now();
    const window = Math.floor(now / RATE_WINDOW_MS);
    if (window !== this.window) {
      this.window = window;
      this.counts = new Map();
    }
    const count = this.counts.get(organizationId) ?? 0;
    if (count >= this.most) return { kind: "rate_limited", retryAfterMs: (window + 1) * RATE_WINDOW_MS - now };
    this.counts.set(organizationId, count + 1);
    return null;
  }
}
