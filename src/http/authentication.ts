/**
 * Who sends a request: the bearer of a token (AUTH-1, AUTH-6, AUTH-7). The token's organization is
 * looked up once and remembered, because that never changes; whether the token still counts is
 * asked of the organization's actor each time, so a revocation holds from the next request on.
 * Unknown tokens are never remembered: one may exist a moment later.
 */
import { type Outcome, refuse } from "../../actors/fault.ts";
import type { Directory } from "../../actors/organization/directory.ts";
import type { OrganizationReplies } from "../../actors/organization/protocol.ts";
import type { Principal } from "../../actors/organization/principal.ts";
import { organizationRef } from "../../actors/organization/schema.ts";
import type { Member } from "../../actors/runtime/turns.ts";
import type { RateState } from "../../actors/traffic/protocol.ts";
import type { TroupeSystem } from "../../actors/troupe.ts";
import { BoundedMap } from "./bounded-map.ts";
import type { HttpLog } from "./log.ts";
import { lookUp } from "./look-up.ts";
import type { RateLimits } from "./rate-limits.ts";
import { type Soon, soon } from "./soon.ts";
import { checkToken } from "./token.ts";

/** Tokens whose organization is remembered: about 5 MiB when full. */
export const REMEMBERED_TOKENS = 10_000;
const BEARER = /^bearer +(\S+) *$/i;

export interface AuthenticationParts {
  readonly system: TroupeSystem;
  readonly directory: Pick<Directory, "findToken">;
  readonly limits: Pick<RateLimits, "ofToken">;
  readonly log: HttpLog;
}

interface TokenOwner {
  readonly organizationId: string;
  readonly tokenId: string;
}

interface TokenPlace extends TokenOwner {
  /** What is asked for each request of the token: who it is, and with the second one whether it is admitted. */
  readonly verify: readonly Member[];
  readonly verifyAndCount: readonly Member[];
}

/** A good token. */
export interface Verified {
  readonly principal: Principal;
  /** Null where the request was not counted. */
  readonly rate: RateState | null;
}

export class Authentication {
  private readonly parts: AuthenticationParts;
  private readonly places = new BoundedMap<TokenPlace>(REMEMBERED_TOKENS);

  constructor(parts: AuthenticationParts) {
    this.parts = parts;
  }

  /** The bearer of the request's token; refuses `unauthenticated`, `token_expired` or `unavailable`. */
  verify(request: Request, isCounted: boolean): Soon<Outcome<Verified>> {
    const secret = bearerOf(request.headers.get("authorization"));
    if (secret === null) return unauthenticated("no bearer token");
    const hash = checkToken(secret);
    if (hash === null) return unauthenticated("malformed token");
    const place = this.places.get(hash);
    return place === undefined ? this.find(hash, isCounted) : this.ask(place, isCounted);
  }

  /** A token that is shown for the first time. */
  private async find(hash: string, isCounted: boolean): Promise<Outcome<Verified>> {
    const found = await lookUp(this.parts.log, this.parts.directory.findToken(hash));
    if (!found.ok) return found;
    if (found.value === null) return unauthenticated("unknown token");
    const place = this.placeOf(found.value, hash);
    this.places.set(hash, place);
    return this.ask(place, isCounted);
  }

  private ask(place: TokenPlace, isCounted: boolean): Soon<Outcome<Verified>> {
    return soon(this.parts.system.promptly(isCounted ? place.verifyAndCount : place.verify), (outcome) => {
      if (!outcome.ok) return outcome;
      const [{ principal, isStale }, rate] = outcome.value as readonly [
        OrganizationReplies["authenticate"],
        RateState?,
      ];
      if (isStale) this.touch(place);
      return { ok: true, value: { principal, rate: rate ?? null } };
    });
  }

  /** The same commands for each request of a token, made once. */
  private placeOf({ organizationId, tokenId }: TokenOwner, hash: string): TokenPlace {
    const verify = { ref: organizationRef(organizationId), command: { kind: "authenticate", tokenId, hash } };
    const count = this.parts.limits.ofToken(organizationId, tokenId);
    return { organizationId, tokenId, verify: [verify], verifyAndCount: [verify, count] };
  }

  /** Notes the use; the request does not wait for it and does not fail with it. */
  private touch({ organizationId, tokenId }: TokenPlace): void {
    this.parts.system
      .dispatch(organizationRef(organizationId), { kind: "touch_token", tokenId })
      .catch((err: unknown) => this.parts.log.error({ err, tokenId }, "a token's use could not be noted"));
  }
}

const unauthenticated = (reason: string): Outcome<never> => refuse({ kind: "unauthenticated", reason });

/** The token of an `Authorization` header; the scheme's case does not matter (RFC 9110). */
export function bearerOf(header: string | null): string | null {
  if (header === null) return null;
  return header.startsWith("Bearer ") && header.indexOf(" ", 7) === -1
    ? header.slice(7)
    : (BEARER.exec(header)?.[1] ?? null);
}
