/**
 * Flood protection for a surface without rate limits (RATE-8): a limit on each organization's requests per minute,
 * far above what honest clients send. Each process counts in memory; one process serves an organization.
 */
import type { Fault } from "../../../actors/fault.ts";
import type { Clock } from "../../../actors/runtime/ports.ts";
import { RATE_WINDOW_MS } from "../../../actors/traffic/policy.ts";

export class ProtectiveLimit {
  private readonly clock: Pick<Clock, "now">;
  private readonly most: number;
  private window = 0;
  private counts = new Map<string, number>();

  /** `most` requests per window; 0: unlimited. */
  constructor(clock: Pick<Clock, "now">, most: number) {
    this.clock = clock;
    this.most = most;
  }

  /** Counts requests that come together; returns their refusal, or null. */
  count(organizationId: string, requests = 1): Fault | null {
    if (this.most === 0) return null;
    const now = this.clock.now();
    const window = Math.floor(now / RATE_WINDOW_MS);
    if (window !== this.window) {
      this.window = window;
      this.counts = new Map();
    }
    const count = (this.counts.get(organizationId) ?? 0) + requests;
    if (count > this.most) return { kind: "rate_limited", retryAfterMs: (window + 1) * RATE_WINDOW_MS - now };
    this.counts.set(organizationId, count);
    return null;
  }
}
