/**
 * Bounds the cost of unknown tokens (RATE-7). Anybody can make up tokens with a valid checksum, and each must be
 * looked up once. While an address is within its budget, all of its tokens are looked up. After that:
 *
 *   a token that was recently unknown ▶ still unknown, without a lookup
 *   a token that is new here ───────▶ looked up, a few per second ──▶ past that: rate_limited
 *
 * So a valid token behind the same address is admitted, and a new token works at once, whichever replica made it:
 * nobody sends a token before it exists, so it is not cached as unknown, and cached entries are short-lived.
 */
import { BoundedMap } from "../../../actors/bounded-map.ts";
import type { Clock } from "../../../actors/runtime/ports.ts";
import { SECOND_MS } from "../../../actors/units.ts";

/** How long a token counts as unknown after its lookup. */
export const UNKNOWN_MS = 5_000;
/** Size of the cache of unknown tokens: about 2 MiB when full. */
export const REMEMBERED_UNKNOWN = 10_000;
/** Lookups per second for one address that has used up its budget. */
export const LOOK_UPS_PER_SECOND = 10;
/** Addresses whose lookups are counted at once. */
const ADDRESSES = 1_000;

/** Whether to look up a token for an address that has used up its budget. */
export type LookUp = "look_up" | "unknown" | "later";

interface Tally {
  readonly second: number;
  readonly count: number;
}

export class UnknownTokens {
  private readonly clock: Pick<Clock, "now">;
  private readonly untilMs = new BoundedMap<number>(REMEMBERED_UNKNOWN);
  private readonly tallies = new BoundedMap<Tally>(ADDRESSES);

  constructor(clock: Pick<Clock, "now">) {
    this.clock = clock;
  }

  /** The token was looked up and does not exist. */
  add(hash: string): void {
    this.untilMs.set(hash, this.clock.now() + UNKNOWN_MS);
  }

  /** What to do with a token from an address that has used up its budget; counts a lookup. */
  ask(hash: string, address: string): LookUp {
    const now = this.clock.now();
    if ((this.untilMs.get(hash) ?? 0) > now) return "unknown";
    const second = Math.floor(now / SECOND_MS);
    const tally = this.tallies.get(address);
    const count = tally?.second === second ? tally.count : 0;
    if (count >= LOOK_UPS_PER_SECOND) return "later";
    this.tallies.set(address, { second, count: count + 1 });
    return "look_up";
  }
}
