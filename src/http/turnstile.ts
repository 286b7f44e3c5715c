/**
 * Lets requests in: says who asks, and counts each for somebody (RATE-3, RATE-4).
 *
 *   a good token ──▶ counts for the token ──▶ in, or rate_limited
 *   a bad one, or none ──▶ counts for the address ──▶ refused: rate_limited when the address has used up
 *                                                     its budget, else for what is wrong with the token
 *
 * Where a surface has no limits, only what is refused for its token is counted. What an address has used
 * up keeps no good token out: many share an address, and nobody finds a token by trying.
 */
import type { Server } from "bun";
import { type Fault, ok, type Outcome, refuse } from "../../actors/fault.ts";
import type { Principal } from "../../actors/organization/principal.ts";
import type { RateState } from "../../actors/traffic/protocol.ts";
import type { Authentication, Verified } from "./authentication.ts";
import type { Exchange } from "./exchange.ts";
import type { RateLimits } from "./rate-limits.ts";
import { type Soon, soon } from "./soon.ts";

type Peer = Server<unknown> | null;

export interface TurnstileParts {
  readonly authentication: Authentication;
  readonly limits: RateLimits;
  /** Whether every request of the surface counts, and every response tells of it. */
  readonly isCounting: boolean;
}

export class Turnstile {
  private readonly parts: TurnstileParts;

  constructor(parts: TurnstileParts) {
    this.parts = parts;
  }

  /** The request's principal, when it may go on. */
  principalOf(exchange: Exchange, server: Peer): Soon<Outcome<Principal>> {
    const { authentication, isCounting } = this.parts;
    return soon(authentication.verify(exchange.request, isCounting), (verified) =>
      verified.ok ? this.admitted(exchange, verified.value) : this.refused(exchange, server, verified.fault),
    );
  }

  private admitted(exchange: Exchange, { principal, rate }: Verified): Outcome<Principal> {
    exchange.organizationId = principal.organizationId;
    if (rate === null) return ok(principal);
    exchange.rate = rate;
    const fault = this.parts.limits.refusalOf(rate);
    return fault === null ? ok(principal) : refuse(fault);
  }

  /** Counts a request that is for no operation, so that anybody may send it; `rate_limited` or null. */
  async count(exchange: Exchange, server: Peer): Promise<Fault | null> {
    if (!this.parts.isCounting) return null;
    if (!exchange.request.headers.has("authorization")) return this.countStranger(exchange, server);
    const principal = await this.principalOf(exchange, server);
    return !principal.ok && principal.fault.kind === "rate_limited" ? principal.fault : null;
  }

  /** Counts a request whose headers are not to be trusted. */
  async countStranger(exchange: Exchange, server: Peer): Promise<Fault | null> {
    const { isCounting } = this.parts;
    return isCounting ? this.tell(exchange, await this.parts.limits.ofStranger(exchange.request, server)) : null;
  }

  /** What is told where nothing has been counted. */
  leaveOut(exchange: Exchange): void {
    if (this.parts.isCounting) exchange.rate ??= this.parts.limits.untouched();
  }

  /** Nobody is verified: because of the token, or because the service cannot do it now. */
  private async refused(exchange: Exchange, server: Peer, fault: Fault): Promise<Outcome<never>> {
    const { limits, isCounting } = this.parts;
    if (fault.kind !== "unauthenticated" && fault.kind !== "token_expired") return refuse(fault);
    const state = await limits.ofStranger(exchange.request, server);
    return refuse((isCounting ? this.tell(exchange, state) : limits.refusalOf(state)) ?? fault);
  }

  private tell(exchange: Exchange, state: RateState): Fault | null {
    exchange.rate = state;
    return this.parts.limits.refusalOf(state);
  }
}
