/**
 * Who sends a request: the bearer of a token (AUTH-1, AUTH-6, AUTH-7), or a signed-in browser, whose session is a
 * token in a cookie (AUTH-13). The token's organization is looked up once and cached, because it never changes.
 * Whether the token is still valid is asked of the organization's actor each time, so a revocation takes effect with
 * the next request. `unknown-tokens.ts` bounds the cost of unknown tokens per address.
 */
import type { Server } from "bun";
import { type Outcome, refuse } from "../../../actors/fault.ts";
import type { Directory } from "../../../actors/organization/directory.ts";
import type { OrganizationReplies } from "../../../actors/organization/protocol.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import { organizationRef } from "../../../actors/organization/schema.ts";
import type { Clock } from "../../../actors/runtime/ports.ts";
import { type KeptAsk, keptAsk } from "../../../actors/runtime/turns/kept-reply.ts";
import type { Ask } from "../../../actors/runtime/turns/members.ts";
import type { RateState } from "../../../actors/traffic/protocol.ts";
import { ask, type TroupeSystem } from "../../../actors/troupe.ts";
import { BoundedMap } from "../../../actors/bounded-map.ts";
import type { HttpLog } from "../../log/port.ts";
import { lookUp } from "../../log/look-up.ts";
import type { RateLimits } from "./rate-limits.ts";
import { type MaybePromise, whenReady } from "../../../actors/maybe-promise.ts";
import { isSafe, isSameOrigin } from "./same-origin.ts";
import { SESSION_PREFIX, sessionIn } from "./session-cookie.ts";
import { hashToFind, isToken } from "./token.ts";
import { UnknownTokens } from "./unknown-tokens.ts";
import type { Bearer } from "../stream/open-streams.ts";

/** Size of the cache of tokens' organizations: about 5 MiB when full. */
export const REMEMBERED_TOKENS = 10_000;
const BEARER = /^bearer +(\S+) *$/i;

export interface AuthenticationParts {
  readonly system: TroupeSystem;
  readonly directory: Pick<Directory, "findToken">;
  readonly limits: Pick<RateLimits, "ofToken" | "spentAddress" | "addressOf">;
  readonly clock: Pick<Clock, "now">;
  readonly log: HttpLog;
  /** The address at which browsers reach the service. */
  readonly appUrl: () => string;
}

/** A request, and the server that received it. */
export interface AskingRequest {
  readonly request: Request;
  readonly server: Server<unknown> | null;
}

/** What a surface accepts as authentication. */
export interface AcceptedCredentials {
  readonly isCounted: boolean;
  /** Whether a browser session is accepted if there is no token. */
  readonly takesSessions: boolean;
  /** The path of the resource that tokens of programs must be issued for (RFC 8707); null: none is accepted. */
  readonly resource: string | null;
}

interface TokenPlace extends Bearer {
  /** Asked for each request with the token: who the bearer is, and whether the request is within its limits. */
  readonly verify: KeptAsk<OrganizationReplies["authenticate"]>;
  readonly count: readonly [Ask<RateState>];
}

/** A verified token. */
export interface Verified {
  readonly principal: Principal;
  /** Null if the request was not counted. */
  readonly rate: RateState | null;
}

export class Authentication {
  private readonly parts: AuthenticationParts;
  private readonly places = new BoundedMap<TokenPlace>(REMEMBERED_TOKENS);
  private readonly unknown: UnknownTokens;

  constructor(parts: AuthenticationParts) {
    this.parts = parts;
    this.unknown = new UnknownTokens(parts.clock);
  }

  /** The bearer of the request's token; refuses `refuseUnauthenticated`, `token_expired`, `rate_limited` or `unavailable`. */
  verify(asking: AskingRequest, how: AcceptedCredentials): MaybePromise<Outcome<Verified>> {
    const { headers } = asking.request;
    const header = headers.get("authorization");
    if (isWithoutToken(header) && how.takesSessions) return this.verifySession(asking, how);
    const secret = bearerOf(header);
    if (secret === null) return refuseUnauthenticated("no bearer token");
    if (secret.startsWith(SESSION_PREFIX)) return refuseUnauthenticated("a session is not a bearer token");
    return this.verifySecret(asking, secret, how);
  }

  /** The signed-in browser of the request; changes must come from a page of ours (AUTH-15). */
  verifySession(asking: AskingRequest, how: AcceptedCredentials): MaybePromise<Outcome<Verified>> {
    const { request } = asking;
    const appUrl = this.parts.appUrl();
    const secret = sessionIn(request.headers.get("cookie"), appUrl);
    if (secret === null) return refuseUnauthenticated("no bearer token and no session");
    if (!secret.startsWith(SESSION_PREFIX)) return refuseUnauthenticated("a cookie holds nothing but a session");
    if (!isSafe(request.method) && !isSameOrigin(request, appUrl)) return FOREIGN_PAGE;
    return this.verifySecret(asking, secret, how);
  }

  /** The token or session of the request, valid or not, and its organization; null if there is none. */
  bearerOf({ request, server }: AskingRequest, how: AcceptedCredentials): MaybePromise<Bearer | null> {
    const header = request.headers.get("authorization");
    const secret =
      isWithoutToken(header) && how.takesSessions
        ? sessionIn(request.headers.get("cookie"), this.parts.appUrl())
        : bearerOf(header);
    const hash = secret === null ? null : hashToFind(secret);
    if (secret === null || hash === null) return null;
    const place = this.places.get(hash);
    if (place !== undefined) return place;
    if (!isToken(secret)) return null;
    // Verification will report the fault, and bound the cost.
    return this.parts.limits.spentAddress(request, server) === null ? this.ownerOf(hash) : null;
  }

  private async ownerOf(hash: string): Promise<Bearer | null> {
    const found = await lookUp(this.parts.log, this.parts.directory.findToken(hash));
    if (!found.ok || found.value === null) return null;
    this.places.set(hash, this.placeOf(found.value, hash));
    return found.value;
  }

  private verifySecret(
    asking: AskingRequest,
    secret: string,
    how: AcceptedCredentials,
  ): MaybePromise<Outcome<Verified>> {
    const hash = hashToFind(secret);
    const place = hash === null ? undefined : this.places.get(hash);
    if (place !== undefined) return this.ask(asking, place, how);
    if (hash === null || !isToken(secret)) return refuseUnauthenticated("malformed token");
    const address = this.parts.limits.spentAddress(asking.request, asking.server);
    const answer = address === null ? "look_up" : this.unknown.ask(hash, address);
    if (answer === "unknown") return refuseUnauthenticated("unknown token");
    return answer === "later" ? LATER : this.find(asking, hash, how);
  }

  /** Verifies a token that is not in the cache. */
  private async find(asking: AskingRequest, hash: string, how: AcceptedCredentials): Promise<Outcome<Verified>> {
    const found = await lookUp(this.parts.log, this.parts.directory.findToken(hash));
    if (!found.ok) return found;
    if (found.value === null) {
      this.unknown.add(hash);
      return refuseUnauthenticated("unknown token");
    }
    const place = this.placeOf(found.value, hash);
    this.places.set(hash, place);
    return this.ask(asking, place, how);
  }

  private ask(
    asking: AskingRequest,
    place: TokenPlace,
    { isCounted, resource }: AcceptedCredentials,
  ): MaybePromise<Outcome<Verified>> {
    const answer = (
      { principal, isStale, audience }: OrganizationReplies["authenticate"],
      rate: RateState | null,
    ): Outcome<Verified> => {
      if (audience !== null && (resource === null || audience !== this.parts.appUrl() + resource))
        return refuseUnauthenticated("the token is for another resource");
      if (isStale) this.touch(asking, place);
      return { ok: true, value: { principal, rate } };
    };
    const { system } = this.parts;
    return whenReady(system.dispatchKept(place.verify), (verified) => {
      if (!verified.ok) return verified;
      if (!isCounted) return answer(verified.value, null);
      return whenReady(system.dispatchSync(place.count), (counted) =>
        counted.ok ? answer(verified.value, counted.value[0]) : counted,
      );
    });
  }

  /** Builds the commands for a token once, because they are the same for each of its requests. */
  private placeOf({ organizationId, tokenId }: Bearer, hash: string): TokenPlace {
    const verify = ask(organizationRef(organizationId), { kind: "authenticate", tokenId, hash });
    const count = this.parts.limits.ofToken(organizationId, tokenId);
    return { organizationId, tokenId, verify: keptAsk(verify, `authenticate ${tokenId} ${hash}`), count: [count] };
  }

  /** Records the use; the request neither waits for it nor fails with it. */
  private touch({ request, server }: AskingRequest, { organizationId, tokenId }: TokenPlace): void {
    const address = this.parts.limits.addressOf(request, server);
    this.parts.system
      .dispatch(organizationRef(organizationId), { kind: "touch_token", tokenId, address })
      .catch((err: unknown) => this.parts.log.error({ err, tokenId }, "a token's use could not be recorded"));
  }
}

/** Lookups of an address are counted per second. */
const LATER = refuse({ kind: "rate_limited", retryAfterMs: 1_000 });
const FOREIGN_PAGE = refuse({
  kind: "forbidden",
  message: "Changes with a session are accepted only from pages of this service; a program must send a token",
});

const refuseUnauthenticated = (reason: string): Outcome<never> => refuse({ kind: "unauthenticated", reason });

/** Whether there is no token: clients with an empty field for it (the reference's) send the scheme alone. */
const isWithoutToken = (header: string | null): boolean => header === null || /^bearer *$/i.test(header);

/** The token in an `Authorization` header; the scheme is case-insensitive (RFC 9110). */
export function bearerOf(header: string | null): string | null {
  if (header === null) return null;
  return header.startsWith("Bearer ") && header.indexOf(" ", 7) === -1
    ? header.slice(7)
    : (BEARER.exec(header)?.[1] ?? null);
}
