/**
 * Tokens (AUTH-1, AUTH-2): service tokens, which the owners of an organization see and revoke together,
 * and personal access tokens, of which everybody has to do with their own. Both act as the person who
 * made them. The secret is in the answer of the creation and nowhere else.
 */
import { mapped, notFound, ok, type Outcome } from "../../../actors/fault.ts";
import { type Principal, unlessOwner } from "../../../actors/organization/principal.ts";
import type { TokenFilter } from "../../../actors/organization/protocol.ts";
import { organizationRef, type TokenKind } from "../../../actors/organization/schema.ts";
import { TOKEN_DAYS, tokenExpiry } from "../../../actors/organization/tokens.ts";
import { ask } from "../../../actors/troupe.ts";
import { created, done, type MutatingCall } from "../../http/commit.ts";
import { queryOf } from "../../http/exchange.ts";
import { lookUp } from "../../http/look-up.ts";
import { operationRoutes } from "../../http/operation-routes.ts";
import type { Call, Surface } from "../../http/surface.ts";
import { newToken } from "../../http/token.ts";
import { Body } from "../../http/validation.ts";
import { pageRequest, pageView } from "../paging.ts";
import type { CurrentParts } from "../parts.ts";
import { tokenOperations } from "./operations.ts";
import { CreateTokenBody, tokenView } from "./schema.ts";

const TOKEN_ID = /^tok_[A-Za-z0-9_-]{21}$/;
const createBody = new Body(CreateTokenBody);

export function tokenRoutes(current: Surface, parts: CurrentParts) {
  const service = handlersOf("service", parts);
  const personal = handlersOf("personal", parts);
  return operationRoutes(current, tokenOperations, {
    listServiceTokens: service.list("service_tokens"),
    createServiceToken: service.create,
    revokeServiceToken: service.revoke,
    listPersonalAccessTokens: personal.list("personal_access_tokens"),
    createPersonalAccessToken: personal.create,
    revokePersonalAccessToken: personal.revoke,
  });
}

function handlersOf(kind: TokenKind, { system, directory, clock, streams, log }: CurrentParts) {
  return {
    list:
      <P extends string>(plural: P) =>
      async ({ request, principal }: Call) => {
        const filter = visibleTo(principal, kind);
        if (!filter.ok) return filter;
        const page = pageRequest(queryOf(request.url), plural);
        if (!page.ok) return page;
        const { organizationId } = principal;
        const settled = await system.settled(organizationId);
        if (!settled.ok) return settled;
        const tokens = await lookUp(log, directory.pageTokens(organizationId, filter.value, page.value));
        const now = clock.now();
        return mapped(tokens, (list) => pageView(plural, list, (token) => tokenView(token, principal, now)));
      },

    async create(call: MutatingCall) {
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

    async revoke(call: MutatingCall) {
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
  };
}

/** The tokens that a caller has to do with: an owner the organization's service tokens, everybody their own personal ones. */
function visibleTo(principal: Principal, kind: TokenKind): Outcome<TokenFilter> {
  if (kind === "personal") return ok({ kind, userId: principal.userId });
  return unlessOwner(principal) ?? ok({ kind, userId: null });
}
