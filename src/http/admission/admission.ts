/**
 * Admits requests: authenticates each one and counts it (RATE-3, RATE-4).
 *
 *   a good token or session ──▶ counts for it ──▶ in, or rate_limited
 *   a good signed address ──▶ counts for the pages of its token ──▶ in, or rate_limited
 *   a bad one, or none ──▶ counts for the remote address ──▶ refused: rate_limited when the address has used up
 *                                                            its budget, else for what is wrong
 *
 * On a surface without limits, only requests with bad tokens are counted. A valid token is admitted even if its
 * address has used up its budget: many clients share an address, and nobody finds a token by guessing.
 */
import type { Server } from "bun";
import { type Fault, isPassing, ok, type Outcome, refuse } from "../../../actors/fault.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import { organizationRef } from "../../../actors/organization/schema.ts";
import type { RateState } from "../../../actors/traffic/protocol.ts";
import { ask, type TroupeSystem } from "../../../actors/troupe.ts";
import type { Authentication, AcceptedCredentials, Verified } from "./authentication.ts";
import { type Exchange, rawPath } from "../request/exchange.ts";
import type { ProtectiveLimit } from "./protective-limit.ts";
import type { Bearer } from "../stream/open-streams.ts";
import type { RateLimits } from "./rate-limits.ts";
import { type SigningParts, subjectOf } from "./signed-address.ts";
import { type MaybePromise, whenReady } from "../../../actors/maybe-promise.ts";

export type ReceivingServer = Server<unknown> | null;

export interface AdmissionParts extends SigningParts {
  readonly system: TroupeSystem;
  readonly authentication: Authentication;
  readonly limits: RateLimits;
  /** Whether all requests of the surface are counted, and all responses have the headers of the limits. */
  readonly isCounting: boolean;
  /** The flood protection of a surface that does not count requests. */
  readonly protection?: ProtectiveLimit;
  /** Whether a browser session is accepted if there is no token. */
  readonly takesSessions: boolean;
  /** The path of the resource that tokens of programs must be issued for; null: none is accepted. */
  readonly resource: string | null;
}

/** Refusals that count against the caller's address. */
const OF_STRANGERS: ReadonlySet<Fault["kind"]> = new Set([
  "unauthenticated",
  "token_expired",
  "invalid_signature",
  "rate_limited",
  "forbidden",
]);

export class Admission {
  private readonly parts: AdmissionParts;
  private readonly verification: AcceptedCredentials;

  constructor(parts: AdmissionParts) {
    this.parts = parts;
    const { isCounting: isCounted, takesSessions, resource } = parts;
    this.verification = { isCounted, takesSessions, resource };
  }

  /** The request's principal, if the request is admitted. */
  principalOf(exchange: Exchange, server: ReceivingServer): MaybePromise<Outcome<Principal>> {
    const { authentication } = this.parts;
    return whenReady(authentication.verify(exchange, this.verification), (verified) =>
      verified.ok ? this.admitted(exchange, verified.value) : this.refused(exchange, server, verified.fault),
    );
  }

  /** The bearer that the request claims, before verification; null if unknown. */
  bearerOf(exchange: Exchange, isSigned: boolean): MaybePromise<Bearer | null> {
    const { request, search } = exchange;
    if (!isSigned) return this.parts.authentication.bearerOf(exchange, this.verification);
    return subjectOf(this.parts, rawPath(request.url), search);
  }

  /**
   * The principal of a request with a signed address. The address grants access to its own target and no scope.
   * Every invalid address gets the same refusal.
   */
  async subjectOf(exchange: Exchange, server: ReceivingServer): Promise<Outcome<Principal>> {
    const { request, search } = exchange;
    // Only GET addresses are signed.
    const subject = request.method === "GET" ? subjectOf(this.parts, rawPath(request.url), search) : null;
    if (subject === null) return this.refused(exchange, server, { kind: "invalid_signature" });
    const { organizationId, tokenId } = subject;
    const asked = await this.parts.system.dispatchGroup([
      ask(organizationRef(organizationId), { kind: "confirm_token", tokenId }),
      // The pages with signed addresses of a token have a budget of their own.
      this.parts.limits.ofToken(organizationId, `pages.${tokenId}`),
    ]);
    if (!asked.ok) {
      return isPassing(asked.fault) ? asked : this.refused(exchange, server, { kind: "invalid_signature" });
    }
    const principal: Principal = { ...subject, role: "member", tokenKind: "personal", scopes: [], expiresAt: "" };
    return this.admitted(exchange, { principal, rate: asked.value[1] });
  }

  private admitted(exchange: Exchange, { principal, rate }: Verified): Outcome<Principal> {
    exchange.organizationId = principal.organizationId;
    if (rate === null) {
      const flood = this.parts.protection?.count(principal.organizationId) ?? null;
      return flood === null ? ok(principal) : refuse(flood);
    }
    exchange.rate = rate;
    const fault = this.parts.limits.refusalOf(rate);
    return fault === null ? ok(principal) : refuse(fault);
  }

  /** Counts the messages of an admitted request beyond its first one: all are admitted, or none. */
  async countMore(exchange: Exchange, requests: number): Promise<Outcome<null>> {
    const { system, limits, protection, isCounting } = this.parts;
    const { organizationId, tokenId } = exchange.principal;
    if (!isCounting) {
      const flood = protection?.count(organizationId, requests) ?? null;
      return flood === null ? ok(null) : refuse(flood);
    }
    const counted = await system.dispatchGroup([limits.ofToken(organizationId, tokenId, requests)]);
    if (!counted.ok) return counted;
    const fault = this.tell(exchange, counted.value[0]);
    return fault === null ? ok(null) : refuse(fault);
  }

  /** Counts a request that matches no operation, and so needs no authentication; `rate_limited` or null. */
  async count(exchange: Exchange, server: ReceivingServer): Promise<Fault | null> {
    if (!this.parts.isCounting) return null;
    const { headers } = exchange.request;
    const mayBeKnown = headers.has("authorization") || (this.parts.takesSessions && headers.has("cookie"));
    if (!mayBeKnown) return this.countStranger(exchange, server);
    const principal = await this.principalOf(exchange, server);
    return !principal.ok && principal.fault.kind === "rate_limited" ? principal.fault : null;
  }

  /** Counts a request whose credentials must not be trusted. */
  async countStranger(exchange: Exchange, server: ReceivingServer): Promise<Fault | null> {
    const { isCounting } = this.parts;
    return isCounting ? this.tell(exchange, await this.parts.limits.ofStranger(exchange.request, server)) : null;
  }

  /** The state for the headers if nothing was counted. */
  leaveOut(exchange: Exchange): void {
    if (this.parts.isCounting) exchange.rate ??= this.parts.limits.untouched();
  }

  /** Verification failed: because of the token, or because the service cannot verify now. */
  private async refused(exchange: Exchange, server: ReceivingServer, fault: Fault): Promise<Outcome<never>> {
    const { limits, isCounting } = this.parts;
    if (!OF_STRANGERS.has(fault.kind)) return refuse(fault);
    const state = await limits.ofStranger(exchange.request, server);
    return refuse((isCounting ? this.tell(exchange, state) : limits.refusalOf(state)) ?? fault);
  }

  private tell(exchange: Exchange, state: RateState): Fault | null {
    exchange.rate = state;
    return this.parts.limits.refusalOf(state);
  }
}
