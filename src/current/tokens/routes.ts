/**
 * Tokens (AUTH-1, AUTH-2): service tokens, which the owners of an organization see and revoke together,
 * and personal access tokens, of which everybody has to do with their own. Both act as the person who
 * made them. The secret is in the answer of the creation and nowhere else.
 */
import { Elysia } from "elysia";
import { notFound, ok, type Outcome } from "../../../actors/fault.ts";
import { type Principal, unlessOwner } from "../../../actors/organization/principal.ts";
import type { TokenFilter } from "../../../actors/organization/protocol.ts";
import { organizationRef, type TokenKind } from "../../../actors/organization/schema.ts";
import { TOKEN_DAYS, tokenExpiry } from "../../../actors/organization/tokens.ts";
import { ask } from "../../../actors/troupe.ts";
import { created, done } from "../../http/commit.ts";
import { queryOf } from "../../http/exchange.ts";
import { lookUp } from "../../http/look-up.ts";
import type { Surface } from "../../http/surface.ts";
import { newToken } from "../../http/token.ts";
import { Body } from "../../http/validation.ts";
import { pageRequest, pageView } from "../paging.ts";
import type { CurrentParts } from "../parts.ts";
import { CreateTokenBody, TOKEN_PATHS, tokenView } from "./schema.ts";

const TOKEN_ID = /^tok_[A-Za-z0-9_-]{21}$/;
/** The lists' names of their records (GEN-3). */
const PLURALS: Readonly<Record<TokenKind, string>> = { personal: "personal_access_tokens", service: "service_tokens" };
const createBody = new Body(CreateTokenBody);

export function tokenRoutes(current: Surface, parts: CurrentParts) {
  const service = operations("service", current, parts);
  const personal = operations("personal", current, parts);
  return new Elysia({ name: "current-tokens" })
    .get(TOKEN_PATHS.service, service.list)
    .post(TOKEN_PATHS.service, service.create, { parse: "none" })
    .post(`${TOKEN_PATHS.service}/:id/revoke`, service.revoke, { parse: "none" })
    .get(TOKEN_PATHS.personal, personal.list)
    .post(TOKEN_PATHS.personal, personal.create, { parse: "none" })
    .post(`${TOKEN_PATHS.personal}/:id/revoke`, personal.revoke, { parse: "none" });
}

function operations(kind: TokenKind, current: Surface, { system, directory, clock, streams, log }: CurrentParts) {
  return {
    list: current.handler({
      scope: "tokens:read",
      async run({ request, principal }) {
        const filter = visibleTo(principal, kind);
        if (!filter.ok) return filter;
        const page = pageRequest(queryOf(request.url));
        if (!page.ok) return page;
        const { organizationId } = principal;
        const settled = await system.settled(organizationId);
        if (!settled.ok) return settled;
        const tokens = await lookUp(log, directory.pageTokens(organizationId, filter.value, page.value));
        if (!tokens.ok) return tokens;
        const now = clock.now();
        return ok(pageView(PLURALS[kind], tokens.value, (token) => tokenView(token, principal, now)));
      },
    }),

    create: current.mutation({
      scope: "tokens:write",
      hasOneTimeSecret: true,
      async run(call) {
        const { principal } = call;
        const filter = visibleTo(principal, kind);
        if (!filter.ok) return filter;
        const body = await call.body.as(createBody);
        if (!body.ok) return body;
        const { name, scopes, expires_in_days: days = TOKEN_DAYS } = body.value;
        const { userId, organizationId } = principal;
        const now = clock.now();
        const { token, secret } = newToken(kind, { name, scopes, userId, expiresAt: tokenExpiry(now, days) });
        const command = { kind: "create_token", token, by: principal } as const;
        return call.commit([ask(organizationRef(organizationId), command)], (made) =>
          created({ ...tokenView(made, principal, now), token: secret }),
        );
      },
    }),

    revoke: current.mutation({
      scope: "tokens:write",
      async run(call) {
        const { principal, params } = call;
        const filter = visibleTo(principal, kind);
        if (!filter.ok) return filter;
        const tokenId = params["id"] ?? "";
        if (!TOKEN_ID.test(tokenId)) return notFound("token");
        const command = { kind: "revoke_token", tokenId, of: filter.value } as const;
        const now = clock.now();
        const revoked = await call.commit([ask(organizationRef(principal.organizationId), command)], (token) =>
          done(tokenView(token, principal, now)),
        );
        if (revoked.ok) streams.closeOf(tokenId);
        return revoked;
      },
    }),
  };
}

/** The tokens that a caller has to do with: an owner the organization's service tokens, everybody their own personal ones. */
function visibleTo(principal: Principal, kind: TokenKind): Outcome<TokenFilter> {
  if (kind === "personal") return ok({ kind, userId: principal.userId });
  return unlessOwner(principal) ?? ok({ kind, userId: null });
}
