/**
 * Tokens (AUTH-1, AUTH-2, AUTH-7): credentials of a person in this organization. The actor is asked for
 * each request whether a token still counts, so what takes it away holds from the next one on:
 *
 *   counts ──its time is over──▶ expired
 *      │ └──its person is removed──▶ unknown
 *      └──revoke──▶ revoked, for good
 *
 * A token makes another one only while it counts itself, and gives it no scope that it lacks. The other
 * one keeps its name, and counts by itself: a revocation is of one token (AUTH-10).
 */
import { notFound, ok, type Outcome, refuse } from "../fault.ts";
import type { Handlers, Tx } from "../runtime/actor.ts";
import { isoTime, timeWriter } from "../schema.ts";
import { hasScope, type Principal } from "./principal.ts";
import type { NewToken, OrganizationProtocol } from "./protocol.ts";
import { type Member, memberTable, type Token, tokenTable } from "./schema.ts";

/** Days that a token lives: unless somebody says otherwise, at least, and at most (AUTH-1). */
export const TOKEN_DAYS = 90;
export const TOKEN_DAYS_MIN = 7;
export const TOKEN_DAYS_MAX = 365;
/** Characters of a token's name: a line of a list. */
export const TOKEN_NAME_CHARACTERS = 100;
/** `lastUsedAt` is kept to this precision: finer would cost a commit for each request. */
export const LAST_USED_PRECISION_MS = 60_000;

const DAY_MS = 86_400_000;

/** When a token ends that is made at `now` for so many days. */
export const tokenExpiry = (now: number, days: number): string => isoTime(now + days * DAY_MS);

/** Beside `isoTime`, because both are asked for each request. */
const staleTime = timeWriter();

type TokenCommand = "authenticate" | "confirm_token" | "touch_token" | "create_token" | "revoke_token";

export const tokenHandlers: Pick<Handlers<OrganizationProtocol>, TokenCommand> = {
  authenticate(tx, { tokenId, hash }) {
    const token = tx.read(tokenTable, tokenId);
    // The directory has found the token by this hash; here it is only checked that it still has it.
    if (token === null || !isSameHash(token.hash, hash)) return UNKNOWN;
    const member = bearerOf(tx, token);
    if (!member.ok) return member;
    const isStale = token.lastUsedAt === null || token.lastUsedAt <= staleTime(tx.now - LAST_USED_PRECISION_MS);
    const { scopes, kind: tokenKind } = token;
    const { id: userId, role } = member.value;
    const organizationId = tx.self.id;
    return ok({ principal: { organizationId, userId, role, tokenId, tokenKind, scopes }, isStale });
  },

  confirm_token(tx, { tokenId }) {
    const token = tx.read(tokenTable, tokenId);
    if (token === null) return UNKNOWN;
    const member = bearerOf(tx, token);
    return member.ok ? ok(null) : member;
  },

  touch_token(tx, { tokenId }) {
    const token = tx.read(tokenTable, tokenId);
    if (token === null) return notFound("token");
    // A note that comes late leaves the record of the revocation as it is.
    if (token.revokedAt !== null) return ok(null);
    if (token.lastUsedAt !== null && token.lastUsedAt > staleTime(tx.now - LAST_USED_PRECISION_MS)) return ok(null);
    tx.update(tokenTable, { ...token, lastUsedAt: isoTime(tx.now) });
    return ok(null);
  },

  create_token(tx, { token, by }) {
    if (by !== null) {
      const refused = unlessMayMint(tx, token, by);
      if (refused !== null) return refused;
    }
    const member = tx.read(memberTable, token.userId);
    if (member === null || member.status === "removed") return notFound("user");
    if (token.kind === "service" && member.role !== "owner") return refuse({ kind: "owner_required" });
    return ok(mintToken(tx, token, by?.tokenId ?? null));
  },

  revoke_token(tx, { tokenId, of }) {
    const token = tx.read(tokenTable, tokenId);
    const isTheirs = of === null || (token?.kind === of.kind && (of.userId === null || token.userId === of.userId));
    if (token === null || !isTheirs) return notFound("token");
    if (token.revokedAt !== null) return ok(token);
    return ok(tx.update(tokenTable, { ...token, revokedAt: isoTime(tx.now) }));
  },
};

export function mintToken(tx: Tx, token: NewToken, madeWith: string | null): Token {
  return tx.create(tokenTable, {
    ...token,
    scopes: [...token.scopes],
    id: tx.id("tok"),
    lastUsedAt: null,
    revokedAt: null,
    madeWith,
  });
}

const UNKNOWN = refuse({ kind: "unauthenticated", reason: "unknown token" });

/** The person for whom a token counts now. */
function bearerOf(tx: Tx, token: Token): Outcome<Member> {
  if (token.revokedAt !== null) return refuse({ kind: "unauthenticated", reason: "revoked token" });
  // As texts, which are in the order of the times: parsing them costs more than the rest of the turn.
  if (token.expiresAt <= isoTime(tx.now)) return refuse({ kind: "token_expired" });
  const member = tx.read(memberTable, token.userId);
  if (member === null || member.status === "removed")
    return refuse({ kind: "unauthenticated", reason: "the token's user is not a member any more" });
  return ok(member);
}

/** Why a token may not make this other one; asked in the turn that makes it, or a revoked one could still leave another behind. */
function unlessMayMint(tx: Tx, { scopes }: NewToken, by: Principal): Outcome<never> | null {
  const own = tx.read(tokenTable, by.tokenId);
  const bearer = own === null ? UNKNOWN : bearerOf(tx, own);
  if (!bearer.ok) return bearer;
  const lacking = scopes.filter((scope) => !hasScope(by.scopes, scope));
  return lacking.length === 0 ? null : refuse({ kind: "insufficient_scope", required: lacking });
}

/** Compares in a time that does not depend on where two hashes differ (AUTH-1). */
function isSameHash(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}
