/** The body and the view of tokens on the current surface (AUTH-1, AUTH-2, AUTH-3). */
import { type Principal, SCOPES } from "../../../actors/organization/principal.ts";
import { assert } from "../../../actors/assert.ts";
import { type CredentialKind, type Token, TOKEN_KINDS, type TokenKind } from "../../../actors/organization/schema.ts";
import {
  hasTokenEnded,
  revocationRefusal,
  TOKEN_DAYS_MAX,
  TOKEN_DAYS_MIN,
  TOKEN_NAME_CHARACTERS,
} from "../../../actors/organization/tokens.ts";
import { Nullable, OneOf, Timestamp, Type } from "../../../actors/schema.ts";
import { fieldsFrom, Id, listOf, noun, Text } from "../../http/contract/noun.ts";
import type { Shown } from "../../http/contract/operation.ts";
import { permittedActions, RECORD, recordView } from "../record.ts";

/** Sessions, and tokens of programs with a grant, are not named tokens. */
function namedTokenKind(kind: CredentialKind): TokenKind {
  assert(kind === "personal" || kind === "service", "lists of tokens are of one of their kinds");
  return kind;
}

const TOKEN_PATHS: Readonly<Record<TokenKind, string>> = {
  personal: "/api/personal-access-tokens",
  service: "/api/service-tokens",
};

/** Not blank, and without terminal control characters. */
const TOKEN_NAME_PATTERN = "^(?=.*\\S)[^\\x00-\\x1f\\x7f-\\x9f]*$";

/** `POST /api/service-tokens` and `POST /api/personal-access-tokens` */
export const CreateTokenBody = Type.Object(
  {
    name: Type.String({
      pattern: TOKEN_NAME_PATTERN,
      form: "text without control characters",
      maxLength: TOKEN_NAME_CHARACTERS,
    }),
    scopes: Type.Array(OneOf(SCOPES), { minItems: 1, maxItems: SCOPES.length, uniqueItems: true }),
    expires_in_days: Type.Optional(Type.Integer({ minimum: TOKEN_DAYS_MIN, maximum: TOKEN_DAYS_MAX })),
  },
  { examples: [{ name: "The build server", scopes: ["agents:read", "chats:write"], expires_in_days: 30 }] },
);

export const TOKEN_STATUSES = ["active", "expired", "revoked"] as const;
const TOKEN_FIELDS = {
  id: Id("tok", "The token's id"),
  kind: OneOf(TOKEN_KINDS),
  name: Text("What the token is for", "The build server"),
  status: OneOf(TOKEN_STATUSES),
  scopes: Type.Array(OneOf(SCOPES), { examples: [["agents:read", "jobs:write"]] }),
  last_characters: Text("Last characters of the token, to recognize it by", "x7k2"),
  user_id: Id("usr", "User that the token acts as"),
  expires_at: Timestamp,
  last_used_at: Nullable(Timestamp),
  revoked_at: Nullable(Timestamp),
  created_with: Nullable(
    Id("tok", "Token that created this one, and whose end also ends it; null if the operator created it"),
  ),
  ...RECORD,
};
export const TokenView = noun("Token", "A credential, without its secret", TOKEN_FIELDS);
export const NewTokenView = noun("NewToken", "A new credential; the token itself is never shown again", {
  ...TOKEN_FIELDS,
  token: Type.String({ description: "The bearer token: store it" }),
});
export const ServiceTokenList = listOf("ServiceTokenList", "service_tokens", TokenView);
export const PersonalTokenList = listOf("PersonalAccessTokenList", "personal_access_tokens", TokenView);

/**
 * Only revocation changes a token. The version of its record also counts notes of its last use, which readers must
 * not see as a change (AUTH-9).
 */
export const withVersion = (token: Token): Token => ({
  ...token,
  version: token.revokedAt === null ? 1 : 2,
  updatedAt: token.revokedAt ?? token.createdAt,
});

const tokenFields = fieldsFrom(TokenView);

/** The token without its secret: only the last characters are known. */
export const tokenView = (token: Token, by: Principal, now: number): Shown<typeof TokenView> => ({
  ...tokenFields(token),
  kind: namedTokenKind(token.kind),
  status: tokenStatus(token, now),
  last_characters: token.hint,
  // Absent for tokens made by an earlier version of the service.
  created_with: token.madeWith ?? null,
  ...recordView(
    withVersion(token),
    { revoke: `${TOKEN_PATHS[namedTokenKind(token.kind)]}/${token.id}/revoke` },
    permittedActions(
      by,
      "tokens:write",
      token.revokedAt === null && revocationRefusal(token, by) === null ? ["revoke"] : [],
    ),
  ),
});

/** Also of a session, which is a token too. */
export const tokenStatus = (token: Token, now: number): (typeof TOKEN_STATUSES)[number] =>
  token.revokedAt !== null ? "revoked" : hasTokenEnded(token, now) ? "expired" : "active";
