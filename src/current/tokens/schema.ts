/** The body and the view of tokens on the current surface (AUTH-1, AUTH-2, AUTH-3). */
import { type Principal, SCOPES } from "../../../actors/organization/principal.ts";
import type { Token, TokenKind } from "../../../actors/organization/schema.ts";
import { TOKEN_DAYS_MAX, TOKEN_DAYS_MIN, TOKEN_NAME_CHARACTERS } from "../../../actors/organization/tokens.ts";
import { OneOf, Type } from "../../../actors/schema.ts";
import { permitted, recordView } from "../record.ts";

export const TOKEN_PATHS: Readonly<Record<TokenKind, string>> = {
  personal: "/api/personal-access-tokens",
  service: "/api/service-tokens",
};

/** Not blank, and nothing in it that controls a terminal. */
const NAME = "^(?=.*\\S)[^\\x00-\\x1f\\x7f-\\x9f]*$";

/** `POST /api/service-tokens` and `POST /api/personal-access-tokens` */
export const CreateTokenBody = Type.Object({
  name: Type.String({ pattern: NAME, maxLength: TOKEN_NAME_CHARACTERS }),
  scopes: Type.Array(OneOf(SCOPES), { minItems: 1, maxItems: SCOPES.length, uniqueItems: true }),
  expires_in_days: Type.Optional(Type.Integer({ minimum: TOKEN_DAYS_MIN, maximum: TOKEN_DAYS_MAX })),
});

/** A token without what it is used by: of that its last characters are known, and no more. */
export const tokenView = (token: Token, by: Principal, now: number) => ({
  id: token.id,
  kind: token.kind,
  name: token.name,
  status: statusOf(token, now),
  scopes: token.scopes,
  last_characters: token.hint,
  user_id: token.userId,
  expires_at: token.expiresAt,
  last_used_at: token.lastUsedAt,
  revoked_at: token.revokedAt,
  ...recordView(
    token,
    { revoke: `${TOKEN_PATHS[token.kind]}/${token.id}/revoke` },
    permitted(by, "tokens:write", token.revokedAt === null ? ["revoke"] : []),
  ),
});

function statusOf({ revokedAt, expiresAt }: Token, now: number): "active" | "expired" | "revoked" {
  if (revokedAt !== null) return "revoked";
  return Date.parse(expiresAt) <= now ? "expired" : "active";
}
