/** What there is to do with tokens (AUTH-1, AUTH-2). */
import { Id } from "../../http/noun.ts";
import { operationGroup } from "../../http/operation.ts";
import { PAGE_QUERY } from "../paging.ts";
import { CreateTokenBody, NewTokenView, PersonalTokenList, ServiceTokenList, TokenView } from "./schema.ts";

const params = { id: Id("tok", "The token's id") };

export const tokenOperations = operationGroup(
  "Tokens",
  "Credentials: service tokens for owners, personal ones for all",
  {
    listServiceTokens: {
      method: "GET",
      path: "/api/service-tokens",
      scope: "tokens:read",
      summary: "List the organization's service tokens",
      query: PAGE_QUERY,
      answers: { 200: ServiceTokenList },
      errors: ["owner_required", "invalid_request", "invalid_cursor"],
    },
    createServiceToken: {
      method: "POST",
      path: "/api/service-tokens",
      scope: "tokens:write",
      summary: "Create a service token",
      description: "The answer has the token, which is never shown again. No token makes a scope that it lacks itself.",
      body: CreateTokenBody,
      hasOneTimeSecret: true,
      answers: { 201: NewTokenView },
      errors: ["owner_required", "not_found"],
      emits: "service_token.created",
    },
    revokeServiceToken: {
      method: "POST",
      path: "/api/service-tokens/{id}/revoke",
      scope: "tokens:write",
      summary: "Revoke a service token",
      description: "It counts from the next request on, and closes the token's open streams.",
      params,
      answers: { 200: TokenView },
      errors: ["owner_required", "not_found"],
      emits: "service_token.revoked",
    },
    listPersonalAccessTokens: {
      method: "GET",
      path: "/api/personal-access-tokens",
      scope: "tokens:read",
      summary: "List your personal access tokens",
      query: PAGE_QUERY,
      answers: { 200: PersonalTokenList },
      errors: ["invalid_request", "invalid_cursor"],
    },
    createPersonalAccessToken: {
      method: "POST",
      path: "/api/personal-access-tokens",
      scope: "tokens:write",
      summary: "Create a personal access token",
      description: "The answer has the token, which is never shown again. No token makes a scope that it lacks itself.",
      body: CreateTokenBody,
      hasOneTimeSecret: true,
      answers: { 201: NewTokenView },
      errors: ["not_found"],
      emits: "resource.created",
    },
    revokePersonalAccessToken: {
      method: "POST",
      path: "/api/personal-access-tokens/{id}/revoke",
      scope: "tokens:write",
      summary: "Revoke a personal access token",
      description: "It counts from the next request on, and closes the token's open streams.",
      params,
      answers: { 200: TokenView },
      errors: ["not_found"],
      emits: "resource.deleted",
    },
  },
);
