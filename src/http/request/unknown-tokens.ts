/**
 * What tokens that nobody has cost (RATE-7). Anybody can make up tokens with a good checksum, and each has to be
 * looked up once. An address within its budget has every one looked up. One that has used it up has
 *
 *   a token that was just unknown ──▶ unknown still, without a look-up
 *   a token that is new here ───────▶ looked up, a few in each second ──▶ past that: rate_limited
 *
 * so that a good token behind the same address gets in, and a new one counts at once, whichever replica made it:
 * nobody sends a token before it is made, so none is remembered as unknown, and what is remembered is short-lived.
 */
import { BoundedMap } from "../../../actors/bounded-map.ts";
import type { Clock } from "../../../actors/runtime/clock.ts";

/** How long a token counts as unknown after its look-up. */
export const UNKNOWN_MS = 5_000;
/** Tokens that are remembered as unknown: about 2 MiB when full. */
export const REMEMBERED_UNKNOWN = 10_000;
/** Look-ups in a second for one address that has used up its budget. */
export const LOOK_UPS_PER_SECOND = 10;
/** Addresses whose look-ups are counted at once. */
const ADDRESSES = 1_000;
const SECOND_MS = 1_000;

/** Whether a token is looked up for an address that has used up its budget. */
export type Answer = "look_up" | "unknown" | "later";

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

  /** The token was looked up, and nobody has it. */
  add(hash: string): void {
    this.untilMs.set(hash, this.clock.now() + UNKNOWN_MS);
  }

  /** What becomes of a token from an address that has used up its budget; counts a look-up. */
  ask(hash: string, address: string): Answer {
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
