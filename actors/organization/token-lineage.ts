/**
 * Which tokens end with which (AUTH-10). A token that was created with another one ends with it at the latest:
 *
 *   token ──creates──▶ token ──creates──▶ token
 *     └─ revoked: so are all to its right, in the same turn
 *     └─ expired: all to its right have expired before, because none outlives its creator
 *
 * A token's record lists all tokens that end with it. So a revocation is one turn, and each record shows by itself
 * whether the token is valid.
 */
import { type Fault, invalid, ok, type Outcome } from "../fault.ts";
import type { Tx } from "../runtime/actor.ts";
import { isoTime } from "../schema.ts";
import type { Principal } from "./principal.ts";
import type { NewToken } from "./protocol.ts";
import { type Token, tokenTable } from "./schema.ts";
import { DAY_MS } from "../units.ts";

/** Valid tokens that end with one token: bounds its record, and the turn that revokes it. */
export const MAX_DESCENDANTS = 256;

const TOO_MANY: Fault = {
  kind: "forbidden",
  message: `This token has created ${MAX_DESCENDANTS} tokens that are still valid. Revoke some of them first`,
};

/**
 * The token with which a new one ends. Tokens of the operator end by themselves, and so do tokens that a person creates
 * in a session: no other token that could be stolen created them.
 */
export const parentToken = (by: Principal | null): string | null =>
  by === null || by.tokenKind === "session" ? null : by.tokenId;

/**
 * The expiry of a token that `parent` creates; refuses a requested lifetime that is longer than the parent's by a day
 * or more.
 */
export function endWithin(
  parent: Token | null,
  { expiresAt }: NewToken,
  { now, isAsked }: { readonly now: number; readonly isAsked: boolean },
): Outcome<string> {
  if (parent === null || expiresAt <= parent.expiresAt) return ok(expiresAt);
  const endMs = Date.parse(parent.expiresAt);
  // The same number of days never matches exactly: the parent is a moment older.
  if (!isAsked || Date.parse(expiresAt) - endMs < DAY_MS) return ok(parent.expiresAt);
  const days = Math.ceil((endMs - now) / DAY_MS);
  return invalid(
    "/expires_in_days",
    `A token cannot outlive the token that creates it, which ends at ${parent.expiresAt}: at most ${days} days`,
  );
}

/** Adds a new token to the records of all tokens with which it ends; refuses if one of them has too many. */
export function noteDescendant(tx: Tx, { id, expiresAt, endsWith }: Token): Fault | null {
  for (const ancestor of ancestorsOf(tx, endsWith)) {
    const living = livingOf(tx, ancestor);
    if (living.length >= MAX_DESCENDANTS) return TOO_MANY;
    tx.update(tokenTable, { ...ancestor, descendants: [...living, { id, expiresAt }] });
  }
  return null;
}

/** Revokes a token and all tokens that end with it. */
export function revokeWithDescendants(tx: Tx, token: Token): { readonly token: Token; readonly endedIds: string[] } {
  const revokedAt = isoTime(tx.now);
  const descendants = (token.descendants ?? []).map(({ id }) => tx.read(tokenTable, id));
  const revoked = tx.update(tokenTable, { ...token, revokedAt, descendants: [] });
  const endedIds = [token.id];
  for (const descendant of descendants) {
    if (descendant === null) continue;
    endedIds.push(descendant.id);
    if (descendant.revokedAt === null) tx.update(tokenTable, { ...descendant, revokedAt, descendants: [] });
  }
  const gone = new Set(endedIds);
  for (const ancestor of ancestorsOf(tx, token.endsWith)) {
    const descendants = livingOf(tx, ancestor).filter(({ id }) => !gone.has(id));
    tx.update(tokenTable, { ...ancestor, descendants });
  }
  return { token: revoked, endedIds };
}

function ancestorsOf(tx: Tx, parentId: string | null | undefined): Token[] {
  const ancestors: Token[] = [];
  let id = parentId ?? null;
  while (id !== null) {
    const ancestor = tx.read(tokenTable, id);
    if (ancestor === null) break;
    ancestors.push(ancestor);
    id = ancestor.endsWith ?? null;
  }
  return ancestors;
}

const livingOf = (tx: Tx, { descendants = [] }: Token) => {
  const now = isoTime(tx.now);
  return descendants.filter(({ expiresAt }) => expiresAt > now);
};
