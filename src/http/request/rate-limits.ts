/**
 * Who is counted for a request (RATE-1, RATE-3). One with a good token counts for the token, in the
 * turn group that verifies it. Any other counts for its address, in a traffic actor that belongs to the
 * address's hash. How it is counted is `actors/traffic/windows.ts`.
 */
import type { Server } from "bun";
import { BoundedMap } from "../../../actors/bounded-map.ts";
import type { Fault } from "../../../actors/fault.ts";
import type { Clock } from "../../../actors/runtime/clock.ts";
import { RATE_BUDGET, RATE_WINDOW_MS, rateLimit } from "../../../actors/traffic/policy.ts";
import type { RateState } from "../../../actors/traffic/protocol.ts";
import { trafficRef } from "../../../actors/traffic/schema.ts";
import type { Ask } from "../../../actors/runtime/members.ts";
import { ask, type TroupeSystem } from "../../../actors/troupe.ts";
import type { ClientAddresses } from "./client-address.ts";

/** Of an address there is one budget for everything that is not verified. */
const STRANGER = "stranger";
/** What stands before a token's id where its signed addresses are counted. */
const PAGES = "pages.";
/** 128 bits of SHA-256: nobody finds two addresses with one hash. */
const HASH_CHARACTERS = 32;
const DEFAULT_LIMIT = rateLimit(RATE_BUDGET);

export interface RateLimitParts {
  readonly system: TroupeSystem;
  readonly clock: Pick<Clock, "now">;
  readonly addresses: ClientAddresses;
  /** Budgets of tokens by their organization, where they are not the default; `*` is any organization. */
  readonly budgets: ReadonlyMap<string, number>;
}

/** Addresses that are remembered to have used up their budget. */
const SPENT_ADDRESSES = 10_000;

export class RateLimits {
  private readonly parts: RateLimitParts;
  /** Until when an address has used up its budget, as far as this process knows. */
  private readonly spentUntilMs = new BoundedMap<number>(SPENT_ADDRESSES);

  constructor(parts: RateLimitParts) {
    this.parts = parts;
  }

  /** What counts a request of a token. */
  ofToken(organizationId: string, tokenId: string): Ask<RateState> {
    return this.ofIdentity(organizationId, tokenId);
  }

  /** The same for pages that have signed addresses of the token: what they use up is not taken from the token. */
  ofPages(organizationId: string, tokenId: string): Ask<RateState> {
    return this.ofIdentity(organizationId, `${PAGES}${tokenId}`);
  }

  private ofIdentity(organizationId: string, identity: string): Ask<RateState> {
    const { budgets } = this.parts;
    const budget = budgets.get(organizationId) ?? budgets.get("*");
    const limit = budget === undefined ? DEFAULT_LIMIT : rateLimit(budget);
    return ask(trafficRef(organizationId), { kind: "admit_request", identity, limit });
  }

  /** Where a request comes from, as a text that is the same for all that count as one. */
  addressOf(request: Request, server: Server<unknown> | null): string {
    return this.parts.addresses.of(request, server);
  }

  /** Counts a request for its address. Where it cannot be counted, nothing is taken from its budget. */
  async ofStranger(request: Request, server: Server<unknown> | null): Promise<RateState> {
    const address = this.addressOf(request, server);
    const organizationId = `adr_${Bun.SHA256.hash(address, "hex").slice(0, HASH_CHARACTERS)}`;
    const command = { kind: "admit_request", identity: STRANGER, limit: DEFAULT_LIMIT } as const;
    const outcome = await this.parts.system.dispatch(trafficRef(organizationId), command);
    if (!outcome.ok) return this.untouched();
    if (!outcome.value.isAdmitted) this.spentUntilMs.set(address, outcome.value.resetAtMs);
    return outcome.value;
  }

  /** The address of a request whose address has used up its budget; null where it has not. */
  spentAddress(request: Request, server: Server<unknown> | null): string | null {
    const address = this.parts.addresses.of(request, server);
    return (this.spentUntilMs.get(address) ?? 0) > this.parts.clock.now() ? address : null;
  }

  /** The state of a budget of which nothing is known. */
  untouched(): RateState {
    const { budget } = DEFAULT_LIMIT;
    const window = Math.floor(this.parts.clock.now() / RATE_WINDOW_MS);
    return { isAdmitted: true, budget, remaining: budget, resetAtMs: (window + 1) * RATE_WINDOW_MS };
  }

  /** Why a request goes no further, or null. */
  refusalOf({ isAdmitted, resetAtMs }: RateState): Fault | null {
    return isAdmitted ? null : { kind: "rate_limited", retryAfterMs: resetAtMs - this.parts.clock.now() };
  }
}
