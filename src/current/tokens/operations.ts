/** Operations on tokens (AUTH-1, AUTH-2). */
import { operationGroup } from "../../http/contract/operation.ts";
import { pageQuery } from "../paging.ts";
import { TokenId } from "../path-ids.ts";
import { CreateTokenBody, NewTokenView, PersonalTokenList, ServiceTokenList, TokenView } from "./schema.ts";

const params = { id: TokenId };
const MAKING =
  "The token is in the answer and never shown again. It has no scope that the request's token lacks, and ends with " +
  "that token at the latest: when it expires, or is revoked. Without `expires_in_days` it lives 90 days, or as long " +
  "as that token.";
const REVOKING =
  "Takes effect with the next request, for the tokens that were made with it too, and closes their open streams. " +
  "A token without the scope `*` revokes none that is wider or outlives it.";

export const tokenOperations = operationGroup(
  "Tokens",
  "Credentials: service tokens for owners, personal ones for all",
  {
    listServiceTokens: {
      method: "GET",
      path: "/api/service-tokens",
      scope: "tokens:read",
      isForOwners: true,
      summary: "List the organization's service tokens",
      query: pageQuery("service_tokens"),
      answers: { 200: ServiceTokenList },
      errors: ["invalid_request", "invalid_cursor"],
    },
    createServiceToken: {
      method: "POST",
      path: "/api/service-tokens",
      scope: "tokens:write",
      isForOwners: true,
      summary: "Create a service token",
      description: MAKING,
      body: CreateTokenBody,
      hasOneTimeSecret: true,
      answers: { 201: NewTokenView },
      errors: ["not_found", "forbidden"],
      emits: "service_token.created",
    },
    revokeServiceToken: {
      method: "POST",
      path: "/api/service-tokens/{id}/revoke",
      scope: "tokens:write",
      isForOwners: true,
      summary: "Revoke a service token",
      description: REVOKING,
      params,
      answers: { 200: TokenView },
      errors: ["not_found", "forbidden"],
      emits: "service_token.revoked",
    },
    listPersonalAccessTokens: {
      method: "GET",
      path: "/api/personal-access-tokens",
      scope: "tokens:read",
      summary: "List your personal access tokens",
      query: pageQuery("personal_access_tokens"),
      answers: { 200: PersonalTokenList },
      errors: ["invalid_request", "invalid_cursor"],
    },
    createPersonalAccessToken: {
      method: "POST",
      path: "/api/personal-access-tokens",
      scope: "tokens:write",
      summary: "Create a personal access token",
      description: MAKING,
      body: CreateTokenBody,
      hasOneTimeSecret: true,
      answers: { 201: NewTokenView },
      errors: ["not_found", "forbidden"],
      emits: "resource.created",
    },
    revokePersonalAccessToken: {
      method: "POST",
      path: "/api/personal-access-tokens/{id}/revoke",
      scope: "tokens:write",
      summary: "Revoke a personal access token",
      description: REVOKING,
      params,
      answers: { 200: TokenView },
      errors: ["not_found", "forbidden"],
      emits: "resource.deleted",
    },
  },
);
