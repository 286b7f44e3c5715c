/**
 * Who is counted for a request (RATE-1, RATE-3). One with a good token counts for the token, in the
 * turn group that verifies it. Any other counts for its address, in a traffic actor that belongs to the
 * address's hash. How it is counted is `actors/traffic/windows.ts`.
 */
import type { Server } from "bun";
import type { Fault } from "../../actors/fault.ts";
import type { Clock } from "../../actors/runtime/clock.ts";
import { RATE_BUDGET, RATE_WINDOW_MS, rateLimit } from "../../actors/traffic/policy.ts";
import type { RateState } from "../../actors/traffic/protocol.ts";
import { trafficRef } from "../../actors/traffic/schema.ts";
import { type Ask, ask, type TroupeSystem } from "../../actors/troupe.ts";
import type { ClientAddresses } from "./client-address.ts";

/** Of an address there is one budget for everything that is not verified. */
const STRANGER = "stranger";
/** 128 bits of SHA-256: nobody finds two addresses with one hash. */
const HASH_CHARACTERS = 32;
const USUAL = rateLimit(RATE_BUDGET);

export interface RateLimitParts {
  readonly system: TroupeSystem;
  readonly clock: Pick<Clock, "now">;
  readonly addresses: ClientAddresses;
  /** Budgets of tokens by their organization, where they are not the usual one; `*` is any organization. */
  readonly budgets: ReadonlyMap<string, number>;
}

export class RateLimits {
  private readonly parts: RateLimitParts;

  constructor(parts: RateLimitParts) {
    this.parts = parts;
  }

  /** What counts a request of a token. */
  ofToken(organizationId: string, tokenId: string): Ask<RateState> {
    const { budgets } = this.parts;
    const budget = budgets.get(organizationId) ?? budgets.get("*");
    const limit = budget === undefined ? USUAL : rateLimit(budget);
    return ask(trafficRef(organizationId), { kind: "admit_request", identity: tokenId, limit });
  }

  /** Counts a request for its address. Where it cannot be counted, nothing is taken from its budget. */
  async ofStranger(request: Request, server: Server<unknown> | null): Promise<RateState> {
    const address = this.parts.addresses.of(request, server);
    const organizationId = `adr_${Bun.SHA256.hash(address, "hex").slice(0, HASH_CHARACTERS)}`;
    const command = { kind: "admit_request", identity: STRANGER, limit: USUAL } as const;
    const outcome = await this.parts.system.dispatch(trafficRef(organizationId), command);
    return outcome.ok ? outcome.value : this.untouched();
  }

  /** The state of a budget of which nothing is known. */
  untouched(): RateState {
    const { budget } = USUAL;
    const window = Math.floor(this.parts.clock.now() / RATE_WINDOW_MS);
    return { isAdmitted: true, budget, remaining: budget, resetAtMs: (window + 1) * RATE_WINDOW_MS };
  }

  /** Why a request goes no further, or null. */
  refusalOf({ isAdmitted, resetAtMs }: RateState): Fault | null {
    return isAdmitted ? null : { kind: "rate_limited", retryAfterMs: resetAtMs - this.parts.clock.now() };
  }
}
