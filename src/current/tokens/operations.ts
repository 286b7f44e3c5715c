/**
 * Tokens (AUTH-1, AUTH-2). All owners of an organization see and revoke its service tokens; a personal access token
 * is managed only by its own person. Both act as the person who made them. The secret is only in the answer of the
 * creation.
 */
import type { Principal } from "../../../actors/organization/principal.ts";
import type { TokenFilter } from "../../../actors/organization/protocol.ts";
import { organizationRef, type TokenKind } from "../../../actors/organization/schema.ts";
import { TOKEN_DAYS, tokenExpiry } from "../../../actors/organization/tokens.ts";
import type { PageRequest } from "../../../actors/page.ts";
import type { Static } from "../../../actors/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { newToken } from "../../http/admission/token.ts";
import { type Change, created } from "../../http/commit/commit.ts";
import { type Caller, originOf } from "../../http/request/caller.ts";
import { operation } from "../../operations/operation.ts";
import type { Services } from "../../operations/services.ts";
import { pageOf, pageQuery, shownPage } from "../paging.ts";
import { TokenId } from "../path-ids.ts";
import { doneIf } from "../updating.ts";
import { CreateTokenBody, NewTokenView, PersonalTokenList, ServiceTokenList, TokenView, tokenView } from "./schema.ts";

const MAKING = {
  method: "POST",
  scope: "tokens:write",
  description:
    "The response has the token, which is never shown again. It cannot have a scope that your token lacks, and it ends with your token at the latest: when that expires or is revoked. Without `expires_in_days` it lives 90 days, but not longer than your token.",
  body: CreateTokenBody,
  hasOneTimeSecret: true,
  answers: { 201: NewTokenView },
  errors: ["not_found", "forbidden"],
} as const;

const REVOKING = {
  method: "POST",
  scope: "tokens:write",
  description:
    "Takes effect with the next request, also for tokens that were created with it, and closes their open streams. A token without the scope `*` cannot revoke a token with more scopes or a later expiry.",
  params: { id: TokenId },
  answers: { 200: TokenView },
  errors: ["forbidden"],
} as const;

export const tokenOperations = {
  listServiceTokens: operation(
    {
      method: "GET",
      path: "/api/service-tokens",
      scope: "tokens:read",
      isForOwners: true,
      summary: "List the organization's service tokens",
      query: pageQuery("service_tokens"),
      answers: { 200: ServiceTokenList },
    },
    (services, caller, { query }) =>
      listTokens(services, caller, { kind: "service", plural: "service_tokens", page: pageOf(query) }),
  ),

  createServiceToken: operation(
    {
      ...MAKING,
      path: "/api/service-tokens",
      isForOwners: true,
      summary: "Create a service token",
      emits: "service_token.created",
    },
    (services, change, { body }) => createToken(services, change, "service", body),
  ),

  revokeServiceToken: operation(
    {
      ...REVOKING,
      path: "/api/service-tokens/{id}/revoke",
      isForOwners: true,
      summary: "Revoke a service token",
      emits: "service_token.revoked",
    },
    (services, change, { params }) => revokeToken(services, change, "service", params.id),
  ),

  listPersonalAccessTokens: operation(
    {
      method: "GET",
      path: "/api/personal-access-tokens",
      scope: "tokens:read",
      summary: "List your personal access tokens",
      query: pageQuery("personal_access_tokens"),
      answers: { 200: PersonalTokenList },
    },
    (services, caller, { query }) =>
      listTokens(services, caller, { kind: "personal", plural: "personal_access_tokens", page: pageOf(query) }),
  ),

  createPersonalAccessToken: operation(
    {
      ...MAKING,
      path: "/api/personal-access-tokens",
      summary: "Create a personal access token",
      emits: "resource.created",
    },
    (services, change, { body }) => createToken(services, change, "personal", body),
  ),

  revokePersonalAccessToken: operation(
    {
      ...REVOKING,
      path: "/api/personal-access-tokens/{id}/revoke",
      summary: "Revoke a personal access token",
      emits: "resource.deleted",
    },
    (services, change, { params }) => revokeToken(services, change, "personal", params.id),
  ),
};

async function listTokens<P extends string>(
  { directory, clock, readCommitted }: Services,
  { principal }: Caller,
  { kind, plural, page }: { readonly kind: TokenKind; readonly plural: P; readonly page: PageRequest },
) {
  const { organizationId } = principal;
  const read = () => directory.pageTokens(organizationId, visibleTo(principal, kind), page);
  return shownPage(plural, readCommitted(organizationId, read), (token) => tokenView(token, principal, clock.now()));
}

async function createToken({ clock }: Services, change: Change, kind: TokenKind, body: Static<typeof CreateTokenBody>) {
  const { principal } = change;
  const { name, scopes, expires_in_days: days = TOKEN_DAYS } = body;
  const { userId, organizationId } = principal;
  const now = clock.now();
  const { token, secret } = newToken(kind, { name, scopes, userId, expiresAt: tokenExpiry(now, days) });
  const isLifeAsked = body.expires_in_days !== undefined;
  const origin = originOf(change);
  const by = principal.isOperator === true ? null : principal;
  const command = { kind: "create_token", token, by, isLifeAsked, origin } as const;
  return change.commit([ask(organizationRef(organizationId), command)], (made) =>
    created({ ...tokenView(made, principal, now), token: secret }),
  );
}

async function revokeToken({ clock, streams }: Services, change: Change, kind: TokenKind, tokenId: string) {
  const { principal } = change;
  const origin = originOf(change);
  const command = { kind: "revoke_token", tokenId, of: visibleTo(principal, kind), by: principal, origin } as const;
  const now = clock.now();
  let ended: readonly string[] = [];
  const revoked = await change.commit([ask(organizationRef(principal.organizationId), command)], (reply) => {
    ended = reply.endedIds;
    return doneIf(ended.length > 0, tokenView(reply.token, principal, now));
  });
  for (const id of ended) streams.closeOf(id);
  return revoked;
}

/**
 * The tokens that a caller manages: for an owner the organization's service tokens, for everybody their own personal
 * ones.
 */
const visibleTo = ({ userId }: Principal, kind: TokenKind): TokenFilter => ({
  kind,
  userId: kind === "personal" ? userId : null,
});
