/**
 * What a request is counted for (RATE-1, RATE-3). A request with a valid token counts for the token, in the turn
 * group that verifies it. Any other counts for its address, in a traffic actor chosen by the address's hash.
 * `actors/traffic/windows.ts` does the counting.
 */
import type { Server } from "bun";
import { BoundedMap } from "../../../actors/bounded-map.ts";
import type { Fault } from "../../../actors/fault.ts";
import type { Clock } from "../../../actors/runtime/ports.ts";
import { RATE_BUDGET, RATE_WINDOW_MS, rateLimit } from "../../../actors/traffic/policy.ts";
import type { RateState } from "../../../actors/traffic/protocol.ts";
import { trafficRef } from "../../../actors/traffic/schema.ts";
import type { Ask } from "../../../actors/runtime/turns/members.ts";
import { ask, type TroupeSystem } from "../../../actors/troupe.ts";
import type { ClientAddresses } from "./client-address.ts";

/** All unverified requests of an address share one budget. */
const STRANGER = "stranger";
/** 128 bits of SHA-256: nobody finds two addresses with the same hash. */
const ADDRESS_HASH_CHARACTERS = 32;
const DEFAULT_LIMIT = rateLimit(RATE_BUDGET);

export interface RateLimitParts {
  readonly system: TroupeSystem;
  readonly clock: Pick<Clock, "now">;
  readonly addresses: ClientAddresses;
  /** Budgets of tokens per organization, if not the default; `*` is any organization. */
  readonly budgets: ReadonlyMap<string, number>;
}

/** Size of the cache of addresses without budget. */
const SPENT_ADDRESSES = 10_000;
/** When the last window ends that a request can count for: the clock of another replica may be a little ahead. */
const FURTHEST_RESET_MS = 2 * RATE_WINDOW_MS;

export class RateLimits {
  private readonly parts: RateLimitParts;
  /** Until when an address has used up its budget, as far as this process knows. */
  private readonly spentUntilMs = new BoundedMap<number>(SPENT_ADDRESSES);

  constructor(parts: RateLimitParts) {
    this.parts = parts;
  }

  /** The command that counts requests of a token, or of another identity of the organization. */
  ofToken(organizationId: string, identity: string, requests = 1): Ask<RateState> {
    const { budgets } = this.parts;
    const budget = budgets.get(organizationId) ?? budgets.get("*");
    const limit = budget === undefined ? DEFAULT_LIMIT : rateLimit(budget);
    return ask(trafficRef(organizationId), { kind: "admit_request", identity, limit, requests });
  }

  /** The request's address, as the text that it counts as. */
  addressOf(request: Request, server: Server<unknown> | null): string {
    return this.parts.addresses.of(request, server);
  }

  /** Counts a request for its address. If counting fails, its budget stays untouched. */
  async ofStranger(request: Request, server: Server<unknown> | null): Promise<RateState> {
    const address = this.addressOf(request, server);
    const organizationId = `adr_${Bun.SHA256.hash(address, "hex").slice(0, ADDRESS_HASH_CHARACTERS)}`;
    const command = { kind: "admit_request", identity: STRANGER, limit: DEFAULT_LIMIT } as const;
    const outcome = await this.parts.system.dispatch(trafficRef(organizationId), command);
    if (!outcome.ok) return this.untouched();
    if (!outcome.value.isAdmitted) this.spentUntilMs.set(address, outcome.value.resetAtMs);
    return outcome.value;
  }

  /** The request's address if it has used up its budget, else null. */
  spentAddress(request: Request, server: Server<unknown> | null): string | null {
    const address = this.parts.addresses.of(request, server);
    const leftMs = (this.spentUntilMs.get(address) ?? 0) - this.parts.clock.now();
    // If the clock has been set back, the time seems further away than any window ends.
    return leftMs > 0 && leftMs <= FURTHEST_RESET_MS ? address : null;
  }

  /** The state of an unused budget. */
  untouched(): RateState {
    const { budget } = DEFAULT_LIMIT;
    const window = Math.floor(this.parts.clock.now() / RATE_WINDOW_MS);
    return { isAdmitted: true, budget, remaining: budget, resetAtMs: (window + 1) * RATE_WINDOW_MS };
  }

  /** The refusal of the request, or null. */
  refusalOf({ isAdmitted, resetAtMs }: RateState): Fault | null {
    return isAdmitted ? null : { kind: "rate_limited", retryAfterMs: resetAtMs - this.parts.clock.now() };
  }
}
